/* SPDX-License-Identifier: MIT */
/*
 * Environment, fork, exec and wait of prof-record; takes signals while a program runs and
 * passes them on. Runs on: one thread; take_signal() in signal context. Must not change
 * what the program would see without us, except for the shim, or send it a signal twice
 * that it would get once.
 */
#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/places.h"

#define DEEPEST_FAMILY 100 /* ancestors looked at, from the sender up to the program */
#define CONTINUE_PAUSES 20 /* 10 ms in all */
#define CONTINUE_PAUSE_NS 500000

static volatile sig_atomic_t last_signal;

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

#define ENDING_COUNT (sizeof(ending) / sizeof(ending[0]))

/* Handles signals between two runs of a series. */
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

/* Blocks all signals, before the fork. */
static void record_signals_take(struct record_signals *ret)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &ret->mask);
	/* ignored, the kernel would reap the program and lose its status */
	sigemptyset(&usual.sa_mask);
	(void)sigaction(SIGCHLD, &usual, &ret->child);
}

/* Restores the former state: in prof-record, or in the child before its exec. */
static void record_signals_give_back(const struct record_signals *signals)
{
	(void)sigaction(SIGCHLD, &signals->child, NULL);
	(void)sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* Returns a process's state letter and its parent; '\0': no such process. */
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
	rest = strrchr(line, ')'); /* the name before it may contain anything */
	if (!rest || sscanf(rest, ") %c %d", &state, &parent) != 2)
		return '\0';
	*ret_parent = parent;
	return state;
}

/* Is the sender a descendant of the program? If it has ended, we do not know. */
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

/* Did the kernel send it to a whole group, or to each process for its own action? Not an
 * alarm: whoever executed us left it pending, and it is meant for the program. */
static bool is_of_the_kernel(const siginfo_t *info)
{
	return info->si_code > 0 && info->si_signo != SIGALRM;
}

/* Was it stopped since we last followed a stop? */
static bool has_stopped_anew(pid_t program)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOWAIT | WNOHANG) == 0 &&
	       info.si_pid == program;
}

/* Is the program still stopped after we got a SIGCONT? One for the whole group may reach
 * us just before the program, or so late that the program was continued and stopped
 * again. */
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

/* was_stopped: as we last saw; a SIGCONT for the whole group has continued it by now. */
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

/* Stops us like the program; returns when we are continued. */
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

/* Was the program stopped since the last time we asked? */
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

/* Drops pending signals that came while the program lived and were not for us to pass on,
 * as it has had them itself. They would end us when unblocked. The rest stays. */
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

/* Passes signals on to the program, our child, until it ends; leaves it a zombie. */
static void record_signals_pass_on(pid_t program)
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

int record_find_shim(char *ret)
{
	static const char *const places[] = {
		"../shim/libprofshim.so", /* built tree: record/ to shim/ */
		/* installed, even if the tree was moved */
		PROFSHIM_BIN_TO_LIB_DIR "/libprofshim.so",
		PROFSHIM_LIB_DIR "/libprofshim.so",
	};

	return beside_find_for_program(places, sizeof(places) / sizeof(places[0]), ret,
				       PATH_MAX);
}

static int set(const char *name, const char *value)
{
	return value && setenv(name, value, 1) < 0 ? -errno : 0;
}

static int set_preload(const char *first, const char *shim)
{
	const char *others = getenv("LD_PRELOAD");
	char *list;
	int error;

	if (!others)
		others = "";
	if (strstr(others, shim))
		return 0;
	if (asprintf(&list, "%s%s%s%s%s", first, *first ? ":" : "", shim,
		     *others ? ":" : "", others) < 0)
		return -ENOMEM;
	error = set("LD_PRELOAD", list);
	free(list);
	return error;
}

int record_set_environment(const struct record_options *options, const char *first,
			   const char *shim, const char *output)
{
	const char *const settings[][2] = {
		{"PROFSHIM_OUTPUT", output},
		{"PROFSHIM_LABEL", options->label},
		{"PROFSHIM_STACK_DEPTH", options->stack_depth},
		{"PROFSHIM_MAX_PATHS", options->max_paths},
		{"PROFSHIM_FOLLOW", options->follow},
		{"PROFSHIM_LEVEL", options->level},
		{"PROFSHIM_OVERHEAD", options->overhead},
		{"PROFSHIM_ONLY", options->only},
		{"PROFSHIM_SKIP", options->skip},
		{"PROFSHIM_LIBRARY", options->library},
		{"PROFSHIM_FROM", options->from},
		{"PROFSHIM_UNTIL", options->until},
		{"PROFSHIM_WHILE_STEP", options->while_step},
		{"PROFSHIM_WHY", options->why},
		{"PROFSHIM_SPANS", options->spans},
		/* we wait for the collector, so the program need not */
		{"PROFSHIM_WAIT", "0"},
	};
	int error = shim ? set_preload(first, shim) : 0;
	size_t i;

	for (i = 0; !error && i < sizeof(settings) / sizeof(settings[0]); i++)
		error = set(settings[i][0], settings[i][1]);
	/* else the program would join a run that we ourselves may be part of */
	(void)unsetenv("PROFSHIM_RUN");
	if (options->repeat) /* it would be made during the next run */
		(void)unsetenv("PROFSHIM_REPORT");
	return error;
}

int record_set_run(const char *label, const char *level)
{
	int error = set("PROFSHIM_LEVEL", level);

	if (!label)
		(void)unsetenv("PROFSHIM_LABEL");
	return error ? error : set("PROFSHIM_LABEL", label);
}

/* Puts fd in its place. dup2() of a descriptor to itself would leave it close-on-exec. */
static bool put(int fd, int place)
{
	if (fd == place)
		return fcntl(fd, F_SETFD, 0) == 0;
	return fd < 0 || dup2(fd, place) >= 0;
}

/* Has only samples recorded: all else takes time in each call. */
static int set_samples_only(void)
{
	const char *rate = getenv("PROFSHIM_SAMPLES");
	char *only;
	int error;

	if (!rate || !*rate)
		return set("PROFSHIM_SAMPLES", "only");
	if (!strcmp(rate, "off") || !strncmp(rate, "only", 4))
		return 0;
	if (asprintf(&only, "only:%s", rate) < 0)
		return -ENOMEM;
	error = set("PROFSHIM_SAMPLES", only);
	free(only);
	return error;
}

/* In the child: becomes the program, or sends the reason through the pipe. */
static void become(char **command, int input, int output, bool samples_only,
		   const struct record_signals *signals, int pipe_end)
{
	ssize_t written;
	int error = samples_only ? set_samples_only() : 0;

	record_signals_give_back(signals);
	if (error < 0)
		error = -error;
	else if (!put(input, STDIN_FILENO) || !put(output, STDOUT_FILENO))
		error = errno;
	else
		execvp(command[0], command);
	error = error ? error : errno;
	written = write(pipe_end, &error, sizeof(error));
	(void)written;
	_exit(RECORD_NOT_FOUND);
}

/* The errno of a failed exec; 0 when a successful one closed the pipe. */
static int read_error(int pipe_end)
{
	ssize_t got;
	int error = 0;

	do {
		got = read(pipe_end, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(error) ? error : 0;
}

int record_run(char **command, int input, int output, bool samples_only, pid_t *ret_pid)
{
	struct record_signals signals;
	int ends[2], error;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	record_signals_take(&signals);
	pid = fork();
	error = errno;
	if (pid == 0)
		become(command, input, output, samples_only, &signals, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		error = read_error(ends[0]);
		record_signals_pass_on(pid);
	}
	close(ends[0]);
	record_signals_give_back(&signals);
	if (error && pid > 0)
		(void)record_reap(pid);
	*ret_pid = pid;
	return -error;
}

int record_reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void record_end_like(int status)
{
	const struct rlimit no_core = {0, 0};
	sigset_t only;
	int number;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	number = WTERMSIG(status);
	fflush(NULL);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	exit(128 + number); /* a signal that does not end processes by default */
}
