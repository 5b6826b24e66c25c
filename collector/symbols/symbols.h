/* SPDX-License-Identifier: MIT */
/*
 * Names and source lines for addresses of ELF files, offline. A confined child
 * (confined.h) reads the files. Whatever it does not survive or takes too long for is
 * asked again without debug information, then not at all. Must not read a file, or print.
 *
 * Addresses are those in the file: run-time address - bias (struct segment_module). One
 * thread at a time per symbolizer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/symbols/symbol.h"

struct segment_module;
struct symbolizer;
struct symbol_module;

struct symbolizer *symbols_new(void);

/* Frees it with everything that it returned. */
void symbols_free(struct symbolizer *symbolizer);

/*
 * Opens the file that was mapped. A build, a package or an attacker may have put another
 * file at its path, so it must match before anything is read: by build-id or, without one
 * (size 0), by device, inode, size and time. inode 0: not known.
 *
 * The module belongs to the symbolizer; the same file gives the same module. A module
 * whose file is gone, damaged or replaced resolves nothing, unless a debug file of the
 * wanted build-id is installed. The C library gets names, but no lines.
 */
struct symbol_module *symbols_open(struct symbolizer *symbolizer,
				   const struct segment_module *file);

/* Words of common/schema.sql; trouble NULL: no problem. */
const char *symbols_source(const struct symbol_module *module);
const char *symbols_trouble(const struct symbol_module *module);
enum symbols_trouble symbols_why(const struct symbol_module *module);

/* Announces a later question about the function at this entry, or the functions at this
 * return address. All announced questions go to the child with the next one asked. */
void symbols_wish_function(struct symbol_module *module, uint64_t address);
void symbols_wish_frames(struct symbol_module *module, uint64_t return_address);

/* The function whose entry is address, with file and line of its definition. 0, or
 * -ENOENT: no known function starts there. */
int symbols_function(struct symbol_module *module, uint64_t address, struct symbol *ret);

/*
 * The functions at a call, given its return address: [0] the innermost inlined one ...
 * [n-1] the physical function; file and line: the place of the call in each. Returns n >=
 * 1, or -ENOENT. Beyond capacity, or 64, the innermost are left out.
 */
int symbols_frames(struct symbol_module *module, uint64_t return_address,
		   struct symbol *ret, size_t capacity);

/* The symbol nearest to an address that no symbol covers, if it is at most `distance`
 * bytes away: a hint, not the function's name. 0 or -ENOENT. */
int symbols_near(struct symbol_module *module, uint64_t address, uint64_t distance,
		 struct symbol *ret);

/* The variable that covers this address, without its file, and the offset in it. 0, or
 * -ENOENT. */
int symbols_variable(struct symbol_module *module, uint64_t address, struct symbol *ret,
		     uint64_t *ret_offset);
