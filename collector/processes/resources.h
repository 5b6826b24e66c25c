/* SPDX-License-Identifier: MIT */
/*
 * Samples of /proc/PID: CPU, memory, faults, I/O, threads and their names. Must not grow
 * without bound, or stop the processes it looks at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * One look at one process. cpu_percent: of one CPU, since the look before; minor and
 * major faults, read and written bytes (of read() and write() and their kin, cached or
 * not) and the wait for a CPU are counted from the start of the process. -1: not known.
 */
struct resource_sample {
	int32_t pid;
	uint32_t round;
	uint64_t start_ticks; /* with pid: which process */
	uint64_t monotonic_ns;
	double cpu_percent;
	int64_t rss_bytes, minor_faults, major_faults, read_bytes, write_bytes;
	int64_t thread_count;
	int64_t cpu_wait_ns; /* ready to run without a CPU, all threads; at least */
};

/* A thread that was seen, when it was looked at last. -1: not known. */
struct resource_thread {
	int32_t pid, tid;
	char name[16];
	int64_t cpu_ns, ready_ns; /* since it was made: computed, waited for a CPU */
};

struct resources {
	struct resource_sample *samples; /* in the order of rounds */
	size_t count;
	struct resource_thread *threads;
	size_t thread_count;
	uint32_t round;
	uint64_t interval_ns, next_ns;
	uint64_t begin_ns, begin_cpu_ns; /* of this round; of the calling thread's CPU */
};

/* Of the threads that a process has: what they have computed, and have waited for a CPU
 * until they did, and how often they got one. */
struct resource_threads {
	int64_t cpu_ns, wait_ns, run_count;
};

/* What has to be remembered of a process between two looks. */
struct resource_process {
	int32_t pid;
	uint64_t start_ticks;
	clockid_t cpu_clock;
	int has_clock;
	uint64_t cpu_ns, monotonic_ns;	 /* at the last look */
	int64_t wait_ns;		 /* sum over the looks */
	struct resource_threads threads; /* at the last look */
	uint64_t
		own_major_faults; /* caused by the shim; the caller keeps it up to date */
};

#define RESOURCES_INTERVAL_NS 100000000ull
#define RESOURCES_LIMIT 20000u

void resources_init(struct resources *resources);
void resources_done(struct resources *resources);

/* Starts to look at a process; its CPU time counts from here. */
void resources_process_init(struct resource_process *process, int32_t pid,
			    uint64_t start_ticks);

/* Is it time for a round of looks? When so, takes its number; call
 * resources_round_end() after the looks. Rounds that cost much come less often: looking
 * takes at most a fiftieth of a CPU. */
int resources_round_begin(struct resources *resources, uint64_t monotonic_ns);
void resources_round_end(struct resources *resources);

/* Makes one round of each two: of samples of a size in the order of rounds, whose number
 * is at an offset. are_same: of one thing; join: makes one of two, into the earlier one,
 * whose rounds took equally long. Returns how many there are then. */
size_t resources_halve(void *samples, size_t count, size_t size, size_t round_offset,
		       bool (*are_same)(const void *a, const void *b),
		       void (*join)(void *earlier, const void *later));

/* Looks at a process. Past RESOURCES_LIMIT samples, neighbours in time are merged and
 * looks come half as often. Silently does nothing when the process is gone or memory is
 * short. */
void resources_sample(struct resources *resources, struct resource_process *process);

/* false: it is gone, or the kernel does not tell. */
bool resources_read_threads(int32_t pid, struct resource_threads *ret);

/* Notes all threads that the process has now, replacing what was known of them. */
void resources_note_threads(struct resources *resources, int32_t pid);

/* What is known, or NULL. Borrowed until others are noted. */
struct resource_thread *resources_thread(const struct resources *resources, int32_t pid,
					 int32_t tid);
