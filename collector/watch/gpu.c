/* SPDX-License-Identifier: MIT */
/*
 * The collector's GPU thread. Runs on: gpu_work() and below in that thread, the rest in
 * the main thread. Must not hold the lock while the driver is asked: it may take seconds
 * (a GPU that slept) or never answer (one that fell off the bus).
 */
#include "collector/watch/gpu.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/array.h"
#include "collector/watch/nvml.h"
#include "collector/processes/ticks.h"

/* The driver's own mean is over up to a second: asked more often, it has nothing new. */
#define UTILISATION_INTERVAL_NS 1000000000ull

/* Asking costs at most a fiftieth of a CPU. */
#define SHARE_OF_TIME 50

void gpu_init(struct gpu *gpu)
{
	*gpu = (struct gpu){.is_started = 0};
	pthread_mutex_init(&gpu->lock, NULL);
	gpu_samples_init(&gpu->samples);
}

void gpu_add_process(struct gpu *gpu, int32_t pid)
{
	pthread_mutex_lock(&gpu->lock);
	gpu->pids = array_room(gpu->pids, gpu->pid_count, sizeof(*gpu->pids));
	gpu->pids[gpu->pid_count++] = pid;
	pthread_mutex_unlock(&gpu->lock);
}

static bool is_ours(const struct gpu *gpu, int32_t pid)
{
	for (size_t i = 0; i < gpu->pid_count; i++) {
		if (gpu->pids[i] == pid)
			return true;
	}
	return false;
}

static void keep(struct gpu *gpu, uint32_t device, uint64_t now_ns,
		 const struct nvml_process *processes, size_t count)
{
	pthread_mutex_lock(&gpu->lock);
	for (size_t i = 0; i < count; i++) {
		struct gpu_sample sample = {.pid = processes[i].pid,
					    .device = device,
					    .monotonic_ns = now_ns,
					    .memory_bytes = processes[i].memory_bytes,
					    .utilisation_percent =
						    processes[i].utilisation_percent};

		if (is_ours(gpu, sample.pid))
			gpu_samples_add(&gpu->samples, &sample);
	}
	pthread_mutex_unlock(&gpu->lock);
}

/* The time of a round's samples is that before the driver was asked: nobody is in its
 * lists who had ended by then. Returns how long to rest. */
static uint64_t look(struct gpu *gpu, struct nvml *nvml, bool with_utilisation)
{
	static struct nvml_process processes[NVML_PROCESS_LIMIT];
	uint64_t now_ns = ticks_monotonic_ns(), pause_ns;

	for (uint32_t i = 0; i < nvml->device_count; i++)
		keep(gpu, i, now_ns, processes,
		     nvml_read(nvml, i, with_utilisation, processes));
	pause_ns = (ticks_monotonic_ns() - now_ns) * SHARE_OF_TIME;
	pthread_mutex_lock(&gpu->lock);
	gpu->samples.round++;
	if (pause_ns < gpu->samples.interval_ns)
		pause_ns = gpu->samples.interval_ns;
	pthread_mutex_unlock(&gpu->lock);
	return pause_ns;
}

static void set_open(struct gpu *gpu, int is_open)
{
	pthread_mutex_lock(&gpu->lock);
	gpu->is_open = is_open;
	pthread_mutex_unlock(&gpu->lock);
}

static void *gpu_work(void *argument)
{
	struct gpu *gpu = argument;
	uint64_t asked_ns = 0;
	struct nvml nvml;
	int result;

	set_open(gpu, 1); /* from its constructors on */
	result = nvml_open(&nvml);
	if (result == -ENOENT)
		set_open(gpu, 0);
	if (result < 0)
		return NULL;
	for (;;) {
		uint64_t now_ns = ticks_monotonic_ns(), pause_ns;
		bool is_due = now_ns - asked_ns >= UTILISATION_INTERVAL_NS;
		struct timespec pause;

		if (is_due)
			asked_ns = now_ns;
		pause_ns = look(gpu, &nvml, is_due);
		pause = (struct timespec){(time_t)(pause_ns / 1000000000u),
					  (long)(pause_ns % 1000000000u)};
		nanosleep(&pause, NULL);
	}
	return NULL;
}

void gpu_start(struct gpu *gpu)
{
	pthread_t thread;

	if (gpu->is_started)
		return;
	gpu->is_started = 1;
	if (pthread_create(&thread, NULL, gpu_work, gpu) == 0)
		pthread_detach(thread);
}

void gpu_take(struct gpu *gpu, struct gpu_samples *ret)
{
	pthread_mutex_lock(&gpu->lock);
	gpu_samples_copy(&gpu->samples, ret);
	pthread_mutex_unlock(&gpu->lock);
}

int gpu_is_open(struct gpu *gpu)
{
	int is_open;

	pthread_mutex_lock(&gpu->lock);
	is_open = gpu->is_open;
	pthread_mutex_unlock(&gpu->lock);
	return is_open;
}
