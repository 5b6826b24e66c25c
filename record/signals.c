/* SPDX-License-Identifier: MIT */
/*
 * Takes signals one by one while a program runs, and passes them on. Runs on:
 * prof-record, one thread; take_signal() in signal context. Must not give the program a
 * signal twice that it got without us.
 */
#include "record/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEEPEST_FAMILY 100 /* of processes, from the sender up to the program */
#define CONTINUE_PAUSES 20 /* 10 ms in all */
#define CONTINUE_PAUSE_NS 500000

static volatile sig_atomic_t last_signal;

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

#define ENDING_COUNT (sizeof(ending) / sizeof(ending[0]))

/* Between two runs of a series. */
static void take_signal(int number)
{
	if (last_signal) {
		(void)signal(number, SIG_DFL);
		(void)raise(number);
	}
	last_signal = number;
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void record_hold_signals(void)
{
	struct sigaction action = {.sa_flags = SA_RESTART};
	size_t i;

	sigemptyset(&action.sa_mask);
	action.sa_handler = take_signal;
	for (i = 0; i < ENDING_COUNT; i++)
		if (!is_ignored(ending[i]))
			(void)sigaction(ending[i], &action, NULL);
}

int record_signal(void)
{
	return last_signal;
}

void record_signals_take(struct record_signals *ret)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &ret->mask);
	/* ignored, the kernel would reap the program and tell nobody how it ended */
	sigemptyset(&usual.sa_mask);
	(void)sigaction(SIGCHLD, &usual, &ret->child);
}

void record_signals_give_back(const struct record_signals *signals)
{
	(void)sigaction(SIGCHLD, &signals->child, NULL);
	(void)sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* Of a process: its state letter, and its parent. '\0': there is none of that number. */
static char read_state(pid_t pid, pid_t *ret_parent)
{
	char path[32], line[512], *rest, state = '\0';
	size_t length;
	FILE *file;
	int parent;

	*ret_parent = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return '\0';
	length = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[length] = '\0';
	rest = strrchr(line, ')'); /* the name before it may hold anything */
	if (!rest || sscanf(rest, ") %c %d", &state, &parent) != 2)
		return '\0';
	*ret_parent = parent;
	return state;
}

/* A sender that has ended is not found; then nothing is known of its parents. */
static bool is_of_the_family(pid_t sender, pid_t program)
{
	int steps;

	for (steps = 0; sender > 1 && steps < DEEPEST_FAMILY; steps++) {
		if (sender == program)
			return true;
		if (!read_state(sender, &sender))
			return false;
	}
	return false;
}

/* What the kernel sends to all of a group, or to each process for what it did itself.
 * An alarm is left to us by whoever executed us, and meant for the program. */
static bool is_of_the_kernel(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_signo != SIGALRM;
}

/* Has it been stopped since we last followed a stop? */
static bool has_stopped_anew(pid_t program)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOWAIT | WNOHANG) == 0 &&
	       info.si_pid == program;
}

/* Stopped still, when a SIGCONT has reached us. One for the whole group may come to us a
 * moment before it comes to the program, or so late that the program was continued and
 * stopped again. */
static bool stays_stopped(pid_t program)
{
	const struct timespec pause = {.tv_nsec = CONTINUE_PAUSE_NS};
	pid_t parent;

	for (int i = 0; i < CONTINUE_PAUSES; i++) {
		if (read_state(program, &parent) != 'T' || has_stopped_anew(program))
			return false;
		(void)nanosleep(&pause, NULL);
	}
	return true;
}

static void pass_on(const siginfo_t *info, pid_t program)
{
	if (info->si_code == SI_QUEUE)
		(void)sigqueue(program, info->si_signo, info->si_value);
	else
		(void)kill(program, info->si_signo);
}

/* was_stopped: as far as we have seen; then a SIGCONT for all has continued it by now. */
static bool is_for_the_program(const siginfo_t *info, pid_t program, bool was_stopped)
{
	if (is_of_the_kernel(info) || info->si_pid == getpid() ||
	    is_of_the_family(info->si_pid, program))
		return false;
	return info->si_signo != SIGCONT || !was_stopped || stays_stopped(program);
}

static void note_ending(int number)
{
	size_t i;

	for (i = 0; i < ENDING_COUNT; i++)
		if (number == ending[i] && !is_ignored(number))
			last_signal = number;
}

static bool has_ended(pid_t program)
{
	siginfo_t info = {.si_pid = 0};

	while (waitid(P_PID, (id_t)program, &info, WEXITED | WNOWAIT | WNOHANG) < 0)
		if (errno != EINTR)
			return true;
	return info.si_pid == program;
}

/* Stops us the way the program was stopped; returns when we are continued. */
static void stop_too(int number)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, old;
	sigset_t only;

	sigemptyset(&usual.sa_mask);
	sigemptyset(&only);
	sigaddset(&only, number);
	(void)sigaction(number, &usual, &old);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	(void)sigprocmask(SIG_BLOCK, &only, NULL);
	(void)sigaction(number, &old, NULL);
}

/* Whether the program has been stopped since it was asked for last. */
static bool follow_stop(pid_t program)
{
	siginfo_t info = {.si_pid = 0};

	if (waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOHANG) < 0 ||
	    info.si_pid != program)
		return false;
	if (info.si_status == SIGTSTP || info.si_status == SIGTTIN ||
	    info.si_status == SIGTTOU)
		stop_too(info.si_status);
	return true;
}

/* What came while the program was there and was not for us to pass on, it has had itself:
 * left pending, it would end us when signals are let through again. The rest stays. */
static void drop_answered(pid_t program)
{
	const struct timespec at_once = {0, 0};
	sigset_t all, kept;
	siginfo_t info;

	sigfillset(&all);
	sigemptyset(&kept);
	while (sigtimedwait(&all, &info, &at_once) > 0) {
		note_ending(info.si_signo);
		if (is_for_the_program(&info, program, false))
			sigaddset(&kept, info.si_signo);
	}
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&kept, number) > 0)
			(void)raise(number);
}

void record_signals_pass_on(pid_t program)
{
	bool was_stopped = false;
	siginfo_t info;
	sigset_t all;

	sigfillset(&all);
	while (!has_ended(program)) {
		if (follow_stop(program))
			was_stopped = true;
		if (sigwaitinfo(&all, &info) < 0 || info.si_signo == SIGCHLD)
			continue;
		note_ending(info.si_signo);
		if (is_for_the_program(&info, program, was_stopped))
			pass_on(&info, program);
		if (info.si_signo == SIGCONT)
			was_stopped = false;
	}
	drop_answered(program);
}
