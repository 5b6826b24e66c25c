/* SPDX-License-Identifier: MIT */
/*
 * What a collector has seen of the run's processes, in a file of the run's directory:
 * for who reads the run while it goes on, and for who stores it when the collector was
 * killed. Runs on: writing: the collector's main thread; reading: one thread at a time.
 * Must not fail the collector: what cannot be written is still in its memory.
 *
 * THE FILE
 *
 * OUTPUT-spool/TOKEN/samples is one struct samples_header and any number of struct
 * samples_record, in the order in which they were written: resource samples, and deaths
 * of processes. It is appended to, once per round of looks. When the samples in memory
 * have been thinned, so is the file: it is written anew beside and takes the old one's
 * place. So it never has more records than SAMPLES_LIMIT. A program that ends before the
 * second round has none.
 *
 * It is written with write() and mapped by nobody, so no process of the run has a way to
 * it. Still, its writer may have been killed in the middle of a record (what is left of
 * the last one is no damage), or the machine: a reader leaves out records whose numbers
 * cannot be, and counts them. Byte order and word size are the machine's own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/processes/ending.h"
#include "collector/processes/resources.h"
#include "collector/read/rundir.h"

#define SAMPLES_NAME "samples"
#define SAMPLES_MAGIC 0x31306c7073667270ull /* "prfspl01" */

/* Deaths that are kept: an ordinary end is in the process's own slot, too, so that of a
 * child that was killed is kept when those have used up their half. A death that is not
 * is an end that nobody saw (`unseen_ends` in trust). */
#define SAMPLES_DEATH_LIMIT 8192u
#define SAMPLES_LIMIT (RESOURCES_LIMIT + SAMPLES_DEATH_LIMIT)

enum samples_kind {
	SAMPLES_RESOURCE = 1,
	SAMPLES_DEATH = 2,
};

struct samples_header {
	uint64_t magic;
	uint64_t record_size;
};

/* Units and -1 for "not known" are those of struct resource_sample. */
struct samples_record {
	uint32_t kind;
	int32_t pid;
	uint64_t start_ticks; /* with pid: which process */
	uint64_t monotonic_ns;
	/* RESOURCE: */
	double cpu_percent;
	int64_t rss_bytes, minor_faults, major_faults, read_bytes, write_bytes;
	int64_t thread_count;
	int64_t cpu_wait_ns;
	/* DEATH: */
	int32_t status_is_known, exit_code, exit_signal;
	uint32_t unused;
};

/* The file as its collector writes it; all zero but fd (-1) before the first round. */
struct samples_writer {
	int fd;
	int is_fresh; /* does not have its name yet */
	uint32_t round, next_round;
	uint64_t interval_ns; /* of the samples in it: another one means thinned */
	size_t sample_count, death_count; /* how many of those in memory are dealt with */
	size_t death_record_count;
};

/* Writes what is new since the last time, once per round. */
void samples_write(struct samples_writer *writer, const struct rundir *rundir,
		   const struct resources *resources, const struct ending_death *deaths,
		   size_t death_count);

/* What a file says. */
struct samples {
	struct resources resources;
	struct ending_death *deaths;
	size_t death_count;
	size_t damaged_count; /* records left out */
};

/* Reads the run's file; without one there are none. 0 or -errno (-EPERM: the file is
 * somebody else's). Free with samples_done() in any case. */
int samples_read(struct samples *ret, const struct rundir *rundir);
void samples_done(struct samples *samples);
