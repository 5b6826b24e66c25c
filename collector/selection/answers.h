/* SPDX-License-Identifier: MIT */
/*
 * The answers of one run (common/segment_control.h): each object that its processes list
 * is read once, and what rules fit of it is published. Runs on: one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/live/control.h"
#include "collector/read/segment_file.h"
#include "common/base/map.h"
#include "common/selection.h"

struct answers {
	const struct segment_run *run; /* borrowed */
	struct control control;
	struct selection selection;
	struct resolver *resolver;  /* NULL: no rule is ours to apply */
	struct map numbers;	    /* of objects */
	struct segment_answer *all; /* those that were read; as processes list them */
	uint32_t count;
	uint64_t trouble_count;
	char trouble[256]; /* the first */
};

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run);
void answers_end(struct answers *answers);

/* Are there rules to be applied? */
static inline bool answers_are_asked(const struct answers *answers)
{
	return answers->resolver != NULL;
}

/* Shows an object that a process lists. One that is known is not read again. */
void answers_add(struct answers *answers, const struct segment_module *module);

/* How many it lists now; unchecked. */
uint32_t listed_count(const struct segment_reader *reader, uint32_t slot);

/* Shows those of the process that has the slot, which is this one. */
void listed_show(struct answers *answers, const struct segment_reader *reader,
		 uint32_t slot, int32_t pid);
