/* SPDX-License-Identifier: MIT */
/*
 * Samples the programs of a run that have no hooks. Runs on: the collector's main
 * thread. Must not sample a program that has hooks: its threads sample themselves, and
 * know the call path.
 *
 * A program is a process from its exec on, with what it forks. When it is some ms old
 * and nothing that it has mapped calls hooks, its threads get events, and
 * what has come is added to the book at each look. When something with hooks turns up
 * later, the events are closed. Samples take no more than 2 % of what the program
 * computes: where its threads are switched so often that a timer set anew each time would
 * cost more, they come slowly, or not at all (common/sampling_event.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/live/sampling.h"
#include "collector/processes/cpu_book.h"
#include "collector/watch/stacks.h"
#include "collector/watch/table.h"

/*
 * The kernel's samples: a ring for each CPU, and the events of processes that write into
 * them. An event of a process is one for each of its threads and each CPU, as an event
 * that children inherit has no ring of its own but on one CPU. Threads and children of
 * these threads are sampled from their first instruction on, whoever else knows of them;
 * what they execute is not: that is another program, which may have hooks.
 */

struct outside_rings {
	struct outside_ring *all; /* owned */
	size_t count;
	uint32_t stack_bytes; /* in each record; 0: there is none in any */
	int is_open;
};

/* The events of a process. All zero is none. */
struct outside_events {
	uint64_t *ids; /* owned, ascending; of records */
	int *fds;      /* owned, as many */
	int32_t *tids; /* likewise: whose they are, and not what these have begun */
	size_t count;
	uint64_t period_ns; /* of these threads, now */
};

/* Opens the rings, once. page_count: a power of two, fewer when the user may have no
 * more. 0 or -errno. There is no end: the process ends with it. */
int events_open_rings(struct outside_rings *rings, uint32_t page_count);

/* The same for records with stacks, as long as there is room for. -ENOMEM: for none. */
int events_open_stack_rings(struct outside_rings *rings, uint32_t page_count);

/* Begins to sample the threads that the process has as well, at one sample a period. 0 or
 * -errno (-ESRCH: it is gone); events_detach() in any case. */
int events_attach(struct outside_events *events, const struct outside_rings *rings,
		  int32_t pid, uint64_t period_ns);
/* From here on the threads that were there at the beginning have this period. */
void events_change_period(struct outside_events *events, uint64_t period_ns);
int events_has(const struct outside_events *events, uint64_t id);

void events_detach(struct outside_events *events);

struct outside_record {
	uint64_t id; /* of the event */
	uint64_t address;
	uint64_t period_ns; /* that its event was opened with, or inherited */
	int32_t pid, tid;
	uint64_t lost_count; /* if not 0, it is about those, and nothing else */
	/* until the next one is handed over */
	const struct outside_ring *ring;
	uint64_t at, bytes;
};

/* Copies what a record of rings with stacks has; false: it has nothing. */
bool events_copy_stack(const struct outside_record *record, struct stack_dump *ret);

/* What a record of these events stands for: the kernel goes on telling the period that an
 * event began with. */
uint64_t events_period(const struct outside_events *events,
		       const struct outside_record *record);

/* Hands over each record that has come since, and makes room for others. */
void events_read(struct outside_rings *rings,
		 void (*take)(void *context, const struct outside_record *record),
		 void *context);

/* What there is to know of a file that a process has mapped, once for all processes. The
 * file is not believed. */
struct outside_objects {
	int64_t begin_s; /* since the epoch, when the first process was there */
	struct outside_object *all; /* owned */
	size_t count;
	struct map map; /* by device and inode */
};

/* Which file is mapped where in a process and the children that it has forked. /proc is
 * not looked at without end: code that a program makes as it runs is in no file. */
struct outside_space {
	struct outside_range *ranges; /* owned, by start */
	size_t count;
	int has_hooks;	   /* something that is mapped calls them */
	uint64_t pause_ns; /* until an unknown address is worth another look */
	uint64_t next_ns;
};

/* Looks at what a process has mapped now. */
void space_look(struct outside_space *space, struct outside_objects *objects,
		struct cpu_book *book, int32_t pid);

/* Where an address of a process is, after another look at it when that is due. */
uint32_t space_find(struct outside_space *space, struct outside_objects *objects,
		    struct cpu_book *book, int32_t pid, uint64_t address,
		    uint64_t *ret_address);

/* The same without that look. */
uint32_t space_known(const struct outside_space *space, uint64_t address,
		     uint64_t *ret_address);

void space_done(struct outside_space *space);

struct outside {
	struct cpu_book book;
	struct outside_objects objects;
	struct outside_rings rings, stack_rings;
	struct outside_stacks *stacks; /* owned: to be walked; NULL: none so far */
	struct stack_walker walker;
	struct outside_program *programs; /* owned */
	size_t program_count;
	uint64_t next_ns, next_write_ns, written_count;
	uint32_t round;
	uint32_t random;
	int is_waiting; /* a process is not old enough yet */
	int has_told;	/* who waits for samples that they have begun */
};

/* All of the memory is zero before. */
void outside_begin(struct outside *outside);

/* Looks for programs to sample, and takes what has come. */
void outside_update(struct outside *outside, struct watch *watch,
		    const struct sampling *sampling);

/* Takes what has come: the run is about to be stored. */
void outside_drain(struct outside *outside);
/* Ends what has been started. */
void outside_end(struct outside *outside);

/* The first program of the run is to be sampled soon: a short one is over when a look is
 * put off. */
int outside_is_urgent(const struct outside *outside);

/* How long until there is something to do, ns: at most this. */
uint64_t outside_wait_ns(const struct outside *outside, uint64_t most_ns);
