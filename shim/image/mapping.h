/* SPDX-License-Identifier: MIT */
/*
 * Which file is mapped at an address, as the kernel knows it. Runs on: traced threads,
 * any context (slow path of the tree), under the process lock. Must not call libc, or
 * touch errno.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"

/* Writes the path of what is mapped at the address: absolute, whatever name it was opened
 * by and wherever the program has gone since, "[vdso]" and the like, or empty when
 * nothing has a name there or it does not fit. *ret_deleted: the file is no longer at
 * that path. 0, or -errno: /proc cannot be read. */
int mapping_path(uint64_t address, char *path, size_t size, int *ret_deleted);

/* Notes which file lies at module->path now. Without effect when none does. */
void mapping_identify(struct segment_module *module);

/* Makes a relative path absolute from the current directory. Without
 * effect on failure. */
void mapping_absolute(char *path, size_t size);
