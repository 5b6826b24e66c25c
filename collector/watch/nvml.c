/* SPDX-License-Identifier: MIT */
/*
 * NVML by dlopen(): its types, as far as needed, and calls. Runs on: the collector's GPU
 * thread. Must not report failures: a machine without a GPU is no fault.
 *
 * Which of the versions of a call exists depends on the driver. The process lists are
 * asked for by the name _v2 first: behind _v3 the layout of some drivers of the 535
 * series had a field more than that of all others.
 */
#include "collector/watch/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

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

int nvml_open(struct nvml *ret)
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

static struct nvml_process *find(struct nvml_process *processes, size_t count,
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
		process = find(ret, kept, entry.pid);
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
		struct nvml_process *process = find(ret, count, (uint32_t)more[i].pid);

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

size_t nvml_read(struct nvml *nvml, uint32_t device, bool with_utilisation,
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
