/* SPDX-License-Identifier: MIT */
/*
 * What libc calls moved, by process, path and target. Targets of one kind and name are
 * one in all processes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/libc/records.h"

struct transfers_target {
	uint32_t kind;	  /* enum segment_target_kind */
	const char *name; /* interned in names, except for target 0 */
};

struct transfers_row {
	uint32_t process, path, target;
	uint32_t is_source; /* calls that copied from there */
	int64_t total_ns;
	uint64_t call_count, bytes, small_count, sequential_count, failed_count;
	uint64_t largest_bytes;
};

/* Bytes moved in a process by calls that the kernel counts, too. */
struct transfers_seen {
	uint64_t read_bytes, write_bytes;
};

/* All zero is empty. Sums end at UINT64_MAX. */
struct transfers {
	struct transfers_target *targets; /* [0] is the unknown one */
	size_t target_count;
	struct transfers_row *rows;
	size_t row_count;
	struct transfers_seen *seen; /* by process; may be shorter */
	size_t seen_count;
	struct map target_map, row_map;
	struct intern names;
	uint64_t lost_count, lost_bytes; /* on no known path */
};

/* Returns the target's number, made if needed; 0 for kind 0. */
uint32_t transfers_target(struct transfers *transfers, uint32_t kind, const char *name);

/* Adds calls. total_ns: what they took. */
void transfers_add(struct transfers *transfers, uint32_t process, uint32_t path,
		   uint32_t target, const struct segment_transfer *from,
		   int64_t total_ns);

/* Adds what reading or writing calls moved, for comparison with the kernel's count. */
void transfers_see(struct transfers *transfers, uint32_t process, uint64_t read_bytes,
		   uint64_t write_bytes);

/* Adds calls whose path is not known. */
void transfers_lose(struct transfers *transfers, uint64_t count, uint64_t bytes);

void transfers_done(struct transfers *transfers);
