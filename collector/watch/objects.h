/* SPDX-License-Identifier: MIT */
/*
 * Shows the objects of all processes to who applies rules about source files
 * (collector/selection/answers.h), as they turn up. A program may wait for it.
 */
#pragma once

#include "collector/selection/answers.h"
#include "collector/watch/table.h"

/* What has been shown of a process. */
struct objects_process {
	int32_t pid;
	uint64_t start_ticks; /* with pid: which process */
	uint32_t count;
};

struct objects {
	struct answers answers;
	struct objects_process *processes; /* parallel to watch.processes */
	size_t count;
};

void objects_begin(struct objects *ret, const struct watch *watch);

/* Looks for new objects, when there are such rules. */
void objects_update(struct objects *objects, const struct watch *watch);
