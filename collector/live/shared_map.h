/* SPDX-License-Identifier: MIT */
/*
 * Mappings of files that somebody else may cut short, or whose file system may be full:
 * an access that the kernel answers with SIGBUS finds zeros. Runs on: shared_map(),
 * shared_unmap(): one thread; the mappings: any thread. Must not be used for a program's
 * own files, where SIGBUS would tell the truth.
 *
 * A mapping installs a handler for SIGBUS, which stays. It puts private, zeroed
 * pages in the place of the whole mapping, so what is written from then on reaches
 * nobody, and leaves every other SIGBUS to what there was before it.
 */
#pragma once

#include <stdint.h>

/* At one time. */
#define SHARED_MAP_LIMIT 8

/* Maps [offset, offset + size) of a file, shared. Returns the start, or NULL: out of
 * memory, or too many. */
void *shared_map(int fd, uint64_t offset, uint64_t size, int protection);
void shared_unmap(const void *start);

/* Has the file been cut, or its disk been full, since it was mapped? */
int shared_map_is_lost(const void *start);
