/* SPDX-License-Identifier: MIT */
/*
 * Memory of our own: which mappings of this process are ours, how to get another one
 * that mlockall(MCL_FUTURE) does not fill and lock, and the major faults that ours cost.
 * Runs on: traced threads, any context; slow paths only, the gate entered. Must not call
 * libc or lock.
 *
 * FUTURE LOCKS. After MCL_FUTURE every new mapping is filled with pages, locked, and
 * counted against RLIMIT_MEMLOCK; our sparse ones are hundreds of MiB. But a mapping
 * that is enlarged (mremap) stays what it was. So a page mapped before is kept as a
 * seed: it grows to what is wanted, and its last page is the seed from then on.
 */
#pragma once

#include <stdint.h>

/* A piece of the address space. */

struct extent {
	uintptr_t low, high; /* [low, high) */
};

/* A mapping of ours has begun, ends. Past 4,096 at once they count as the program's.
 * Large ones, which are sparse, are kept out of core files. */
void own_memory_add(const void *start, uint64_t size);
/* One that is the copy of such a mapping, and is kept out like it. */
void own_memory_list(const void *start, uint64_t size);
void own_memory_remove(const void *start);

/* The lowest of our mappings that has a part in [low, high), as a whole. 0: none. */
int own_memory_find(uintptr_t low, uintptr_t high, struct extent *ret);

/* Zeroed private memory. Its address, or -errno. */
long own_memory_map(uint64_t size);

/* From here on mappings are made without being locked. 0, or -errno. Once is enough. */
int own_memory_expect_locks(void);

/* Has it been called? */
int own_memory_expects_locks(void);

/*
 * Our own major faults: disk file systems count the first touch of a hole as one, which
 * is not the program's. Up to main() they are measured; later the same share of the
 * reserved pages is taken for them: getrusage is a call that sandboxes kill for. Runs on:
 * traced threads, any context, the gate entered.
 */

/* main() begins: from here on nothing is measured by system calls that a program of this
 * kind would not make. */
void faults_main_begins(void);

/* Around the reservation of so many pages: what to give to faults_of(), and the faults
 * that it has cost. */
long faults_before(void);
uint64_t faults_of(uint64_t pages, long before);
