/* SPDX-License-Identifier: MIT */
/*
 * All ways to another process, out of functions that are counted: vfork, exec of the same
 * program, posix_spawn; and forks from threads beside others, while functions are
 * switched. usage: relatives [DESCRIPTOR of the tallies: a relative].
 */
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tally.h"

#define THREADS 6

enum { STEP, DEEPER, OTHER, THIRD, VFORKS, SPAWNS, FORKS };

extern char **environ;

static volatile unsigned int sink;
static volatile int is_over;
static char self[4096], descriptor[16];

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n * 5 + 1;
}

APART static unsigned int deeper(unsigned int n)
{
	TALLY(DEEPER);
	return n ? deeper(n - 1) + step(n) : 0;
}

APART static unsigned int other(unsigned int n)
{
	TALLY(OTHER);
	return n * 5 + 2;
}

APART static unsigned int third(unsigned int n)
{
	TALLY(THIRD);
	return n * 5 + 3;
}

NO_HOOKS static void expect_fine(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		abort();
}

/* The child has its parent's memory, and its counts. */
APART static void vforks(unsigned int n)
{
	char *arguments[] = {self, descriptor, NULL};
	pid_t child;

	TALLY(VFORKS);
	child = vfork();
	if (child == 0) {
		for (unsigned int i = 0; i < 500; i++)
			sink += third(i) + step(i);
		if (n % 2)
			_exit(0);
		execv(self, arguments);
		_exit(1);
	}
	expect_fine(child);
}

APART static void spawns(void)
{
	char *arguments[] = {self, descriptor, NULL};
	pid_t child;

	TALLY(SPAWNS);
	if (posix_spawn(&child, self, NULL, NULL, arguments, environ))
		abort();
	expect_fine(child);
}

APART static void forks(unsigned int n)
{
	pid_t child;

	TALLY(FORKS);
	child = fork();
	if (child == 0) {
		for (unsigned int i = 0; i < 2000; i++)
			sink += n % 2 ? other(i) : third(i);
		sink += deeper(50);
		_exit(0);
	}
	expect_fine(child);
}

APART static void work(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		sink += deeper(5) + other(i);
}

static void *run(void *argument)
{
	while (!is_over) {
		work(50);
		forks((unsigned int)(uintptr_t)argument);
	}
	return NULL;
}

NO_HOOKS static void share_tallies(int fd)
{
	tallies = (uint64_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (tallies == MAP_FAILED)
		abort();
}

int main(int argument_count, char **arguments)
{
	int fd = argument_count > 1 ? atoi(arguments[1]) : (int)fileno(tmpfile());
	uint64_t end = tally_now_ms() + 300;
	pthread_t threads[THREADS];

	if (ftruncate(fd, 4096) || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	share_tallies(fd);
	snprintf(descriptor, sizeof(descriptor), "%d", fd);
	work(3000);
	if (argument_count > 1)
		return 0;
	for (unsigned int i = 0; i < 12; i++) {
		vforks(i);
		work(300);
		spawns();
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	while (tally_now_ms() < end)
		work(100);
	is_over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	TALLY_SAY(step, STEP);
	TALLY_SAY(deeper, DEEPER);
	TALLY_SAY(other, OTHER);
	TALLY_SAY(third, THIRD);
	TALLY_SAY(vforks, VFORKS);
	TALLY_SAY(spawns, SPAWNS);
	TALLY_SAY(forks, FORKS);
	return 0;
}
