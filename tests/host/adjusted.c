/* SPDX-License-Identifier: MIT */
/*
 * Does what it is told, line by line, while somebody changes how it is recorded:
 *
 *     tiny N, other N, deep N   calls them so often
 *     nudge                     calls nudge() for a tenth of a second
 *     inside N                  is in holder() for the next N lines
 *     fork                      a child goes on with the lines, up to "end"
 *     thread N                  another thread calls tiny() so often, and other() once
 *     crowd N                   four threads call tiny() so often, and other() at times
 *     end
 *
 * Each line is answered by one. The counts at the end are what the bodies counted, of the
 * process and its children.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static struct counts {
	long tiny, other, deep, holder;
} * counts;

static volatile int sink;

__attribute__((noinline)) static void tiny(void)
{
	__atomic_fetch_add(&counts->tiny, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void other(void)
{
	__atomic_fetch_add(&counts->other, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 20; i++)
		sink += i;
}

__attribute__((noinline)) static int deep(int depth)
{
	__atomic_fetch_add(&counts->deep, 1, __ATOMIC_RELAXED);
	return depth > 1 ? deep(depth - 1) + 1 : 1;
}

__attribute__((noinline)) static void nudge(void)
{
	sink++;
}

PLAIN static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

PLAIN static void nudge_for_a_while(void)
{
	double end = seconds() + 0.1;

	while (seconds() < end)
		for (int i = 0; i < 100; i++)
			nudge();
}

PLAIN static void *run_thread(void *count)
{
	for (long i = 0; i < (long)count; i++)
		tiny();
	nudge_for_a_while();
	other();
	return NULL;
}

PLAIN static int obey(char *line);

PLAIN static int read_lines(long most)
{
	char line[128];

	for (long i = 0; i < most && fgets(line, sizeof(line), stdin); i++) {
		if (obey(line))
			return 1;
		puts("done");
		fflush(stdout);
	}
	return 0;
}

__attribute__((noinline)) static void holder(long lines)
{
	__atomic_fetch_add(&counts->holder, 1, __ATOMIC_RELAXED);
	read_lines(lines);
}

PLAIN static void start_thread(long count)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_thread, (void *)count);
	pthread_join(thread, NULL);
}

PLAIN static void *run_in_crowd(void *count)
{
	for (long i = 0; i < (long)count; i++) {
		tiny();
		if (i % 64 == 0)
			other();
	}
	return NULL;
}

PLAIN static void start_crowd(long count)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_in_crowd, (void *)count);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

PLAIN static void start_child(void)
{
	if (fork() == 0) {
		puts("forked");
		fflush(stdout);
		read_lines(1000);
		_exit(0);
	}
	wait(NULL);
}

PLAIN static int obey(char *line)
{
	char *space = strchr(line, ' ');
	long count = space ? atol(space) : 0;

	if (!strncmp(line, "tiny", 4))
		for (long i = 0; i < count; i++)
			tiny();
	else if (!strncmp(line, "other", 5))
		for (long i = 0; i < count; i++)
			other();
	else if (!strncmp(line, "deep", 4))
		deep((int)count);
	else if (!strncmp(line, "nudge", 5))
		nudge_for_a_while();
	else if (!strncmp(line, "inside", 6))
		holder(count);
	else if (!strncmp(line, "thread", 6))
		start_thread(count);
	else if (!strncmp(line, "crowd", 5))
		start_crowd(count);
	else if (!strncmp(line, "fork", 4))
		start_child();
	return !strncmp(line, "end", 3);
}

int main(void)
{
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	read_lines(100000);
	printf("tiny %ld\nother %ld\ndeep %ld\nholder %ld\n", counts->tiny, counts->other,
	       counts->deep, counts->holder);
	return 0;
}
