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
#include <stdio.h>

#include "collector/processes/ending.h"
#include "collector/processes/resources.h"
#include "collector/read/rundir.h"

#define SAMPLES_NAME "samples"
#define SAMPLES_MAGIC 0x32306c7073667270ull /* "prfspl02" */

/* Deaths that are kept: an ordinary end is in the process's own slot, too, so that of a
 * child that was killed is kept when those have used up their half. A death that is not
 * is an end that nobody saw (`unseen_ends` in trust). */
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

/* The file as its collector writes it; all zero before the first round. */
struct samples_writer {
	FILE *file;   /* NULL: none is open */
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

/* Adds a copy of sample, in samples->round. Past GPU_SAMPLE_LIMIT, neighbours in time are
 * merged and the interval is doubled. Does nothing when memory is short. */
void gpu_samples_add(struct gpu_samples *samples, const struct gpu_sample *sample);

/* A copy, for gpu_samples_done(); empty when memory is short. */
void gpu_samples_copy(const struct gpu_samples *samples, struct gpu_samples *ret);
