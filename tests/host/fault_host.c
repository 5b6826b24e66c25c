/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that says everything it can see of the state that it was
 *                started in and has at its end, and makes known numbers of calls, paths,
 *                allocations, threads and children in between: STEPS calls of step(),
 *                GROWS of grow(), BLOCKS allocations in block() (see faults.py).
 */
#include "growing.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNHOOKED __attribute__((no_instrument_function))
#define THREADS 3

extern char **environ;

ALONE static void step(void)
{
	sum++;
}

ALONE static void block(size_t size)
{
	void *memory = malloc(opaque(size));

	keep(memory);
	free(memory);
}

UNHOOKED static void say_signals(void)
{
	struct sigaction action;
	sigset_t mask, pending;
	int blocked = 0, waiting = 0, handled = 0;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	for (int i = 1; i < 65; i++) {
		blocked += sigismember(&mask, i) == 1;
		waiting += sigismember(&pending, i) == 1;
		if (sigaction(i, NULL, &action) == 0)
			handled += action.sa_handler != SIG_DFL;
	}
	printf("signals: %d blocked, %d pending, %d handled\n", blocked, waiting,
	       handled);
}

UNHOOKED static void say_descriptors(void)
{
	printf("descriptors:");
	for (int i = 0; i < 256; i++)
		if (fcntl(i, F_GETFD) >= 0)
			printf(" %d", i);
	printf("\n");
}

UNHOOKED static void say_state(const char *when)
{
	char directory[4096];
	mode_t mask = umask(0);
	int variables = 0, others = 0;

	umask(mask);
	for (char **at = environ; *at; at++) {
		if (strncmp(*at, "PROFSHIM_", 9) != 0 &&
		    strncmp(*at, "LD_PRELOAD=", 11) != 0)
			variables++;
	}
	others = waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD;
	printf("%s: umask %o, %d variables, in %s, %s\n", when, (unsigned)mask, variables,
	       getcwd(directory, sizeof(directory)) ? directory : "nowhere",
	       others ? "no children" : "CHILDREN");
	say_signals();
	say_descriptors();
	fflush(stdout);
}

ALONE static void *thread_work(void *argument)
{
	for (int i = 0; i < 100; i++)
		step();
	block(50);
	return argument;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_work, NULL))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void run_child(void)
{
	int pid = fork(), status = 0;

	if (pid == 0) {
		for (int i = 0; i < 50; i++)
			step();
		block(70);
		_exit(3);
	}
	if (waitpid(pid, &status, 0) != pid)
		status = -1;
	printf("child: %d\n", WEXITSTATUS(status));
}

UNHOOKED static void at_end(void)
{
	say_state("end");
}

int main(int argc, char **argv)
{
	int first_errno = errno, rounds = argc > 1 ? atoi(argv[1]) : 600;

	open("/profshim-window-ends", O_RDONLY); /* see fail_calls.c */
	printf("errno %d, dlerror %s\n", first_errno, dlerror() ? "SET" : "not set");
	(void)argv;
	say_state("start");
	atexit(at_end);
	for (int i = 0; i < 1000; i++)
		step();
	for (int i = 0; i < rounds; i++)
		grow((unsigned)i, 11);
	for (int i = 0; i < 100; i++)
		block((size_t)(i + 1) * 16);
	errno = 77;
	block(1 << 20);
	printf("errno %d\n", errno);
	run_threads();
	run_child();
	fprintf(stderr, "host: done\n");
	return 7;
}
