/* SPDX-License-Identifier: MIT */
/* Children made in every way, that end in every way: families KIND. Prints what wait()
 * tells; every child calls step() as often as its kind says. */
#include "truth.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;
static char clone_stack[256 << 10] __attribute__((aligned(64)));
static char *program[] = {"/bin/true", NULL}, *missing[] = {"/nonexistent", NULL};

ALONE static void step(void)
{
	sum++;
}

static void reap(const char *title, int pid, int flags)
{
	int status = 0, result = waitpid(pid, &status, flags);

	printf("%s: %d %s %d%s\n", title, result == pid,
	       WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	       WIFSIGNALED(status) && WCOREDUMP(status) ? " core" : "");
	fflush(stdout);
}

ALONE static void die(int number)
{
	step();
	kill(getpid(), number);
	pause();
}

/* Each signal that kills, in a child that is in the midst of a call. */
static void signals(void)
{
	const int numbers[] = {SIGHUP,	  SIGINT,  SIGQUIT,   SIGILL,	SIGTRAP,
			       SIGABRT,	  SIGBUS,  SIGFPE,    SIGKILL,	SIGSEGV,
			       SIGPIPE,	  SIGALRM, SIGTERM,   SIGUSR1,	SIGUSR2,
			       SIGIO,	  SIGPWR,  SIGSTKFLT, SIGXCPU,	SIGXFSZ,
			       SIGVTALRM, SIGPROF, SIGSYS,    SIGRTMIN, SIGRTMAX};
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};

	setrlimit(RLIMIT_CORE, &all);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		int pid = fork();

		if (pid == 0)
			die(numbers[i]);
		reap("signal", pid, 0);
	}
}

/* The ways to end without destructors, and with them. */
static void ends(void)
{
	for (int i = 0; i < 6; i++) {
		int pid = fork();

		if (pid == 0) {
			step();
			if (i == 0)
				_exit(10);
			if (i == 1)
				_Exit(11);
			if (i == 2)
				quick_exit(12);
			if (i == 3)
				abort();
			if (i == 4)
				syscall(SYS_exit_group, 14);
			exit(15);
		}
		reap("end", pid, 0);
	}
}

/* A vfork child's doings leave the parent's calls and frames as they were. */
ALONE static void borrow(int way)
{
	int pid = vfork();

	if (pid == 0) {
		if (way == 0)
			_exit(3);
		if (way == 1)
			execv(missing[0], missing);
		if (way == 2)
			execv(program[0], program);
		if (way == 3)
			execve(program[0], program, NULL);
		_exit(errno);
	}
	step();
	reap("vfork", pid, 0);
}

static void vforks(void)
{
	for (int i = 0; i < 12; i++)
		borrow(i % 4);
	step();
}

static int child_of_clone(void *argument)
{
	int way = (int)(intptr_t)argument;

	if (way == 1)
		execv(missing[0], missing);
	if (way == 2)
		execve(program[0], program, NULL);
	_exit(6);
}

/* clone() like vfork, with a stack of its own; and by system call, like fork. */
static void clones(void)
{
	int pid;

	for (int i = 0; i < 3; i++) {
		pid = clone(child_of_clone, clone_stack + sizeof(clone_stack),
			    CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)(intptr_t)i);
		step();
		reap("clone", pid, 0);
	}
	for (int i = 0; i < 10; i++) {
		pid = i < 5 ? (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : _Fork();
		if (pid == 0) {
			step();
			keep(malloc(opaque(100)));
			_exit(7);
		}
		reap("like fork", pid, 0);
	}
	/* without an exit signal it is seen by __WCLONE only */
	pid = (int)syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0) {
		step();
		_exit(8);
	}
	printf("plain wait: %d\n", waitpid(pid, NULL, 0) == -1);
	reap("quiet", pid, __WCLONE);
}

/* Until somebody has made a file of this name with a '+' behind it. */
static __attribute__((no_instrument_function)) void wait_for(const char *name)
{
	char gate[4096];

	snprintf(gate, sizeof(gate), "%s+", name);
	while (access(gate, F_OK) != 0)
		usleep(10000);
}

/* A grandchild that nobody waits for, and that outlives both. */
static void twice(const char *marker)
{
	int pid = fork();

	if (pid == 0) {
		pid = fork();
		if (pid == 0) {
			setsid();
			step();
			for (int i = 0; i < 3; i++) /* who reads them waits for the end */
				close(i);
			wait_for(marker);
			step();
			if (creat(marker, 0600) < 0)
				_exit(1);
			_exit(9);
		}
		step();
		_exit(0);
	}
	reap("between", pid, 0);
}

/* Five hundred at once: all are started before the first is waited for. */
static void crowd(void)
{
	static int pids[500];
	int right = 0, status;

	for (int i = 0; i < 500; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			step();
			_exit(i % 100);
		}
	}
	for (int i = 0; i < 500; i++)
		right += waitpid(pids[i], &status, 0) == pids[i] &&
			 WEXITSTATUS(status) == i % 100;
	printf("crowd: %d\n", right);
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 2)
		return 1;
	if (!strcmp(argv[1], "signals"))
		signals();
	else if (!strcmp(argv[1], "ends"))
		ends();
	else if (!strcmp(argv[1], "vforks"))
		vforks();
	else if (!strcmp(argv[1], "clones"))
		clones();
	else if (!strcmp(argv[1], "twice"))
		twice(argv[2]);
	else
		crowd();
	return waitpid(-1, &status, __WALL) == -1 && errno == ECHILD ? 0 : 2;
}
