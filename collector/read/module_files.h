/* SPDX-License-Identifier: MIT */
/*
 * The files that processes have mapped, each once: thousands of processes of one program
 * map the same ones. Runs on: any thread, one at a time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/segment.h"

/* Where a process has one of them: as in struct segment_module. */
struct read_module {
	uint64_t start, end, bias;
	uint64_t unload_ticks;
	/* of what it says of the file; borrowed, the path ends with NUL */
	const struct segment_module *file;
};

/* All zero is none. */
struct module_files {
	struct segment_module **all;
	size_t count;
	struct map map;
};

/* A module with its file, which is valid until module_files_done(). *from is made
 * plausible. */
struct read_module module_files_place(struct module_files *files,
				      struct segment_module *from);
void module_files_done(struct module_files *files);
