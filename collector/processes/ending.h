/* SPDX-License-Identifier: MIT */
/* When and how each process of a run ended. Must not wait for anybody. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/liveness.h"
#include "collector/read/read.h"
#include "collector/processes/ticks.h"

#define ENDING_NONE UINT32_MAX

/* A death that somebody saw. */
struct ending_death {
	int32_t pid;
	uint64_t start_ticks; /* with pid: which process */
	uint64_t monotonic_ns;
	struct wait_status status;
};

struct ending {
	uint64_t end_ticks;
	int is_alive;
	uint32_t next_image; /* process that went on with this pid after exec, or NONE */
	uint32_t parent;     /* index, or ENDING_NONE */
	struct wait_status status;
	int is_complete; /* ended by itself, and was seen to */
	int is_unseen;	 /* nobody saw the end: end_ticks is its last trace */
};

/* Is the process of this slot still there? Only on the boot that the run is of. */
int ending_is_alive(const struct read_run *run, const struct ticks *ticks,
		    const struct read_process *process);

/* The endings of all processes of the run, parallel to run->processes, owned by the
 * caller (free). may_be_alive: look for processes that still run. */
struct ending *ending_find(const struct read_run *run, const struct ticks *ticks,
			   const struct ending_death *deaths, size_t death_count,
			   int may_be_alive);

/* Index of the first process of the run, ENDING_NONE when its slot is not there; and of
 * the image that it was at the end. */
uint32_t ending_first_process(const struct read_run *run);
uint32_t ending_last_image(const struct ending *endings, uint32_t process);
