/* SPDX-License-Identifier: MIT */
/*
 * Samples by file and address in it: those of a library are together, whichever
 * processes have it mapped wherever. Runs on: one thread at a time. Must not grow
 * without bound, or believe what the file of a run's directory says.
 *
 * THE FILE
 *
 * OUTPUT-spool/TOKEN/cpu is one struct cpu_header, its modules (struct
 * segment_module, of which the places are all 0), its rows, the frames of stacks and the
 * samples that have stacks. The collector writes it
 * anew beside, now and then, and gives it its name when it is whole: for who reads a run
 * that goes on, and for who stores it when the collector was killed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/rundir.h"
#include "common/base/map.h"
#include "common/segment.h"

#define CPU_BOOK_NAME "cpu"
#define CPU_BOOK_MAGIC 0x3230757063667270ull /* "prfcpu02" */
#define CPU_BOOK_MODULE_LIMIT 4096u
#define CPU_BOOK_ROW_LIMIT (1u << 17)
#define CPU_BOOK_FRAME_LIMIT (1u << 18)

#define CPU_BOOK_NO_MODULE 0u

/* weight_ns: the sum of the periods. */
struct cpu_row {
	uint64_t address; /* in the file of the module */
	uint64_t weight_ns;
	uint32_t count;
	uint32_t module; /* its number, from 1; CPU_BOOK_NO_MODULE: in no file */
};

/* A return address in the file of the module, and the frame that was called from;
 * frames with the same callers are one. */
struct cpu_frame {
	uint64_t address;
	uint32_t module;
	uint32_t caller; /* 1 + its index, which is lower; 0: not known, or nobody */
};

/* Samples whose stacks were walked: others than those of the rows, to tell how these are
 * divided among callers. */
struct cpu_stack {
	uint64_t address;
	uint32_t module, count;
	uint32_t caller; /* as that of a frame */
	uint32_t unused;
};

struct cpu_sums {
	uint64_t sample_count, sampled_ns;
	uint64_t lost_count, lost_ns; /* the kernel had no room: they are in no row */
	uint64_t attached_count, refused_count;
	uint64_t declined_count; /* how often samples would have cost too much */
	uint32_t shortest_period_us, longest_period_us;
	int32_t error; /* of the last refusal */
	uint32_t reserved;
	uint64_t stack_count;
	uint64_t cut_stack_count;     /* of them: without those that called last */
	uint64_t lost_stack_count;    /* beside them: no room, or not to be walked */
	uint64_t refused_stack_count; /* programs of which the kernel gave none */
};

/* All zero is empty. */
struct cpu_book {
	struct cpu_sums sums;
	struct segment_module *modules;
	struct cpu_row *rows;
	struct cpu_frame *frames;
	struct cpu_stack *stacks;
	size_t module_count, row_count, frame_count, stack_count;
	struct map row_map;		 /* by module and address; of who adds */
	struct map frame_map, stack_map; /* likewise, and the caller */
};

/* The number of a module that has been found to be new; CPU_BOOK_NO_MODULE: too many. */
uint32_t book_add_module(struct cpu_book *book, const struct segment_module *module);

/* Adds a sample; past the limit of rows it is one of no known address. */
void book_add(struct cpu_book *book, uint32_t module, uint64_t address,
	      uint64_t weight_ns);

/* The frame, made when it is not there, called from another one or 0: 1 + its index.
 * Past the limit it is its caller. */
uint32_t book_add_frame(struct cpu_book *book, uint32_t module, uint64_t address,
			uint32_t caller);
/* Adds a sample with a stack; it is lost past the limit. */
void book_add_stack(struct cpu_book *book, uint32_t module, uint64_t address,
		    uint32_t caller);

/* Writes the file. 0 or -errno: what there was before is as it was. */
int book_write(const struct cpu_book *book, const struct rundir *rundir);

/* Reads it; without one the book is empty. 0 or -errno (-EPERM: the file is somebody
 * else's, -EINVAL: it is damaged, and nothing of it is used). book_done() in any case. */
int book_read(struct cpu_book *ret, const struct rundir *rundir);

void book_done(struct cpu_book *book);
