/* SPDX-License-Identifier: MIT */
/*
 * What is asked of a run while it goes on, a part of the contract between prof-analyze
 * and the collector, who write it, and the shim, which follows. Must not change without a
 * new SEGMENT_VERSION.
 *
 * THE FILE
 *
 * `control` lies beside `state`. The first process makes it; every process of the run has
 * it mapped for reading only, by a descriptor that was opened for reading only: so it can
 * be followed without a system call, and one that gives up its privileges has no way to
 * write to it. Writers (collector/live/control.h) hold a lock (flock) on the file. It is
 * sparse: what a process is to read has its pages before it is published. A process reads
 * nothing but what is published, and the header.
 *
 * SETTINGS
 *
 * A setting holds for the whole run, processes that begin later included. What the run
 * began with is setting 0, in `run`. Setting n > 0 is settings[n %
 * SEGMENT_SETTING_LIMIT]; setting_generation is the number of the last one, stored with
 * release when it is whole. So the latest ones are there to be read after the run. A
 * reader copies one and then asks for the generation again (acquire): if it has moved by
 * less than the limit - 1, what it has is whole.
 *
 * TABLES
 *
 * Rules about source files and components (common/selection.h) are applied by the
 * collector, which reads debug information. It answers for each object that a process
 * lists among its modules: which functions of it fit which of these rules. A process that
 * has such rules lists its objects with hooks at once and waits for a moment
 * (SEGMENT_CONTROL_WAIT_MS) before the program begins; later ones it lists when they turn
 * up, and rings `state`'s doorbell. Until there is an answer a rule of PROFSHIM_ONLY
 * fits, one of PROFSHIM_SKIP does not: more is recorded, not less.
 *
 * tables[] are two. The one in force is tables[table_generation % 2]; table_generation 0:
 * there is none yet. A writer fills the other one, whole, reserves its pages, and then
 * adds 1 (release). A reader copies and asks for the generation again, and throws away
 * what it has when that has moved at all. A table is about the rules of one setting,
 * rules_generation: with other rules in force it says nothing.
 *
 * A process says in segment_process.setting_generation and table_generation which ones it
 * has taken over.
 *
 * A READER clips what it finds here, as everywhere. All that can follow from a damaged
 * file is that less is recorded, or more.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

#define SEGMENT_MAGIC_CONTROL 0x31306c7463667270ull /* "prfctl01" */

#define SEGMENT_CONTROL_NAME "control"
#define SEGMENT_CONTROL_WAIT_MS 200
#define SEGMENT_SETTING_LIMIT 64u
#define SEGMENT_ANSWER_LIMIT SEGMENT_MODULE_LIMIT
#define SEGMENT_FITTING_LIMIT (1u << 18)

/* What is asked, whole; the texts end with NUL. */
struct segment_setting {
	uint64_t generation;
	/* of the first setting with these rules: later ones may be about the budget */
	uint64_t rules_generation;
	uint64_t ticks;		 /* of the run's clock, when it was published */
	double overhead_percent; /* 0: no budget */
	char only[SEGMENT_RULES_MAX], skip[SEGMENT_RULES_MAX];
};

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
 * file (segment_module.bias). rules: bit n is rule n of struct selection, of files and
 * components only. Ascending by address within an answer. */
struct segment_fitting {
	uint64_t address;
	uint64_t rules;
};

struct segment_table {
	uint64_t rules_generation; /* of the setting whose rules these are */
	uint32_t answer_count, fitting_count;
	struct segment_answer answers[SEGMENT_ANSWER_LIMIT];
	struct segment_fitting fittings[SEGMENT_FITTING_LIMIT];
};

struct segment_control {
	uint64_t magic;
	uint64_t token;
	uint64_t setting_generation; /* atomic */
	uint64_t table_generation;   /* atomic */
	/* what the collector says of samples, see common/segment_samples.h; the first is
	 * stored last, with release */
	uint32_t sampling;	 /* enum segment_sampling */
	int32_t sampling_error;	 /* of REFUSED: what the kernel said, 0: it killed */
	uint32_t sample_tick_ns; /* what a sample costs */
	uint32_t reserved32;
	uint64_t reserved[506]; /* the header's page, which always has its memory */
	struct segment_setting settings[SEGMENT_SETTING_LIMIT];
	struct segment_table tables[2];
};

_Static_assert(sizeof(struct segment_setting) == 2080, "segment_setting layout");
_Static_assert(sizeof(struct segment_answer) == 80, "segment_answer layout");
_Static_assert(sizeof(struct segment_fitting) == 16, "segment_fitting layout");
