/* SPDX-License-Identifier: MIT */
/*
 * What the processes of a run use of the machine's GPUs, over time. Must not grow
 * without bound.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
