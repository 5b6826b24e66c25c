/* SPDX-License-Identifier: MIT */
/*
 * The collector's GPU thread, and what of NVIDIA's management library (NVML) it
 * needs, by dlopen(). Runs on: gpu_work() and below in that thread, the rest in the
 * main thread. Must not hold the lock while the driver is asked: it may take seconds
 * (a GPU that slept) or never answer (one that fell off the bus). A failure is not
 * reported: a machine without a GPU is no fault.
 */
#include "collector/watch/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "collector/processes/ticks.h"
#include "common/base/xalloc.h"

#define NVML_DEVICE_LIMIT 64u
#define NVML_PROCESS_LIMIT 1024u

/* One process on one GPU. */
struct nvml_process {
	int32_t pid;	      /* as the driver sees it: not that of a PID namespace */
	int64_t memory_bytes; /* -1: not known */
	double utilisation_percent; /* of the GPU's multiprocessors; -1: not known */
};

struct nvml {
	uint32_t device_count;
	void *devices[NVML_DEVICE_LIMIT];	  /* NULL: cannot be asked */
	uint64_t last_seen_us[NVML_DEVICE_LIMIT]; /* latest sample of utilisation */
};

#define LIBRARY "libnvidia-ml.so.1"
#define NOT_AVAILABLE UINT64_MAX

enum nvml_status { NVML_SUCCESS = 0, NVML_NOT_FOUND = 6 };

/* What the unversioned calls write, and what the later ones do. */
struct old_entry {
	uint32_t pid;
	uint64_t memory_bytes;
};
struct entry {
	uint32_t pid;
	uint64_t memory_bytes;
	uint32_t gpu_instance, compute_instance;
};

struct utilisation {
	uint32_t pid;
	uint64_t time_us;
	uint32_t multiprocessor_percent, memory_percent, encoder_percent, decoder_percent;
};

typedef int list_call(void *device, uint32_t *count, void *entries);

struct list {
	list_call *call;
	size_t entry_size;
};

static struct {
	int (*init)(void);
	int (*device_count)(uint32_t *ret);
	int (*device)(uint32_t index, void **ret);
	int (*utilisation)(void *device, struct utilisation *ret, uint32_t *count,
			   unsigned long long since_us);
	struct list lists[2]; /* compute, graphics */
} calls;

static void find_list(void *library, const char *const names[3], struct list *ret)
{
	for (size_t i = 0; i < 3 && !ret->call; i++) {
		*(void **)&ret->call = dlsym(library, names[i]);
		ret->entry_size = i < 2 ? sizeof(struct entry) : sizeof(struct old_entry);
	}
}

static bool find_calls(void *library)
{
	static const char *const compute[] = {"nvmlDeviceGetComputeRunningProcesses_v2",
					      "nvmlDeviceGetComputeRunningProcesses_v3",
					      "nvmlDeviceGetComputeRunningProcesses"};
	static const char *const graphics[] = {"nvmlDeviceGetGraphicsRunningProcesses_v2",
					       "nvmlDeviceGetGraphicsRunningProcesses_v3",
					       "nvmlDeviceGetGraphicsRunningProcesses"};

	*(void **)&calls.init = dlsym(library, "nvmlInit_v2");
	*(void **)&calls.device_count = dlsym(library, "nvmlDeviceGetCount_v2");
	*(void **)&calls.device = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
	*(void **)&calls.utilisation = dlsym(library, "nvmlDeviceGetProcessUtilization");
	find_list(library, compute, &calls.lists[0]);
	find_list(library, graphics, &calls.lists[1]);
	return calls.init && calls.device_count && calls.device &&
	       (calls.lists[0].call || calls.lists[1].call);
}

/* Loads and starts the library. 0, or -errno when it is not there, too old or finds no
 * device. There is no end: the process ends with it. */
static int nvml_open(struct nvml *ret)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	uint32_t count = 0;

	*ret = (struct nvml){.device_count = 0};
	if (!library)
		return -ENOENT;
	if (!find_calls(library))
		return -ENOSYS;
	if (calls.init() != NVML_SUCCESS || calls.device_count(&count) != NVML_SUCCESS)
		return -ENODEV;
	ret->device_count = count < NVML_DEVICE_LIMIT ? count : NVML_DEVICE_LIMIT;
	for (uint32_t i = 0; i < ret->device_count; i++) {
		if (calls.device(i, &ret->devices[i]) != NVML_SUCCESS)
			ret->devices[i] = NULL;
	}
	return ret->device_count ? 0 : -ENODEV;
}

static struct nvml_process *find_process(struct nvml_process *processes, size_t count,
					 uint32_t pid)
{
	for (size_t i = 0; i < count; i++) {
		if (processes[i].pid == (int32_t)pid)
			return &processes[i];
	}
	return NULL;
}

static void add_memory(struct nvml_process *process, uint64_t bytes)
{
	if (bytes == NOT_AVAILABLE || bytes > INT64_MAX)
		return;
	process->memory_bytes =
		(process->memory_bytes > 0 ? process->memory_bytes : 0) + (int64_t)bytes;
}

/* One list; a process has several entries when the GPU is divided (MIG). */
static size_t read_list(void *device, const struct list *list, struct nvml_process *ret)
{
	static char entries[NVML_PROCESS_LIMIT * sizeof(struct entry)];
	uint32_t limit = NVML_PROCESS_LIMIT;
	size_t kept = 0;

	/* with more processes than fit, nothing is written at all */
	if (!list->call || list->call(device, &limit, entries) != NVML_SUCCESS)
		return 0;
	for (size_t i = 0; i < limit && i < NVML_PROCESS_LIMIT; i++) {
		struct old_entry entry; /* what both have in common */
		struct nvml_process *process;

		memcpy(&entry, entries + i * list->entry_size, sizeof(entry));
		process = find_process(ret, kept, entry.pid);
		if (!process) {
			process = &ret[kept++];
			*process = (struct nvml_process){(int32_t)entry.pid, -1, -1};
		}
		add_memory(process, entry.memory_bytes);
	}
	return kept;
}

/* A process that computes and draws is in both lists, with all of its memory in each. */
static size_t add_list(struct nvml_process *ret, size_t count,
		       const struct nvml_process *more, size_t more_count)
{
	for (size_t i = 0; i < more_count; i++) {
		struct nvml_process *process =
			find_process(ret, count, (uint32_t)more[i].pid);

		if (!process && count < NVML_PROCESS_LIMIT)
			ret[count++] = more[i];
		else if (process && process->memory_bytes < more[i].memory_bytes)
			process->memory_bytes = more[i].memory_bytes;
	}
	return count;
}

/* Of a process that the driver has no sample of, it knows that it did nothing. */
static void add_utilisation(struct nvml *nvml, uint32_t device,
			    struct nvml_process *processes, size_t process_count)
{
	static struct utilisation samples[NVML_PROCESS_LIMIT];
	uint64_t since_us = nvml->last_seen_us[device];
	uint32_t count = NVML_PROCESS_LIMIT;
	int status = calls.utilisation(nvml->devices[device], samples, &count, since_us);

	if (status == NVML_NOT_FOUND)
		count = 0;
	else if (status != NVML_SUCCESS)
		return;
	for (size_t i = 0; i < process_count; i++) {
		double sum = 0, number = 0;

		for (uint32_t j = 0; j < count && j < NVML_PROCESS_LIMIT; j++) {
			if ((int32_t)samples[j].pid != processes[i].pid ||
			    samples[j].time_us <= since_us)
				continue;
			sum += samples[j].multiprocessor_percent;
			number++;
		}
		processes[i].utilisation_percent = number > 0 ? sum / number : 0;
	}
	for (uint32_t j = 0; j < count && j < NVML_PROCESS_LIMIT; j++) {
		if (samples[j].time_us > nvml->last_seen_us[device])
			nvml->last_seen_us[device] = samples[j].time_us;
	}
}

/* The processes on a GPU, at most NVML_PROCESS_LIMIT, into ret. with_utilisation: the
 * mean since the last call that asked for it; the driver renews it once a second or so.
 */
static size_t nvml_read(struct nvml *nvml, uint32_t device, bool with_utilisation,
			struct nvml_process *ret)
{
	static struct nvml_process graphics[NVML_PROCESS_LIMIT];
	size_t count, graphics_count;

	if (!nvml->devices[device])
		return 0;
	count = read_list(nvml->devices[device], &calls.lists[0], ret);
	graphics_count = read_list(nvml->devices[device], &calls.lists[1], graphics);
	count = add_list(ret, count, graphics, graphics_count);
	if (with_utilisation && calls.utilisation)
		add_utilisation(nvml, device, ret, count);
	return count;
}

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
	ARRAY_ADD(gpu->pids, gpu->pid_count) = pid;
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
