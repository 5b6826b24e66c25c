/* SPDX-License-Identifier: MIT */
/*
 * The kernel's samples of other processes: a ring for each CPU, and the events of
 * processes that write into them. Runs on: the collector's main thread. Must not wait.
 *
 * An event of a process is one for each of its threads and each CPU, as an event that
 * children inherit has no ring of its own but on one CPU. Threads and children of
 * these threads are sampled from their first instruction on, whoever else knows of them;
 * what they execute is not: that is another program, which may have hooks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct outside_rings {
	struct outside_ring *all; /* owned */
	size_t count;
	int is_open;
};

/* The events of a process. All zero is none. */
struct outside_events {
	uint64_t *ids; /* owned, ascending; of records */
	int *fds;      /* owned, as many */
	size_t count;
};

/* Opens the rings, once. page_count: a power of two, fewer when the user may have no
 * more. 0 or -errno. There is no end: the process ends with it. */
int events_open_rings(struct outside_rings *rings, uint32_t page_count);

/* Begins to sample the threads that the process has as well, at one sample a period. 0 or
 * -errno (-ESRCH: it is gone); events_detach() in any case. */
int events_attach(struct outside_events *events, const struct outside_rings *rings,
		  int32_t pid, uint64_t period_ns);
/* From here on the threads that were there at the beginning have this period. */
void events_change_period(const struct outside_events *events, uint64_t period_ns);
int events_has(const struct outside_events *events, uint64_t id);
void events_detach(struct outside_events *events);

struct outside_record {
	uint64_t id; /* of the event */
	uint64_t address;
	uint64_t period_ns;
	int32_t pid;
	uint64_t lost_count; /* if not 0, it is about those, and nothing else */
};

/* Hands over each record that has come since, and makes room for others. */
void events_read(struct outside_rings *rings,
		 void (*take)(void *context, const struct outside_record *record),
		 void *context);
