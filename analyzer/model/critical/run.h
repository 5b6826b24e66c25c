/* SPDX-License-Identifier: MIT */
/* Input of the walk: the threads of a run and their waits for each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WALK_NONE UINT32_MAX

/* Times are ns since the start of the run. */
struct walk_thread {
	uint32_t lane;
	uint32_t number; /* as the caller numbers it */
	double begin_ns, end_ns;
};

enum walk_kind {
	WALK_LOCK,   /* holder: had the lock when the wait began */
	WALK_SIGNAL, /* holder: let the waiter go */
	WALK_JOIN,   /* holder: the thread that ended */
	WALK_NAP,    /* slept; no holder is known */
};

/* A wait for another thread, or a sleep. */
struct walk_stall {
	uint32_t lane, holder_lane; /* WALK_NONE: not known */
	double begin_ns, end_ns;
	enum walk_kind kind;
	int64_t lock_id; /* 0: none */
	uint32_t number; /* the caller's number of the stall */
	uint32_t thread; /* set by the walk; WALK_NONE: matches no thread */
};

/* Windows of time in which all stalls are known. period_ns 0: they are always known. */
struct walk_windows {
	double first_ns, length_ns, period_ns;
};

struct walk_run {
	struct walk_thread *threads; /* sorted by the walk */
	size_t thread_count;
	struct walk_stall *stalls; /* sorted by the walk */
	size_t stall_count;
	uint32_t last_lane; /* the chain ends with the last thread of this lane */
	double begin_ns, end_ns;
	struct walk_windows windows;
};
