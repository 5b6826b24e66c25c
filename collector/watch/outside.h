/* SPDX-License-Identifier: MIT */
/*
 * Samples the programs of a run that have no hooks. Runs on: the collector's main
 * thread. Must not sample a program that has hooks: its threads sample themselves, and
 * know the call path.
 *
 * A program is a process from its exec on, with what it forks. When it is some ms old
 * and nothing that it has mapped calls hooks, its threads get events (events.h), and
 * what has come is added to the book at each look. When something with hooks turns up
 * later, the events are closed. Samples take no more than 2 % of what the program
 * computes: where its threads are switched so often that a timer set anew each time would
 * cost more, they come slowly, or not at all (common/sampling_event.h).
 */
#pragma once

#include "collector/live/sampling.h"
#include "collector/processes/cpu_book.h"
#include "collector/watch/events.h"
#include "collector/watch/mapped.h"
#include "collector/watch/table.h"

struct outside {
	struct cpu_book book;
	struct outside_objects objects;
	struct outside_rings rings;
	struct outside_process *processes; /* owned; parallel to watch.processes */
	size_t process_count;
	struct outside_program *programs; /* owned */
	size_t program_count;
	uint64_t next_ns, next_write_ns, written_count;
	uint32_t round;
	uint32_t random;
	int is_waiting; /* a process is not old enough yet */
};

/* All of the memory is zero before. */
void outside_begin(struct outside *outside);

/* Looks for programs to sample, and takes what has come. */
void outside_update(struct outside *outside, const struct watch *watch,
		    const struct sampling *sampling);

/* Takes what has come: the run is about to be stored. */
void outside_drain(struct outside *outside);

/* The first program of the run is to be sampled soon: a short one is over when a look is
 * put off. */
int outside_is_urgent(const struct outside *outside);

/* How long until there is something to do, ns: at most this. */
uint64_t outside_wait_ns(const struct outside *outside, uint64_t most_ns);
