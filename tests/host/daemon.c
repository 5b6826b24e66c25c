/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that turns its back on everything it started with: closes
 *                every descriptor, leaves its directory, session, user or root, and makes
 *                1,000 calls before and 2,000 after. usage: daemon HOW MARKER
 */
#include "../programs/truth.h"
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void *thread_steps(void *argument)
{
	int i;

	for (i = 0; i < 1000; i++)
		step();
	keep(malloc(opaque(100)));
	return argument;
}

/* New call paths, a thread and a child after everything is gone. */
ALONE static void go_on(void)
{
	pthread_t thread;
	int i, pid;

	for (i = 0; i < 500; i++)
		step();
	if (pthread_create(&thread, NULL, thread_steps, NULL))
		_exit(1);
	pthread_join(thread, NULL);
	pid = fork();
	if (pid == 0) {
		for (i = 0; i < 500; i++)
			step();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void become_daemon(void)
{
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
}

static void close_all(void)
{
	if (close_range(0, ~0u, 0))
		exit(1);
	/* What daemons do next: 0, 1 and 2 are the null device. */
	if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
		exit(1);
}

static void leave_root(void)
{
	if (chroot(".") || chdir("/") || setgroups(0, NULL) || setgid(NOBODY) ||
	    setuid(NOBODY))
		exit(1);
}

int main(int argc, char **argv)
{
	int i, marker;

	if (argc < 3)
		return 2;
	marker = open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (i = 0; i < 1000; i++)
		step();
	if (!strcmp(argv[1], "daemon")) {
		become_daemon();
		close(marker);
		close_all();
		marker = open(argv[2], O_WRONLY);
	}
	if (!strcmp(argv[1], "jail"))
		leave_root();
	else if (chdir("/"))
		return 1;
	go_on();
	return marker >= 0 && write(marker, "done", 4) == 4 ? 0 : 1;
}
