/* SPDX-License-Identifier: MIT */
/*
 * prof-record's watch over the spool. Must not take a run away from a collector that
 * only just starts.
 */
#include "common/plain_text.h"
#include "record/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/plain_text.h"
#include "collector/store/spool.h"

#define SHORTEST_STEP_NS 500000ull
#define LONGEST_STEP_NS 50000000ull
#define PROGRESS_AFTER_NS 300000000ull

/* A very short program may end before its collector has taken the lock. */
#define PATIENCE_NS 250000000ull

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int record_before_read(const char *output, struct record_before *ret)
{
	*ret = (struct record_before){NULL, 0};
	return spool_list(output, &ret->runs, &ret->count);
}

void record_before_done(struct record_before *before)
{
	free(before->runs);
	*before = (struct record_before){NULL, 0};
}

static bool is_new(const struct spool_run *run, const struct record_before *before)
{
	size_t i;

	for (i = 0; i < before->count; i++)
		if (strcmp(run->token, before->runs[i].token) == 0)
			return false;
	return true;
}

/* The run to care for next: that which the program itself began, else one that began
 * meanwhile (by a child of a program that cannot be recorded itself). */
static const struct spool_run *choose(const struct spool_run *runs, size_t count,
				      const struct record_before *before, pid_t program)
{
	const struct spool_run *other = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		if (runs[i].state == SPOOL_FOREIGN || !is_new(&runs[i], before))
			continue;
		if (runs[i].first_pid == program)
			return &runs[i];
		other = &runs[i];
	}
	return other;
}

static void show(const char *output, uint64_t elapsed_ns)
{
	const char *slash = strrchr(output, '/');
	char name[64];

	fprintf(stderr, "\rprof-record: writing %s ... %" PRIu64 " s",
		plain_text_copy(name, sizeof(name), slash ? slash + 1 : output),
		elapsed_ns / 1000000000u);
}

/* Rests an eighth of the time waited so far: late by that much at most, and cheap. */
static void rest(uint64_t elapsed_ns)
{
	uint64_t step_ns = elapsed_ns / 8;
	struct timespec step;

	if (step_ns < SHORTEST_STEP_NS)
		step_ns = SHORTEST_STEP_NS;
	if (step_ns > LONGEST_STEP_NS)
		step_ns = LONGEST_STEP_NS;
	step = (struct timespec){.tv_nsec = (long)step_ns};
	(void)nanosleep(&step, NULL);
}

/* One look at the spool. true: *ret is the outcome; false: look again. alone_since_ns:
 * when the run was first seen without a collector, 0: it was not. */
static bool look(const char *output, const struct record_before *before, pid_t program,
		 uint64_t *alone_since_ns, enum record_outcome *ret, char *error,
		 size_t error_size)
{
	struct spool_run *runs = NULL;
	const struct spool_run *run;
	size_t count = 0;
	bool decided = true;
	int result = spool_list(output, &runs, &count);

	*ret = RECORD_DONE;
	if (result < 0) {
		snprintf(error, error_size, "cannot read %s-spool: %s", output,
			 strerror(-result));
		*ret = RECORD_FAILED;
		return true;
	}
	run = choose(runs, count, before, program);
	if (!run)
		goto out;
	if (run->state == SPOOL_RECORDING || run->state == SPOOL_FINISHING) {
		*alone_since_ns = 0;
		decided = false;
	} else if (!*alone_since_ns || now_ns() - *alone_since_ns < PATIENCE_NS) {
		*alone_since_ns = *alone_since_ns ? *alone_since_ns : now_ns();
		decided = false;
	} else if (run->state == SPOOL_UNATTENDED) {
		*ret = RECORD_STILL_OPEN;
	} else {
		result = spool_recover(run, output, NULL, error, error_size);
		*alone_since_ns = 0;
		*ret = RECORD_FAILED;
		decided = result < 0 && result != -EAGAIN;
	}
out:
	free(runs);
	return decided;
}

enum record_outcome record_finish(const char *output, const struct record_before *before,
				  pid_t program, unsigned int wait_s, bool show_progress,
				  char *error, size_t error_size)
{
	uint64_t start = now_ns(), alone_since_ns = 0, elapsed_ns;
	enum record_outcome outcome;
	bool shown = false;

	for (;;) {
		if (look(output, before, program, &alone_since_ns, &outcome, error,
			 error_size))
			break;
		elapsed_ns = now_ns() - start;
		outcome = RECORD_STILL_OPEN;
		if (elapsed_ns >= wait_s * 1000000000ull)
			break;
		if (show_progress && elapsed_ns > PROGRESS_AFTER_NS) {
			show(output, elapsed_ns);
			shown = true;
		}
		rest(elapsed_ns);
	}
	if (shown)
		fputs("\r\033[K", stderr);
	return outcome;
}
