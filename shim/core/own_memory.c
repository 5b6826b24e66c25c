/* SPDX-License-Identifier: MIT */
/*
 * The list of our mappings, and mappings that are not locked. Runs on: traced threads,
 * any context; slow paths only, the gate entered. Must not call libc or lock.
 */
#include "shim/core/own_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "shim/core/gate.h"
#include "shim/core/syscall.h"

#define PAGE_BYTES 4096ull
#define OWN_LIMIT 4096
#define SEED_TAKEN 1 /* a thread is at work with it: microseconds */
#define SEED_STEPS (GATE_WAIT_SPINS + 4)
#define UNDUMPED_BYTES (1ull << 20)

/* start 0: free; stored last, and first when it ends. */
static struct {
	uintptr_t start;
	uint64_t size;
} own[OWN_LIMIT];
static uint32_t own_end; /* entries from here on have never been used */

static uintptr_t seed; /* 0: nothing is locked */

void own_memory_add(const void *start, uint64_t size)
{
	if (size >= UNDUMPED_BYTES) /* where that is refused, cores are larger */
		SYSCALL(SYS_madvise, start, size, MADV_DONTDUMP, 0, 0, 0);
	own_memory_list(start, size);
}

void own_memory_list(const void *start, uint64_t size)
{
	for (uint32_t i = 0; i < OWN_LIMIT; i++) {
		uintptr_t expected = 0;
		uint32_t end = __atomic_load_n(&own_end, __ATOMIC_RELAXED);

		if (__atomic_load_n(&own[i].start, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&own[i].start, &expected,
						 (uintptr_t)start, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&own[i].size, size, __ATOMIC_RELEASE);
		while (end <= i &&
		       !__atomic_compare_exchange_n(&own_end, &end, i + 1, 0,
						    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
		return;
	}
}

void own_memory_remove(const void *start)
{
	uint32_t end = __atomic_load_n(&own_end, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		if (__atomic_load_n(&own[i].start, __ATOMIC_RELAXED) != (uintptr_t)start)
			continue;
		__atomic_store_n(&own[i].size, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&own[i].start, 0, __ATOMIC_RELEASE);
		return;
	}
}

int own_memory_find(uintptr_t low, uintptr_t high, struct extent *ret)
{
	uint32_t end = __atomic_load_n(&own_end, __ATOMIC_ACQUIRE);
	int found = 0;

	for (uint32_t i = 0; i < end; i++) {
		uintptr_t start = __atomic_load_n(&own[i].start, __ATOMIC_ACQUIRE);
		uint64_t size = __atomic_load_n(&own[i].size, __ATOMIC_ACQUIRE);

		if (!start || !size || start >= high || start + size <= low ||
		    (found && start >= ret->low))
			continue;
		*ret = (struct extent){start, start + size};
		found = 1;
	}
	return found;
}

static long map(uint64_t size)
{
	return SYSCALL(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static uintptr_t take_seed(void)
{
	for (int i = 0; i < SEED_STEPS; i++) {
		uintptr_t taken =
			__atomic_exchange_n(&seed, SEED_TAKEN, __ATOMIC_ACQ_REL);

		if (taken != SEED_TAKEN)
			return taken;
		gate_wait(i);
	}
	return SEED_TAKEN;
}

static long grow_seed(uint64_t size)
{
	uintptr_t page = take_seed();
	long address;

	if (page == SEED_TAKEN)
		return -EAGAIN;
	size = (size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	address = SYSCALL(SYS_mremap, page, PAGE_BYTES, size + PAGE_BYTES, MREMAP_MAYMOVE,
			  0, 0);
	if (!syscall_failed(address)) {
		own_memory_remove((void *)page);
		page = (uintptr_t)address + size;
		own_memory_add((void *)page, PAGE_BYTES);
	}
	__atomic_store_n(&seed, page, __ATOMIC_RELEASE);
	return address;
}

long own_memory_map(uint64_t size)
{
	long address =
		__atomic_load_n(&seed, __ATOMIC_RELAXED) ? grow_seed(size) : map(size);

	if (!syscall_failed(address))
		own_memory_add((void *)address, size);
	return address;
}

int own_memory_expects_locks(void)
{
	return __atomic_load_n(&seed, __ATOMIC_RELAXED) != 0;
}

int own_memory_expect_locks(void)
{
	uintptr_t expected = 0;
	long page;

	if (__atomic_load_n(&seed, __ATOMIC_RELAXED))
		return 0;
	page = map(PAGE_BYTES);
	if (syscall_failed(page))
		return (int)page;
	own_memory_add((void *)page, PAGE_BYTES);
	if (!__atomic_compare_exchange_n(&seed, &expected, (uintptr_t)page, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		own_memory_remove((void *)page);
		SYSCALL(SYS_munmap, page, PAGE_BYTES, 0, 0, 0, 0);
	}
	return 0;
}

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
