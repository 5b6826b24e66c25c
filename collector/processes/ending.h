/* SPDX-License-Identifier: MIT */
/* When and how each process of a run ended. Must not wait for anybody. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/liveness.h"
#include "collector/read/read.h"
#include "collector/processes/ticks.h"

#define ENDING_NONE UINT32_MAX

/* A death that the collector saw. */
struct ending_death {
	int32_t pid;
	uint64_t start_ticks; /* with pid: which process */
	uint64_t monotonic_ns;
	struct wait_status status;
};

struct ending {
	uint64_t end_ticks;
	int is_alive;
	uint32_t next_image; /* continued with this pid after exec, or ENDING_NONE */
	uint32_t parent;     /* index, or ENDING_NONE */
	struct wait_status status;
	int is_complete; /* ended by itself, and its end was seen */
	int is_unseen;	 /* nobody saw the end; end_ticks is its last trace */
};

/* Is the process still alive? Never on another boot than the run's. */
int ending_is_alive(const struct read_run *run, const struct ticks *ticks,
		    const struct read_process *process);

/* The endings of all processes, parallel to run->processes, owned by the caller (free).
 * may_be_alive: check which processes still run. */
struct ending *ending_find(const struct read_run *run, const struct ticks *ticks,
			   const struct ending_death *deaths, size_t death_count,
			   int may_be_alive);

/* Index of the run's first process, ENDING_NONE when it has no slot; and of the last
 * image of a process. */
uint32_t ending_first_process(const struct read_run *run);
uint32_t ending_last_image(const struct ending *endings, uint32_t process);
