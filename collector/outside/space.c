/* SPDX-License-Identifier: MIT */
/* /proc/PID/maps. */
#include "collector/outside/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "collector/processes/ticks.h"
#include "common/base/array.h"

#define LINE_BYTES 5120
#define RANGE_LIMIT 16384u

/* Between two looks for addresses of which the last one told nothing. */
#define LEAST_PAUSE_NS 50000000ull
#define MOST_PAUSE_NS 10000000000ull

struct outside_range {
	uint64_t start, end;
	uint64_t address; /* in the file, of start */
	uint32_t module;
};

static int by_start(const void *a, const void *b)
{
	const struct outside_range *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* "start-end r-xp offset major:minor inode   path". 0: no code of a file. */
static int read_line(char *line, struct outside_mapping *ret)
{
	unsigned long long start, end, offset, inode;
	unsigned int device_major, device_minor;
	char flags[5];
	int path_at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, flags, &offset,
		   &device_major, &device_minor, &inode, &path_at) < 7 ||
	    flags[2] != 'x' ||
	    (strcmp(line + path_at, "[vdso]") != 0 && (!inode || line[path_at] != '/')))
		return 0;
	*ret = (struct outside_mapping){.start = start,
					.end = end,
					.offset = offset,
					.device = makedev(device_major, device_minor),
					.inode = inode,
					.path = line + path_at};
	return 1;
}

static void add_range(struct outside_space *space, const struct outside_mapping *mapping,
		      const struct outside_place *place)
{
	space->ranges = array_room(space->ranges, space->count, sizeof(*space->ranges));
	space->ranges[space->count++] = (struct outside_range){
		mapping->start, mapping->end, place->address, place->module};
}

void space_look(struct outside_space *space, struct outside_objects *objects,
		struct cpu_book *book, int32_t pid)
{
	char path[64], line[LINE_BYTES];
	struct outside_mapping mapping;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return; /* it is gone: what was known of it holds */
	free(space->ranges);
	space->ranges = NULL;
	space->count = 0;
	while (space->count < RANGE_LIMIT && fgets(line, sizeof(line), file)) {
		struct outside_place place;

		if (!read_line(line, &mapping))
			continue;
		place = object_place(objects, book, &mapping);
		space->has_hooks |= place.has_hooks;
		add_range(space, &mapping, &place);
	}
	fclose(file);
	if (space->count)
		qsort(space->ranges, space->count, sizeof(*space->ranges), by_start);
}

static const struct outside_range *range_of(const struct outside_space *space,
					    uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < space->count && space->ranges[low].start <= address
		       ? &space->ranges[low]
		       : NULL;
}

static const struct outside_range *look_again(struct outside_space *space,
					      struct outside_objects *objects,
					      struct cpu_book *book, int32_t pid,
					      uint64_t address)
{
	uint64_t now_ns = ticks_monotonic_ns();
	const struct outside_range *range;

	if (now_ns < space->next_ns)
		return NULL;
	space_look(space, objects, book, pid);
	range = range_of(space, address);
	space->pause_ns = range ? 0 : 2 * space->pause_ns;
	if (space->pause_ns < LEAST_PAUSE_NS)
		space->pause_ns = LEAST_PAUSE_NS;
	if (space->pause_ns > MOST_PAUSE_NS)
		space->pause_ns = MOST_PAUSE_NS;
	space->next_ns = now_ns + space->pause_ns;
	return range;
}

uint32_t space_find(struct outside_space *space, struct outside_objects *objects,
		    struct cpu_book *book, int32_t pid, uint64_t address,
		    uint64_t *ret_address)
{
	const struct outside_range *range = range_of(space, address);

	if (!range)
		range = look_again(space, objects, book, pid, address);
	*ret_address = range ? address - range->start + range->address : 0;
	return range ? range->module : CPU_BOOK_NO_MODULE;
}

void space_done(struct outside_space *space)
{
	free(space->ranges);
	*space = (struct outside_space){.count = 0};
}
