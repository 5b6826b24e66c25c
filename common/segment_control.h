/* SPDX-License-Identifier: MIT */
/*
 * What the collector tells the processes of a run while they run: a part of the format
 * between it and the shim. Must not change without a new SEGMENT_VERSION.
 *
 * THE FILE
 *
 * `control` lies beside `state`. The first process makes it. Every process of the run
 * maps it read-only, by a descriptor opened read-only. So it can be read without a system
 * call, and a process that gives up its privileges cannot write to it. The file is
 * sparse: pages are reserved before their content is published. A process reads only the
 * header and what is published.
 *
 * ANSWERS
 *
 * The collector, which reads debug information, applies the rules about source files
 * (common/selection.h). For each object that a process lists among its modules it answers
 * which functions fit which of these rules. A process with such rules lists its objects
 * with hooks at once and waits up to SEGMENT_CONTROL_WAIT_MS before the program begins;
 * later objects it lists when they turn up, and rings `state`'s doorbell. Until the
 * answer comes, a rule of PROFSHIM_ONLY fits and one of PROFSHIM_SKIP does not: we record
 * more rather than less.
 *
 * answers[] only grows. A writer reserves the pages of the next answer and of its
 * fittings, fills them, and then adds 1 to answer_count (release). Entries below
 * answer_count never change.
 *
 * SAMPLES FROM OUTSIDE
 *
 * The collector samples a program without hooks. If nothing else is recorded, the first
 * process waits for that (up to SEGMENT_CONTROL_WAIT_MS) before the program begins.
 * outside_has_begun is set once its threads have their events, or will get none.
 *
 * A READER checks the bounds of what it finds, as everywhere. The worst that a damaged
 * file can do is that less is recorded, or more.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

#define SEGMENT_MAGIC_CONTROL 0x32306c7463667270ull /* "prfctl02" */

#define SEGMENT_CONTROL_NAME "control"
#define SEGMENT_CONTROL_WAIT_MS 200
#define SEGMENT_ANSWER_LIMIT SEGMENT_MODULE_LIMIT
#define SEGMENT_FITTING_LIMIT (1u << 18)

/* An answer about one object, identified by the build-id or file of the segment_module
 * that a process listed. Its functions are fittings [first, first + count). */
struct segment_answer {
	uint32_t build_id_size;
	uint8_t build_id[36];
	uint64_t device, inode, size_bytes;
	int64_t mtime_ns;
	uint32_t first, count;
};

/* A function that fits some of these rules. address: of its entry, inside the object's
 * file (segment_module.bias); ascending within an answer. rules: bit n is rule n of
 * struct selection, for the rules that the shim cannot apply. */
struct segment_fitting {
	uint64_t address;
	uint64_t rules;
};

struct segment_control {
	uint64_t magic;
	uint64_t token;
	uint32_t answer_count; /* atomic */
	/* about samples, see common/segment_samples.h; sampling is stored last, with
	 * release */
	uint32_t sampling;	  /* enum segment_sampling */
	int32_t sampling_error;	  /* if REFUSED: the kernel's error; 0: it killed */
	uint32_t sample_tick_ns;  /* what a sample costs */
	uint32_t timer_period_ns; /* of the timer; 0: there is none, or none is needed */
	uint32_t outside_has_begun; /* atomic; see SAMPLES FROM OUTSIDE */
	uint64_t reserved[507];	    /* the header's page, which always has its memory */
	struct segment_answer answers[SEGMENT_ANSWER_LIMIT];
	struct segment_fitting fittings[SEGMENT_FITTING_LIMIT];
};

_Static_assert(sizeof(struct segment_answer) == 80, "segment_answer layout");
_Static_assert(sizeof(struct segment_fitting) == 16, "segment_fitting layout");
