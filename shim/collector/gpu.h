/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what the processes of a run use of the machine's GPUs, over time.
 * Runs on:       gpu_samples: one thread at a time. struct gpu: the collector's main
 *                thread, and a thread of its own that asks the driver and may hang in it.
 * Must not:      grow without bound, or make anybody wait for the driver.
 * See also:      common/schema.sql (gpu_sample), shim/collector/nvml.h, watch.c
 */
#pragma once

#include <pthread.h>
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

struct gpu {
	pthread_mutex_t lock; /* of what follows; never held while the driver is asked */
	int32_t *pids;	      /* whose samples are kept */
	size_t pid_count;
	struct gpu_samples samples;
	int is_started, is_open; /* is_open: the driver's library is in this process */
};

void gpu_init(struct gpu *gpu);

/* Samples of this process are kept from now on. */
void gpu_add_process(struct gpu *gpu, int32_t pid);

/* Starts the thread, once. Without the driver's library it ends at once. */
void gpu_start(struct gpu *gpu);

/* What there is so far. Free with gpu_samples_done(). */
void gpu_take(struct gpu *gpu, struct gpu_samples *ret);

/* Is the driver's library loaded? Then its destructors could meet the thread: end the
 * process with _exit(). */
int gpu_is_open(struct gpu *gpu);
