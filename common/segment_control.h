/* SPDX-License-Identifier: MIT */
/*
 * What the collector finds out for the processes of a run while they go on, a part of the
 * contract between it and the shim. Must not change without a new SEGMENT_VERSION.
 *
 * THE FILE
 *
 * `control` lies beside `state`. The first process makes it; every process of the run has
 * it mapped for reading only, by a descriptor that was opened for reading only: so it can
 * be followed without a system call, and one that gives up its privileges has no way to
 * write to it. It is sparse: what a process is to read has its pages before it is
 * published. A process reads nothing but what is published, and the header.
 *
 * ANSWERS
 *
 * Rules about source files (common/selection.h) are applied by the
 * collector, which reads debug information. It answers for each object that a process
 * lists among its modules: which functions of it fit which of these rules. A process that
 * has such rules lists its objects with hooks at once and waits for a moment
 * (SEGMENT_CONTROL_WAIT_MS) before the program begins; later ones it lists when they turn
 * up, and rings `state`'s doorbell. Until there is an answer a rule of PROFSHIM_ONLY
 * fits, one of PROFSHIM_SKIP does not: more is recorded, not less.
 *
 * answers[] only grow. A writer reserves the pages of the next one and of its fittings,
 * fills them, and then adds 1 to answer_count (release): what a reader finds below that
 * does not change any more.
 *
 * SAMPLES FROM OUTSIDE
 *
 * A program without hooks is sampled by the collector. Where nothing else is recorded the
 * first process waits for that (SEGMENT_CONTROL_WAIT_MS) before the program begins:
 * outside_has_begun is set when its threads have their events, and when they get none.
 *
 * A READER clips what it finds here, as everywhere. All that can follow from a damaged
 * file is that less is recorded, or more.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

#define SEGMENT_MAGIC_CONTROL 0x32306c7463667270ull /* "prfctl02" */

#define SEGMENT_CONTROL_NAME "control"
#define SEGMENT_CONTROL_WAIT_MS 200
#define SEGMENT_ANSWER_LIMIT SEGMENT_MODULE_LIMIT
#define SEGMENT_FITTING_LIMIT (1u << 18)

/* An object that was looked at. Which one it is, is copied from the segment_module that a
 * process listed: the build-id, or the file. Its functions are fittings [first, first +
 * count). */
struct segment_answer {
	uint32_t build_id_size;
	uint8_t build_id[36];
	uint64_t device, inode, size_bytes;
	int64_t mtime_ns;
	uint32_t first, count;
};

/* A function that some of these rules fit: its entry, as an address inside the object's
 * file (segment_module.bias). rules: bit n is rule n of struct selection, of those
 * that the shim cannot apply. Ascending by address within an answer. */
struct segment_fitting {
	uint64_t address;
	uint64_t rules;
};

struct segment_control {
	uint64_t magic;
	uint64_t token;
	uint32_t answer_count; /* atomic */
	/* what the collector says of samples, see common/segment_samples.h; the first is
	 * stored last, with release */
	uint32_t sampling;	  /* enum segment_sampling */
	int32_t sampling_error;	  /* of REFUSED: what the kernel said, 0: it killed */
	uint32_t sample_tick_ns;  /* what a sample costs */
	uint32_t timer_period_ns; /* of the timer; 0: there is none, or none is needed */
	uint32_t outside_has_begun; /* atomic; see SAMPLES FROM OUTSIDE */
	uint64_t reserved[507];	    /* the header's page, which always has its memory */
	struct segment_answer answers[SEGMENT_ANSWER_LIMIT];
	struct segment_fitting fittings[SEGMENT_FITTING_LIMIT];
};

_Static_assert(sizeof(struct segment_answer) == 80, "segment_answer layout");
_Static_assert(sizeof(struct segment_fitting) == 16, "segment_fitting layout");
