/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that locks its memory, and then makes a recording grow. Says on
 *                standard output what the calls answered and on standard error how much is
 *                locked at the end, and how much address space a core file would hold.
 *                usage: locks HOW, see main()
 * Must not:      print anything that differs from run to run on standard output.
 * See also:      sandboxes.py, which knows how often each function is called
 */
#include "../programs/truth.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void grow(unsigned path, unsigned levels)
{
	sum++;
	if (levels == 0)
		return;
	if (path & 1)
		grow(path >> 1, levels - 1);
	else
		grow(path >> 1, levels - 1);
}

ALONE static void *thread_work(void *argument)
{
	for (int i = 0; i < 1000; i++)
		step();
	return argument;
}

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerror(errno) : "");
}

static void say_locked(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmLck:", 6))
			fputs(line, stderr);
	if (status)
		fclose(status);
}

static void say_dumped(void)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long size = 0, sum_kib = 0;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "Size: %lu kB", &size) != 1 &&
		    !strncmp(line, "VmFlags:", 8) && !strstr(line, " dd "))
			sum_kib += size;
	}
	if (maps)
		fclose(maps);
	fprintf(stderr, "Dumped: %lu kB\n", sum_kib);
}

static void lock(const char *how)
{
	if (!strcmp(how, "large")) { /* more than a user may lock */
		keep(mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		say("current", mlockall(MCL_CURRENT));
	} else if (!strcmp(how, "current") || !strcmp(how, "unlocked")) {
		keep(mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		say("current", mlockall(MCL_CURRENT));
	} else if (!strcmp(how, "future")) {
		say("future", mlockall(MCL_FUTURE));
	} else if (!strcmp(how, "both")) {
		say("both", mlockall(MCL_CURRENT | MCL_FUTURE));
	} else if (!strcmp(how, "onfault")) {
		say("on fault", mlockall(MCL_CURRENT | MCL_ONFAULT));
	} else if (!strcmp(how, "both-onfault")) {
		say("both on fault", mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT));
	} else if (!strcmp(how, "syscall")) {
		say("syscall", syscall(SYS_mlockall, MCL_CURRENT));
	} else if (!strcmp(how, "after-future")) {
		say("future", mlockall(MCL_FUTURE));
		say("current", mlockall(MCL_CURRENT));
	} else if (!strcmp(how, "nothing")) {
		say("nothing", mlockall(0));
	} else {
		say("wrong", mlockall(0x100));
	}
	if (!strcmp(how, "unlocked"))
		say("unlocked", munlockall());
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *memory;

	if (argc != 2)
		return 2;
	for (int i = 0; i < 1000; i++)
		step();
	errno = 0;
	lock(argv[1]);
	printf("errno %d\n", errno);
	for (int i = 0; i < 2000; i++)
		step();
	for (unsigned i = 0; i < 600; i++)
		grow(i, 11);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	if (pthread_create(&thread, &attributes, thread_work, NULL) == 0)
		pthread_join(thread, NULL);
	else
		thread_work(NULL);
	memory = malloc(opaque(300 << 10));
	printf("malloc: %d\n", memory != NULL);
	keep(memory);
	free(memory);
	say_locked();
	say_dumped();
	return 0;
}
