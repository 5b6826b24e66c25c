/* SPDX-License-Identifier: MIT */
/* The files of a run that are mapped. Runs on: the constructor. */
#pragma once

#include <stdint.h>

#include "shim/image/spool.h"

/* A sparse file of the run that is to be created and mapped. */
struct new_file {
	const char *name;
	uint64_t file_size, map_size;
	uint64_t reserved_size; /* so much of it can be touched */
};

/* Creates a file in the run's directory and maps it. 0, or -errno: nothing is left. */
int new_file_map(const struct spool *spool, const struct new_file *file, void **ret);

/* A limit on file size or address space asks for a smaller file and smaller slots. Below
 * what even those need: the name of the limit, NULL otherwise. */
const char *new_file_sizes(uint64_t *ret_slot_size, uint64_t *ret_slot_limit);
