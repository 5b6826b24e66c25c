/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that uses regions, steps and counters where things end or
 *                run out. usage: marks WAY [FILE]; see marks.py for what each way expects.
 */
#include "../programs/truth.h"
#include "filters.h"
#include "profshim.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 8
#define THREADS 4

static volatile unsigned sum;
static pthread_barrier_t
	all_threads; /* one that has ended leaves its names to the next */

ALONE static void work(void)
{
	sum++;
}

ALONE static void turn(const char *name)
{
	profshim_region_begin("app", name);
	profshim_step(name);
	profshim_counter(name, 1);
	work();
	profshim_region_end("app", name);
}

UNTRACED void turns(const char *prefix, int first, int count)
{
	char name[64];

	for (int i = first; i < first + count; i++) {
		snprintf(name, sizeof(name), "%s %d", prefix, i);
		turn(name);
	}
}

static int is_late;

/* The image that was executed has its own names and its own series. */
ALONE static int run_exec(char **argv)
{
	profshim_region_begin("app", "executing");
	turn("before");
	execl(argv[0], argv[0], "executed", NULL);
	return 1;
}

ALONE static int run_executed(void)
{
	turn("before");
	turn("after");
	return 0;
}

/* Each thread of each child has 20 names of its own and 20 that all have. */
static void *add_names(void *argument)
{
	char prefix[32];

	pthread_barrier_wait(&all_threads);
	snprintf(prefix, sizeof(prefix), "own %d", (int)(intptr_t)argument);
	turns(prefix, 0, 20);
	turns("shared", 0, 20);
	return NULL;
}

UNTRACED void be_child(int number, void *(*start)(void *))
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&all_threads, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, start,
				   (void *)(number * THREADS + i)))
			_exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

ALONE static int run_children(void *(*start)(void *))
{
	int status, failed = 0;

	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			be_child(i, start);
	while (wait(&status) > 0)
		failed += status != 0;
	return failed;
}

static void *fill_names(void *argument)
{
	char prefix[32];

	pthread_barrier_wait(&all_threads);
	snprintf(prefix, sizeof(prefix), "name %d", (int)(intptr_t)argument);
	turns(prefix, 0, 60);
	return NULL;
}

ALONE static int run_killed(void)
{
	int status;

	if (fork() == 0) {
		turn("turn");
		profshim_region_begin("app", "killed");
		work();
		kill(getpid(), SIGKILL);
	}
	wait(&status);
	turn("turn");
	return WTERMSIG(status) != SIGKILL;
}

/* A child that borrows the memory, and its parent's names with it. */
ALONE static int run_vfork(void)
{
	int status;

	for (int i = 0; i < 10; i++) {
		turn("turn");
		if (vfork() == 0) {
			turn("turn");
			profshim_region_begin("app", "borrowed");
			_exit(3);
		}
		wait(&status);
		work();
	}
	return 0;
}

/* Two libraries, in turns at the same addresses, with names of the same length. */
ALONE static int run_libraries(char **paths)
{
	void *last = NULL;
	int shared = 0;

	for (int i = 0; i < 200; i++) {
		void *library = dlopen(paths[i % 2], RTLD_NOW);
		void (*mark)(void);

		if (!library)
			return 1;
		mark = (void (*)(void))(uintptr_t)dlsym(library, "mark");
		shared += (void *)mark == last;
		last = (void *)mark;
		mark();
		dlclose(library);
	}
	printf("addresses are %s\n", shared ? "used again" : "new");
	return 0;
}

/* Kills for all that a recording grows by. */
UNTRACED int sandbox(void)
{
	static const int allowed[] = {
		SYS_read, SYS_write,  SYS_exit,	 SYS_exit_group,   SYS_brk,
		SYS_mmap, SYS_munmap, SYS_futex, SYS_rt_sigreturn, SYS_rt_sigprocmask};

	return filters_install(allowed, sizeof(allowed) / sizeof(*allowed),
			       SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0);
}

ALONE static int run_sealed(void)
{
	if (!is_late)
		turn("known");
	work();
	printf("sealed\n");
	fflush(stdout);
	if (sandbox())
		return 1;
	for (int i = 0; i < 10; i++) {
		turn("known");
		turns("new", 0, 40);
	}
	return 0;
}

/* Takes all the room there is. */
ALONE static int run_filled(const char *path)
{
	static char zeros[1 << 16];
	int file;

	turn("known");
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (size_t size = sizeof(zeros); size; size /= 2)
		while (write(file, zeros, size) > 0)
			;
	close(file);
	for (int i = 0; i < 10; i++) {
		turn("known");
		turns("new", 0, 40);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (!strcmp(way, "exec"))
		return run_exec(argv);
	if (!strcmp(way, "executed"))
		return run_executed();
	if (!strcmp(way, "children"))
		return run_children(add_names);
	if (!strcmp(way, "full"))
		return run_children(fill_names);
	if (!strcmp(way, "killed"))
		return run_killed();
	if (!strcmp(way, "vfork"))
		return run_vfork();
	if (!strcmp(way, "libraries"))
		return run_libraries(argv + 2);
	is_late = !strcmp(way, "sealed-early");
	if (is_late || !strcmp(way, "sealed"))
		return run_sealed();
	if (!strcmp(way, "filled"))
		return run_filled(argv[2]);
	return 2;
}
