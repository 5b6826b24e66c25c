/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a server whose worker gives up its privileges and then attacks it
 * through all memory that they share. usage: turncoat HOW OUTPUT LABEL WANTED
 *
 * HOW "steer": where a shared page has OUTPUT or LABEL, the worker puts WANTED, and the
 * number of a report before it. "fill": it fills with ones what it can reach of the files
 * of the recording, their other slots included, while the server goes on. The server
 * calls work() 1,000 times before and 2,000 times after, the worker 500 times.
 */
#include "../programs/truth.h"
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define SLOT_BYTES (256ul << 20)
#define SLOTS 12
#define FILLED_BYTES (128ul << 10) /* of each sixteenth of a slot */

/* Whoever has filled the recording's memory cannot be recorded any more. */
#define UNRECORDED __attribute__((no_instrument_function, noinline))

static volatile unsigned sum;

ALONE static void work(void)
{
	sum++;
}

ALONE static void work_often(int times)
{
	while (times-- > 0) {
		void *block = malloc(opaque(64));

		work();
		keep(block);
		free(block);
	}
}

/* Puts `wanted` wherever `text` is in the page. */
UNRECORDED static void replace(char *start, size_t size, const char *text,
			       const char *wanted)
{
	size_t length = strlen(text);
	char *end = start + size - 512;

	for (char *at = start + 4; at < end; at++) {
		if (*at != *text || memcmp(at, text, length) != 0)
			continue;
		memcpy(at - 4, &(unsigned){3}, 4);
		strcpy(at, wanted);
	}
}

UNRECORDED static void fill(char *start)
{
	char *reached = mremap(start, 0, SLOTS * SLOT_BYTES, MREMAP_MAYMOVE);

	if (reached == MAP_FAILED)
		return;
	for (size_t part = 0; part < 16 * SLOTS; part++)
		memset(reached + part * (SLOT_BYTES / 16), 0xff, FILLED_BYTES);
}

struct area {
	char *start;
	size_t size;
	int is_segment;
};

/* What is mapped shared of the recording, and can be written. */
UNRECORDED static int find_areas(struct area *areas, int limit)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[8192], access[8];
	unsigned long from, to;
	int count = 0;

	while (maps && count < limit && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, access) == 3 &&
		    access[1] == 'w' && access[3] == 's' && strstr(line, "-spool/"))
			areas[count++] = (struct area){(char *)from, to - from,
						       strstr(line, ".segment") != NULL};
	}
	if (maps)
		fclose(maps);
	return count;
}

UNRECORDED static void attack(char **arguments, int channel)
{
	struct area areas[64];
	int count = find_areas(areas, 64);

	for (int i = 0; i < count; i++) {
		struct area *area = &areas[i];

		if (!strcmp(arguments[1], "fill")) {
			if (area->is_segment)
				fill(area->start);
			else
				memset(area->start + 16, 0xff, area->size - 16);
		} else if (!area->is_segment) {
			replace(area->start, area->size, arguments[2], arguments[4]);
			replace(area->start, area->size, arguments[3], arguments[4]);
		}
	}
	/* hooks and wrapped calls follow what is filled now: their harm is the worker's
	 * own */
	if (syscall(SYS_write, channel, "x", 1) != 1 || !strcmp(arguments[1], "fill"))
		kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	int channel[2], status, child;
	char letter;

	if (argc < 5 || pipe(channel))
		return 2;
	work_often(1000);
	child = fork();
	if (child == 0) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(2);
		work_often(500);
		attack(argv, channel[1]);
		_exit(0);
	}
	close(channel[1]);
	if (read(channel[0], &letter, 1) != 1)
		return 4;
	work_often(2000);
	waitpid(child, &status, 0);
	return 0;
}
