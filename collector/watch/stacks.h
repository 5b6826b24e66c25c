/* SPDX-License-Identifier: MIT */
/*
 * Who called the code that a sample of a program without hooks was in: its registers and
 * a copy of its stack are walked by libunwind, in a confined child (confined.h), for the
 * tables that say how come from files of anybody. Runs on: the collector's main thread,
 * which waits for the child; the walk itself in the child. Must not believe an answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/symbols/confined.h"
#include "common/segment.h"

/* Of the stack, from its pointer on, at most. */
#define STACK_BYTES 8192u
#define STACK_LEAST_BYTES 2048u
#define STACK_FRAME_LIMIT 128u

/* In the order of the kernel's numbers for them: a, b, c, d, si, di, bp, sp, ip, then
 * r8 to r15. */
enum { STACK_REGISTER_SP = 7, STACK_REGISTER_IP = 8, STACK_REGISTERS = 17 };

struct stack_dump {
	uint64_t registers[STACK_REGISTERS];
	uint64_t byte_count;
	uint8_t bytes[STACK_BYTES];
};

/* Code of a file in a process. */
struct outside_range {
	uint64_t start, end;
	uint64_t address; /* in the file, of start */
	uint32_t module;  /* in the book, CPU_BOOK_NO_MODULE: not known */
	uint32_t unused;
};

/* The range, of those by start, that an address lies in, or NULL. */
const struct outside_range *stacks_find_range(const struct outside_range *ranges,
					      size_t count, uint64_t address);

enum stack_end {
	STACK_WHOLE,   /* up to where the thread began */
	STACK_CUT,     /* the copy ends before */
	STACK_UNKNOWN, /* nothing says how to go on */
};

/* Return addresses, innermost first. */
struct stack_frames {
	uint32_t count, end;
	uint64_t addresses[STACK_FRAME_LIMIT];
};

/* All zero before the first question. */
struct stack_walker {
	struct confined child;
	size_t sent_module_count;
	uint32_t child_count; /* that have been started */
};

/* Stacks of processes that have the same mapped. modules: of the book, all that there are
 * so far, as told by the ranges' numbers from 1 on. false: the child has ended of it, or
 * several have and no more is started. */
bool stacks_walk(struct stack_walker *walker, const struct segment_module *modules,
		 size_t module_count, const struct outside_range *ranges,
		 size_t range_count, const struct stack_dump *dumps, size_t dump_count,
		 struct stack_frames *ret);

void stacks_end(struct stack_walker *walker);

/*
 * For the child.
 */

/* What is mapped of a file, and its table of frames (.eh_frame_hdr). */
struct stack_file;

struct stack_space {
	struct stack_file **files; /* by number, from 1 on; NULL: not opened yet */
	struct segment_module *modules;
	size_t module_count;
	struct outside_range *ranges;
	size_t range_count;
	void *unwinder; /* libunwind's address space */
};

/* What it remembers is of other ranges. */
void stack_space_changed(struct stack_space *space);

void stack_walk(struct stack_space *space, const struct stack_dump *dump,
		struct stack_frames *ret);
