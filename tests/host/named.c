/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that gives everything it can name the name in its argument, or as
 *                much of it as fits: itself, a thread, a lock that is waited for, a region, a
 *                snapshot, steps, a counter, a file. With a second argument it says that all
 *                is there, and waits for the end of its input.
 *                usage: named NAME [wait]
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../../shim/profshim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void *contend(void *name)
{
	prctl(PR_SET_NAME, name);
	pthread_mutex_lock(&lock);
	usleep(20000);
	pthread_mutex_unlock(&lock);
	return malloc(64);
}

__attribute__((noinline)) static void touch(const char *name)
{
	int file = open(name, O_RDWR | O_CREAT, 0600);

	if (file >= 0 && write(file, "x", 1) == 1)
		close(file);
}

int main(int argc, char **argv)
{
	const char *name = argv[1];
	pthread_t thread;
	void *left;

	prctl(PR_SET_NAME, name);
	profshim_region_begin(name, name);
	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, contend, argv[1]) != 0)
		return 1;
	usleep(20000);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, &left);
	touch(name);
	profshim_region_end(name, name);
	for (int i = 0; i < 50; i++) {
		profshim_step(name);
		profshim_counter(name, i);
	}
	profshim_snapshot(name);
	puts("ready");
	fflush(stdout);
	if (argc > 2)
		while (getchar() != EOF)
			;
	return 0;
}
