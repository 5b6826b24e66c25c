/* SPDX-License-Identifier: MIT */
/*
 * Samples of /proc/PID: CPU, memory, faults, I/O, threads and their names. Must not grow
 * without bound, or stop the processes that it looks at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * One look at one process. cpu_percent: of one CPU, since the last look. Faults, bytes
 * read and written (by read(), write() and the like, cached or not) and the wait for a
 * CPU count from the start of the process. -1: not known.
 */
struct resource_sample {
	int32_t pid;
	uint32_t round;
	uint64_t start_ticks; /* with pid: which process */
	uint64_t monotonic_ns;
	double cpu_percent;
	int64_t rss_bytes, minor_faults, major_faults, read_bytes, write_bytes;
	int64_t thread_count;
	int64_t cpu_wait_ns; /* ready to run without a CPU, all threads; a lower bound */
};

/* A thread as of its last look. -1: not known. */
struct resource_thread {
	int32_t pid, tid;
	char name[16];
	int64_t cpu_ns, ready_ns; /* since its start: computing, waiting for a CPU */
};

struct resources {
	struct resource_sample *samples; /* in the order of rounds */
	size_t count;
	struct resource_thread *threads;
	size_t thread_count;
	uint32_t round;
	uint64_t interval_ns, next_ns;
	uint64_t begin_ns,
		begin_cpu_ns; /* start of this round, and our thread's CPU time */
};

/* Sums over a process's threads: CPU time, waiting for a CPU, and times they got one. */
struct resource_threads {
	int64_t cpu_ns, wait_ns, run_count;
};

/* What is remembered of a process between two looks. */
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

/* Begins to observe a process; its CPU time counts from here. */
void resources_process_init(struct resource_process *process, int32_t pid,
			    uint64_t start_ticks);

/* Is it time for a round of looks? If so, takes its number; call resources_round_end()
 * after the looks. Expensive rounds are rarer: looking takes at most 2 % of a CPU. */
int resources_round_begin(struct resources *resources, uint64_t monotonic_ns);
void resources_round_end(struct resources *resources);

/* Halves the rounds of samples that are `size` bytes each, sorted by round, with the
 * round's number at round_offset. are_same: are two samples of one thing? join: merges
 * the later into the earlier, of equally long rounds. Returns the new count. */
size_t resources_halve(void *samples, size_t count, size_t size, size_t round_offset,
		       bool (*are_same)(const void *a, const void *b),
		       void (*join)(void *earlier, const void *later));

/* Looks at a process. Beyond RESOURCES_LIMIT samples, neighbours in time are merged and
 * looks become half as frequent. Does nothing when the process is gone or memory is
 * short. */
void resources_sample(struct resources *resources, struct resource_process *process);

/* Returns false when the process is gone, or the kernel does not tell. */
bool resources_read_threads(int32_t pid, struct resource_threads *ret);

/* Notes all current threads of the process, replacing what was known of them. */
void resources_note_threads(struct resources *resources, int32_t pid);

/* What is known about a thread, or NULL. Borrowed until the next note. */
struct resource_thread *resources_thread(const struct resources *resources, int32_t pid,
					 int32_t tid);
