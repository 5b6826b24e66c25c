/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libnvidia-ml.so.1 that says what a file tells it to: lines "DEVICE PID
 *                LIST BYTES PERCENT", LIST c (computes) or g (draws), BYTES -1 for not
 *                known, PERCENT -1 for no sample of utilisation.
 * Runs on:       the collector, whose environment the tests' wrapper sets.
 *
 * VERSION is that of the process lists: 1 has two members, 2 and 3 have four. With
 * STAND_IN_HANG the driver never answers, with STAND_IN_SLOW=N a list takes N ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEVICES 2
#define OK 0
#define NO_ROOM 7
#define NOT_FOUND 6

#if VERSION == 1
#define LIST(what) nvmlDeviceGet##what##RunningProcesses
#elif VERSION == 2
#define LIST(what) nvmlDeviceGet##what##RunningProcesses_v2
#else
#define LIST(what) nvmlDeviceGet##what##RunningProcesses_v3
#endif

struct info {
	unsigned int pid;
	unsigned long long bytes;
#if VERSION > 1
	unsigned int gpu_instance, compute_instance;
#endif
};

struct sample {
	unsigned int pid;
	unsigned long long time_us;
	unsigned int multiprocessors, memory, encoder, decoder;
};

struct line {
	int device, pid, percent;
	char list;
	long long bytes;
};

int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned int *ret);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **ret);
int LIST(Compute)(void *device, unsigned int *count, struct info *ret);
int LIST(Graphics)(void *device, unsigned int *count, struct info *ret);
int nvmlDeviceGetProcessUtilization(void *device, struct sample *ret, unsigned int *count,
				    unsigned long long since_us);

static char devices[DEVICES];

int nvmlInit_v2(void)
{
	if (getenv("STAND_IN_HANG"))
		pause();
	return OK;
}

int nvmlDeviceGetCount_v2(unsigned int *ret)
{
	*ret = DEVICES;
	return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **ret)
{
	*ret = &devices[index];
	return OK;
}

static size_t read_lines(void *device, struct line *ret, size_t limit)
{
	const char *name = getenv("STAND_IN_FILE");
	FILE *file = name ? fopen(name, "r") : NULL;
	size_t count = 0;

	while (file && count < limit &&
	       fscanf(file, "%d %d %c %lld %d", &ret[count].device, &ret[count].pid,
		      &ret[count].list, &ret[count].bytes, &ret[count].percent) == 5)
		count += &devices[ret[count].device] == (char *)device;
	if (file)
		fclose(file);
	return count;
}

static int list(void *device, char which, unsigned int *count, struct info *ret)
{
	struct line lines[64];
	size_t line_count = read_lines(device, lines, 64), kept = 0;
	const char *slow = getenv("STAND_IN_SLOW");

	if (slow)
		usleep((useconds_t)atoi(slow) * 1000);
	for (size_t i = 0; i < line_count; i++) {
		if (lines[i].list != which)
			continue;
		if (kept == *count)
			return NO_ROOM;
		memset(&ret[kept], 0, sizeof(ret[kept]));
		ret[kept].pid = (unsigned int)lines[i].pid;
		ret[kept++].bytes = (unsigned long long)lines[i].bytes;
	}
	*count = (unsigned int)kept;
	return OK;
}

int LIST(Compute)(void *device, unsigned int *count, struct info *ret)
{
	return list(device, 'c', count, ret);
}

int LIST(Graphics)(void *device, unsigned int *count, struct info *ret)
{
	return list(device, 'g', count, ret);
}

int nvmlDeviceGetProcessUtilization(void *device, struct sample *ret, unsigned int *count,
				    unsigned long long since_us)
{
	unsigned long long now_us = (unsigned long long)time(NULL) * 1000000;
	struct line lines[64];
	size_t line_count = read_lines(device, lines, 64), kept = 0;

	(void)since_us;
	for (size_t i = 0; i < line_count; i++) {
		if (lines[i].percent < 0)
			continue;
		if (kept == *count)
			return NO_ROOM;
		ret[kept] = (struct sample){.pid = (unsigned int)lines[i].pid,
					    .time_us = now_us,
					    .multiprocessors =
						    (unsigned int)lines[i].percent};
		kept++;
	}
	*count = (unsigned int)kept;
	return kept ? OK : NOT_FOUND;
}
