/* SPDX-License-Identifier: MIT */
/*
 * Asking the driver what the processes of a run use of GPUs. Runs on: the collector's
 * main thread, and a thread of its own that asks the driver and may hang in it. Must not
 * make anybody wait for the driver.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/processes/samples.h"

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
