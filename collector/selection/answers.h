/* SPDX-License-Identifier: MIT */
/*
 * The answers of one run (common/segment_control.h): each object that its processes list
 * is read once for the rules in force, and all together are published. Runs on: one
 * thread. Must not hold `control` open while it reads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/json/component_map.h"
#include "common/segment_control.h"
#include "common/selection.h"
#include "collector/selection/resolve.h"

/* An object that was read. */
struct answered {
	struct segment_answer answer;
	struct segment_fitting *fittings;
	/* too many functions fit: processes are to record more; or it has no hooks, and
	 * nobody asks */
	bool is_left_out;
};

struct answers {
	int directory_fd;		      /* of the run, borrowed */
	const struct segment_run *run;	      /* borrowed */
	const struct segment_control *shared; /* its first page; NULL: none */
	bool has_setting;
	struct segment_setting setting; /* in force */
	struct selection selection;	/* of it */
	struct component_map map;
	struct resolver *resolver; /* NULL: no rule is ours to apply */
	struct map numbers;	   /* of objects */
	struct answered *all;
	uint32_t count;
	uint64_t fitting_count;
	bool is_published; /* all of them */
	uint64_t published_ns;
	uint64_t trouble_count;
	char trouble[256]; /* the first */
};

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run);
void answers_end(struct answers *answers);

/* Looks which rules are in force now. true: they are new, every object is to be shown
 * again. */
bool answers_follow(struct answers *answers);

/* Are there rules to be applied? */
static inline bool answers_are_asked(const struct answers *answers)
{
	return answers->resolver != NULL;
}

/* Shows an object that a process lists. One that is known is not read again; others are
 * published meanwhile, for the next one may take long. */
void answers_add(struct answers *answers, const struct segment_module *module);

/* Publishes what is new. */
void answers_publish(struct answers *answers);
