/* SPDX-License-Identifier: MIT */
/*
 * What is to become a snapshot: what the calls and times of a process's lanes have
 * reached, copied while nobody is kept waiting. Runs on: one thread.
 */
#pragma once

#include "common/history.h"
#include "collector/live/memory.h"
#include "collector/live/taker.h"

struct draft {
	/* in memory of one's own: path_pasts is what has been copied, taken how many
	 * snapshots there were before */
	struct history history;
	const struct taker *taker;
	struct live_snapshot_memory *memory;
	int threads; /* /proc/PID/task, -1: not to be had */
};

/* 0, -ENOSPC: more than a history can hold, -ETIME: it took too long, -EIO: the file was
 * cut short, or another -errno. The memory is void after an error, or if the draft does
 * not become a snapshot. */
int draft_copy(struct draft *draft, const struct taker *taker, uint64_t now,
	       struct live_snapshot_memory *memory);
void draft_done(struct draft *draft);
