/* SPDX-License-Identifier: MIT */
/*
 * The processes that had a slot before the one that has it. Must not trust a count or an
 * offset in the file.
 */
#pragma once

#include "collector/read/read.h"
#include "collector/read/segment_file.h"

/* Reads the header of a process slot, as of one process. 0 or -EINVAL. */
int read_tenants_header(const struct segment_reader *reader, uint32_t slot,
			struct segment_process *ret);

/* Appends the former processes of the slot whose owner was read last, from this header,
 * and gives each its threads. 0 or -ENOMEM. */
int read_tenants(struct read_run *run, const struct segment_reader *reader,
		 const struct segment_process *header);
