/* SPDX-License-Identifier: MIT */
/* Major faults: measured up to main(), estimated from then on. */
#include "shim/core/faults.h"

#include <sys/resource.h>

#include "shim/core/syscall.h"

/* Major page faults of this thread so far. */
static long major_faults(void)
{
	struct rusage usage;

	if (SYSCALL(SYS_getrusage, RUSAGE_THREAD, &usage, 0, 0, 0, 0) < 0)
		return 0;
	return usage.ru_majflt;
}

/* A forked child goes on with its parent's numbers. */
static uint64_t measured_faults, measured_pages;
static int main_has_begun;

void faults_main_begins(void)
{
	main_has_begun = 1;
}

/* Relaxed: sums for an estimate; before main() there are hardly other threads. */
static uint64_t measure_faults(uint64_t pages, long before)
{
	uint64_t faults = (uint64_t)(major_faults() - before);

	__atomic_fetch_add(&measured_faults, faults, __ATOMIC_RELAXED);
	__atomic_fetch_add(&measured_pages, pages, __ATOMIC_RELAXED);
	return faults;
}

static uint64_t estimate_faults(uint64_t pages)
{
	uint64_t of = __atomic_load_n(&measured_pages, __ATOMIC_RELAXED);
	uint64_t faults = __atomic_load_n(&measured_faults, __ATOMIC_RELAXED);

	return of ? (pages * faults + of / 2) / of : 0;
}

long faults_before(void)
{
	return main_has_begun ? 0 : major_faults();
}

uint64_t faults_of(uint64_t pages, long before)
{
	return main_has_begun ? estimate_faults(pages) : measure_faults(pages, before);
}
