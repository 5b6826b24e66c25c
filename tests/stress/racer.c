/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that ends in the middle of everything: threads call, allocate,
 *                fork and create threads while the process exits in one way or another.
 *                usage: racer HOW MICROSECONDS
 * Runs on:       tests, with and without the shim.
 * See also:      tests/stress/races.py, which knows how each way ends
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 3
#define SHELVES 32

static _Atomic(void *) shelves[SHELVES];
static atomic_int is_over;
static volatile int *volatile nowhere;

__attribute__((noinline)) static void step(unsigned number)
{
	free(atomic_exchange(&shelves[number % SHELVES], malloc(10 + number % 1000)));
}

__attribute__((noinline)) static void nest(unsigned depth)
{
	step(depth * 7);
	if (depth)
		nest(depth - 1);
}

static void *work(void *unused)
{
	while (!atomic_load(&is_over))
		nest(20);
	return unused;
}

static void *brief(void *unused)
{
	nest(3);
	return unused;
}

static void *create(void *unused)
{
	pthread_t thread;

	while (!atomic_load(&is_over)) {
		if (pthread_create(&thread, NULL, brief, NULL) == 0)
			pthread_join(thread, NULL);
	}
	return unused;
}

/* Children that allocate, and end in two ways. */
static void *breed(void *unused)
{
	int status, count = 0;
	pid_t child;

	while (!atomic_load(&is_over)) {
		child = fork();
		if (child == 0) {
			nest(5);
			if (++count % 2)
				_exit(0);
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		if (child > 0 && (waitpid(child, &status, 0) != child || status))
			abort();
		count++;
	}
	return unused;
}

static void start(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) || pthread_detach(thread))
		_exit(99);
}

static void exit_in_handler(int signal)
{
	_exit(40 + (signal == SIGALRM));
}

static void call_in_handler(int signal)
{
	(void)signal;
}

static void *exit_later(void *microseconds)
{
	usleep((useconds_t)(uintptr_t)microseconds);
	exit(7);
}

static void every(int which, unsigned microseconds)
{
	struct itimerval timer = {{0, microseconds}, {0, microseconds}};

	setitimer(which, &timer, NULL);
}

int main(int argc, char **argv)
{
	unsigned microseconds = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	const char *how = argc == 3 ? argv[1] : "";
	pthread_t thread;

	for (int i = 0; i < WORKERS; i++)
		start(work);
	start(create);
	start(breed);
	if (strcmp(how, "handler") == 0) {
		signal(SIGALRM, exit_in_handler);
		every(ITIMER_REAL, microseconds + 1);
		for (;;)
			nest(20);
	}
	if (strcmp(how, "storm") == 0) {
		signal(SIGPROF, call_in_handler);
		every(ITIMER_PROF, 100);
	}
	if (strcmp(how, "leave") == 0) {
		if (pthread_create(&thread, NULL, exit_later,
				   (void *)(uintptr_t)microseconds))
			return 99;
		pthread_exit(NULL);
	}
	usleep(microseconds);
	if (strcmp(how, "exit") == 0)
		exit(5);
	if (strcmp(how, "_exit") == 0)
		_exit(6);
	if (strcmp(how, "quick") == 0)
		quick_exit(8);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "crash") == 0)
		*nowhere = 1;
	return strcmp(how, "return") == 0 || strcmp(how, "storm") == 0 ? 3 : 98;
}
