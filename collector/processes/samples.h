/* SPDX-License-Identifier: MIT */
/*
 * What a collector has seen of the run's processes, in a file of the run's directory: for
 * readers while the run goes on, and for whoever stores it when the collector was killed.
 * Runs on: writing: the collector's main thread; reading: one thread at a time. Must not
 * make the collector fail: what cannot be written is still in memory.
 *
 * THE FILE
 *
 * OUTPUT-spool/TOKEN/samples is one struct samples_header and any number of struct
 * samples_record in the order of writing: resource samples, and deaths of processes. It
 * is appended to once per round of looks. When the samples in memory have been thinned, a
 * new file replaces it, so it never has more records than SAMPLES_LIMIT. A program that
 * ends before the second round has no file.
 *
 * It is written with write() and never mapped, so no process of the run can reach it.
 * Still, the writer or the machine may have stopped in the middle of a record. A partial
 * last record is no damage; a reader leaves out records with impossible numbers and
 * counts them. Byte order and word size are the machine's own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "collector/processes/ending.h"
#include "collector/processes/resources.h"
#include "collector/read/rundir.h"

#define SAMPLES_NAME "samples"
#define SAMPLES_MAGIC 0x32306c7073667270ull /* "prfspl02" */

/* Deaths that are kept. An ordinary end is in the process's own slot as well, so these
 * may use up only half, which leaves room for killed children. A missing death becomes an
 * end that nobody saw (`unseen_ends` in trust). */
#define SAMPLES_DEATH_LIMIT 8192u

enum samples_kind {
	SAMPLES_RESOURCE = 1,
	SAMPLES_DEATH = 2,
};

struct samples_header {
	uint64_t magic;
	uint64_t record_size;
};

struct samples_record {
	uint32_t kind, unused;
	union {
		struct resource_sample sample;
		struct ending_death death;
	};
};

/* The collector's view of the file; all zero before the first round. */
struct samples_writer {
	FILE *file;   /* NULL: not open */
	int is_fresh; /* does not have its name yet */
	uint32_t round, next_round;
	uint64_t interval_ns; /* of the samples in it; it changes by thinning */
	size_t sample_count, death_count; /* how many in memory have been handled */
	size_t death_record_count;
};

/* Writes what is new, once per round. */
void samples_write(struct samples_writer *writer, const struct rundir *rundir,
		   const struct resources *resources, const struct ending_death *deaths,
		   size_t death_count);

/* The contents of a file. */
struct samples {
	struct resources resources;
	struct ending_death *deaths;
	size_t death_count;
	size_t damaged_count; /* records left out */
};

/* Reads the run's file; without one there are no samples. 0 or -errno (-EPERM: another
 * user's). Free with samples_done() in any case. */
int samples_read(struct samples *ret, const struct rundir *rundir);
void samples_done(struct samples *samples);

/* One process on one GPU at one moment. -1: not known. */
struct gpu_sample {
	int32_t pid;
	uint32_t device; /* the driver's number */
	uint32_t round;
	uint64_t monotonic_ns;
	int64_t memory_bytes;
	double utilisation_percent;
};

struct gpu_samples {
	struct gpu_sample *samples; /* in the order of rounds */
	size_t count;
	uint32_t round;
	uint64_t interval_ns;
};

#define GPU_INTERVAL_NS 250000000ull
#define GPU_SAMPLE_LIMIT 20000u

void gpu_samples_init(struct gpu_samples *samples);
void gpu_samples_done(struct gpu_samples *samples);

/* Adds a copy of sample to round samples->round. Beyond GPU_SAMPLE_LIMIT, neighbours in
 * time are merged and the interval is doubled. Does nothing when memory is short. */
void gpu_samples_add(struct gpu_samples *samples, const struct gpu_sample *sample);

/* A copy, for gpu_samples_done(); empty when memory is short. */
void gpu_samples_copy(const struct gpu_samples *samples, struct gpu_samples *ret);
