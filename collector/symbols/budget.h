/* SPDX-License-Identifier: MIT */
/*
 * What reading names may still cost. A file of somebody else says how much there is to
 * read; these numbers say how much of it is read. Must not read a clock at each step.
 *
 * An ENTRY is one step of any loop that a file decides on: an entry of DWARF or 64 bytes
 * of it that were passed over, a range, a row of a line table, a symbol. Time is the
 * thread's CPU time, so that a busy machine costs no names; it is looked at every some
 * thousand entries. Once over, a budget stays over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct budget {
	struct budget *whole; /* of all modules together; NULL: this is it */
	int64_t entries, memory_bytes, cpu_ns; /* left */
	int64_t looked_ns; /* CPU time at the last look; 0: none since budget_begin() */
	uint64_t unlooked; /* entries since then */
	bool is_over;
};

/* Enough for the largest programs that are known (a browser: 3 GB of DWARF); what does
 * not fit has names of its symbol table. */
#define BUDGET_MODULE                                                                    \
	((struct budget){.entries = INT64_C(64) << 20,                                   \
			 .memory_bytes = INT64_C(256) << 20,                             \
			 .cpu_ns = INT64_C(3000000000)})
#define BUDGET_RUN                                                                       \
	((struct budget){.entries = INT64_C(256) << 20,                                  \
			 .memory_bytes = INT64_C(1) << 30,                               \
			 .cpu_ns = INT64_C(10000000000)})

#define BUDGET_LOOK_ENTRIES 4096

/* Reads the clock now, as before and after something that may take long by itself. The
 * time since the last look is taken off. false: over. */
bool budget_look(struct budget *budget);

/* Time from here on counts; what passed since the last look was somebody else's. */
static inline void budget_begin(struct budget *budget)
{
	budget->looked_ns = 0;
}

/* Takes off so many entries. false: over; stop reading. */
static inline bool budget_take(struct budget *budget, uint64_t entries)
{
	budget->unlooked += entries;
	return budget->unlooked < BUDGET_LOOK_ENTRIES ? !budget->is_over
						      : budget_look(budget);
}

/* Takes off memory that is about to be allocated. false: over; do without. */
bool budget_take_memory(struct budget *budget, uint64_t bytes);
