/* SPDX-License-Identifier: MIT */
/* The parts of the command `critical`. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/model/critical/shares.h"
#include "analyzer/reports/report.h"
#include "common/base/map.h"

/* A thread as people know it. Not parallel to the walk's list, which gets sorted. */
struct critical_thread {
	int64_t thread_id, lane_id;
	double begin_ns, end_ns;
	uint32_t lane;
};

/* What a path did on a lane, by the kernel's clocks. */
struct critical_split {
	double cpu_ns, ready_ns, blocked_ns;
};

/* A process with threads, ready for the walk. */
struct critical {
	int64_t process_id, pid;
	const struct calltree *tree; /* paths are its nodes */
	struct map lanes;	     /* by id: number */
	struct critical_thread *threads;
	size_t thread_count, process_count;
	struct walk_run run;
	struct shares_stall *stalls; /* by number */
	struct shares_work *work;
	struct map splits_by; /* by lane and node: number in splits */
	struct critical_split *splits;
	size_t work_count;
	double *lane_ns;
	uint32_t lane_count;
	struct walk walk;
	struct shares shares;
};

/* False: no process has had several threads. */
bool critical_load(struct report_input *input, struct critical *ret);

/* Whether the path is a call of libc, whose sleeps are known by its name. */
bool critical_is_libc(const struct critical *critical, uint32_t path);
