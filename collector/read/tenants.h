/* SPDX-License-Identifier: MIT */
/*
 * The processes that had a slot before the one that has it. Must not trust a count or an
 * offset in the file.
 */
#pragma once

#include "collector/read/process.h"

/* Appends the former processes of the slot whose owner is the last one of the array (of
 * *count, grown by array_room()), from the slot's header, and gives each its threads.
 * Returns the array, maybe moved. */
struct read_process *read_tenants(struct read_process *processes, size_t *count,
				  const struct segment_reader *reader,
				  const struct segment_process *header);
