/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a server of root's whose worker becomes nobody in one of the ways that
 *                servers have, and works on: threads, a child, allocations, a region, a
 *                snapshot. usage: server
 *                plain|jail|syscall|reuid|busy|vfork|temporary|unseen
 *
 * work() is called 1,000 times before, 1,000 in the worker's first thread, 1,000 in its
 * second, 500 in its child, and 1,000 by the server afterwards.
 */
#include "../programs/truth.h"
#include "profshim.h"
#include <grp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static volatile unsigned sum;
static volatile int is_over;

ALONE static void work(void)
{
	sum++;
}

ALONE static void work_often(int times)
{
	while (times-- > 0)
		work();
	keep(malloc(opaque(100)));
}

ALONE static void *second_thread(void *argument)
{
	work_often(1000);
	return argument;
}

ALONE static void *busy_thread(void *argument)
{
	second_thread(argument);
	while (!is_over)
		usleep(1000);
	return argument;
}

/* As a runtime of its own does, Go's for one; long enough to be looked at. */
static int change_unseen(void)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_setuid), "D"((long)NOBODY)
			 : "rcx", "r11", "memory");
	usleep(700000);
	return result != 0;
}

static int become_nobody(const char *how)
{
	int pid, status;

	if (!strcmp(how, "vfork")) {
		pid = vfork();
		if (pid == 0)
			_exit(setuid(NOBODY) ? 1 : 0);
		return waitpid(pid, &status, 0) != pid || status;
	}
	if (!strcmp(how, "temporary"))
		return seteuid(NOBODY) || seteuid(0);
	if (!strcmp(how, "syscall"))
		return syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) != 0;
	if (!strcmp(how, "unseen"))
		return change_unseen();
	if (setgroups(0, NULL) || setgid(NOBODY))
		return 1;
	if (!strcmp(how, "jail") && (chroot("/var") || chdir("/")))
		return 1;
	return !strcmp(how, "reuid") ? setreuid(NOBODY, NOBODY) : setuid(NOBODY);
}

static int be_worker(const char *how)
{
	int is_busy = !strcmp(how, "busy"), pid, status;
	pthread_t thread;

	if (is_busy && pthread_create(&thread, NULL, busy_thread, NULL))
		return 1;
	if (become_nobody(how))
		return 2;
	profshim_region_begin("server", "request");
	work_often(1000);
	profshim_region_end("server", "request");
	profshim_snapshot("worker");
	if (!is_busy && pthread_create(&thread, NULL, second_thread, NULL))
		return 3;
	is_over = 1;
	pthread_join(thread, NULL);
	pid = fork();
	if (pid == 0) {
		work_often(500);
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || status;
}

int main(int argc, char **argv)
{
	int pid, status;

	if (argc < 2)
		return 2;
	profshim_region_begin("server", "start");
	work_often(1000);
	pid = fork();
	if (pid == 0)
		exit(be_worker(argv[1]));
	if (waitpid(pid, &status, 0) != pid || status)
		return 3;
	work_often(1000);
	profshim_region_end("server", "start");
	profshim_snapshot("server");
	return 0;
}
