/* SPDX-License-Identifier: MIT */
/*
 * The few calls of NVIDIA's management library (NVML) that tell which process uses how
 * much of which GPU. The library is looked for at run time; nothing of it is needed to
 * build. Runs on: the collector's GPU thread: a call may take seconds. Must not be used
 * in the traced program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Loads and starts the library. 0, or -errno when it is not there, too old or finds no
 * device. There is no end: the process ends with it. */
int nvml_open(struct nvml *ret);

/* The processes on a GPU, at most NVML_PROCESS_LIMIT, into ret. with_utilisation: the
 * mean since the last call that asked for it; the driver renews it once a second or so.
 */
size_t nvml_read(struct nvml *nvml, uint32_t device, bool with_utilisation,
		 struct nvml_process *ret);
