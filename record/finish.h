/* SPDX-License-Identifier: MIT */
/*
 * After the program has ended: waiting until its run is in the file. Must not wait
 * longer than asked; write into run.db (spool_recover() does).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The runs that were in the spool before ours began. Owned: record_before_done(). */
struct record_before {
	struct spool_run *runs;
	size_t count;
};

enum record_outcome {
	RECORD_DONE,	   /* nothing of ours is in the spool (any more) */
	RECORD_STILL_OPEN, /* time is up, or processes of the run live on alone */
	RECORD_FAILED,	   /* nobody could ingest it; it stays in the spool */
};

/* 0 or -errno. */
int record_before_read(const char *output, struct record_before *ret);
void record_before_done(struct record_before *before);

/*
 * Waits until the runs of the program that began since `before` have left the spool, at
 * most wait_s seconds, with a progress line on stderr if show_progress. A run whose
 * collector is missing is ingested here. error: one sentence, if RECORD_FAILED.
 */
enum record_outcome record_finish(const char *output, const struct record_before *before,
				  pid_t program, unsigned int wait_s, bool show_progress,
				  char *error, size_t error_size);
