/* SPDX-License-Identifier: MIT */
/* What this is: addresses and lines of the fixtures, found without the
 * code under test. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"
#include "collector/symbols/symbols.h"

/* All fail the running test when there is nothing to return. */

/* The path of a fixture; in a buffer that the next call overwrites. */
const char *fixture(const char *name);
int fixture_exists(const char *name);

/* The value of a symbol of an unstripped fixture; name may be a prefix up to a '.', so
 * that "hidden" finds "hidden.isra.0". */
uint64_t address_of(const char *file, const char *symbol);

/* The return address of the first direct call of callee inside caller. */
uint64_t return_address_of(const char *file, const char *caller, const char *callee);

/* The line of a source file with the comment "at: MARK". */
uint32_t line_of(const char *source, const char *mark);

/* Copies the build-id; its size. */
size_t build_id_of(const char *file, uint8_t *ret, size_t capacity);

/* The file as it is now, to be known by its build-id or, with size 0, by its inode, size
 * and time of change. Borrows both. */
struct segment_module file_at(const char *path, const uint8_t *build_id, size_t size);

/* A fixture as a process lists it, without its build-id. */
struct segment_module module_of(const char *name);
