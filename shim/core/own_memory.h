/* SPDX-License-Identifier: MIT */
/*
 * Our own memory: which mappings of this process are ours, how to map more that
 * mlockall(MCL_FUTURE) does not fill and lock, and the major faults that they cost. Runs
 * on: traced threads, any context; slow paths only, the gate entered. Must not call libc
 * or lock.
 *
 * FUTURE LOCKS. After MCL_FUTURE every new mapping is filled with pages, locked, and
 * counted against RLIMIT_MEMLOCK; our sparse ones are hundreds of MiB. But a mapping that
 * is enlarged (mremap) keeps its mode. So we keep a page mapped before that as a seed: it
 * grows to the wanted size, and its last page is the next seed.
 */
#pragma once

#include <stdint.h>

/* A piece of the address space. */

struct extent {
	uintptr_t low, high; /* [low, high) */
};

/* Record that a mapping of ours begins or ends. Past 4,096 at once they count as the
 * program's. Large ones, which are sparse, are kept out of core files. */
void own_memory_add(const void *start, uint64_t size);
/* The same for a copy of such a mapping, which is kept out already. */
void own_memory_list(const void *start, uint64_t size);
void own_memory_remove(const void *start);

/* The lowest of our mappings that overlaps [low, high), whole. 0: none does. */
int own_memory_find(uintptr_t low, uintptr_t high, struct extent *ret);

/* Zeroed private memory. Its address, or -errno. */
long own_memory_map(uint64_t size);

/* From here on mappings are made without being locked. 0, or -errno. Once is enough. */
int own_memory_expect_locks(void);

/* Has it been called? */
int own_memory_expects_locks(void);

/*
 * Our own major faults: disk file systems count the first touch of a hole as one. Until
 * main() we measure them; later we assume the same share of the reserved pages, since
 * sandboxes may kill for getrusage. Runs on: traced threads, any context, the gate
 * entered.
 */

/* main() begins: from here on we measure nothing by unusual system calls. */
void faults_main_begins(void);

/* Bracket a reservation of pages. faults_before(): what to pass to faults_of(), which
 * returns the faults that it cost. */
long faults_before(void);
uint64_t faults_of(uint64_t pages, long before);
