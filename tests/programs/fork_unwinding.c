/* SPDX-License-Identifier: MIT */
/* Forks while other threads walk stacks for the first time and
 * while one is inside dl_iterate_phdr() (it holds the loader's): the child has locks that
 * nobody will ever release, and must allocate all the same. */
// flags: -pthread
// hooks: no
// tolerate: memory
// expect-sql: SELECT COUNT(*), SUM(complete), SUM(exit_code) FROM processes => 151|151|450
// expect-sql: SELECT SUM(s.alloc_count) FROM allocation_sites s WHERE s.name = 'last'
//     => $allocations
// expect-trust: partial_stacks => 0
#include "truth.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 150

static atomic_int stop;
static atomic_long allocations;

ALONE static void last(void)
{
	void *block = malloc(opaque(60));

	allocations++;
	keep(block);
	free(block);
}

/* Functions whose unwind information is looked up anew by every thread. */
#define LEVEL(name, next)                                                                \
	ALONE static void name(void)                                                     \
	{                                                                                \
		next();                                                                  \
		keep(&stop);                                                             \
	}

LEVEL(one, last)
LEVEL(two, one)
LEVEL(three, two)
LEVEL(four, three)
LEVEL(only_in_children, four)

ALONE static void *once(void *argument)
{
	four();
	return argument;
}

ALONE static void *start_threads(void *argument)
{
	pthread_t thread;

	while (!stop)
		if (!pthread_create(&thread, NULL, once, NULL))
			pthread_join(thread, NULL);
	return argument;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	return 0;
}

static void *iterate(void *argument)
{
	while (!stop)
		dl_iterate_phdr(look, NULL);
	return argument;
}

/* A child that hangs does so with its signals blocked. */
static int wait_for(int pid)
{
	int status;

	for (int i = 0; i < 10000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(1000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

int main(void)
{
	pthread_t threads[3];
	int pid, failed = 0;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, i ? start_threads : iterate, NULL))
			return 1;
	for (int i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (pid == 0) {
			only_in_children();
			_exit(3);
		}
		if (wait_for(pid) != 3 << 8) {
			printf("child %d is hung up or failed\n", i);
			failed = 1;
			break;
		}
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "truth: allocations=%ld\n", allocations + CHILDREN);
	return failed;
}
