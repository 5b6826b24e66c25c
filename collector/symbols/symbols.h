/* SPDX-License-Identifier: MIT */
/*
 * Names and source lines for addresses of ELF files, offline. A confined child
 * (confined.h) reads the files; what it does not survive, or takes too long for, is asked
 * again without debug information, then not at all. Must not read a file, or print.
 *
 * Addresses here are those in the file: run-time address - bias (struct
 * segment_module). One thread at a time per symbolizer.
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

/* What it gave is gone. */
void symbols_free(struct symbolizer *symbolizer);

/*
 * The file that was mapped. Another one may lie at its path by now, put there by a build,
 * a package or somebody who means harm, so nothing is read before it was recognised: by
 * its build-id or, when it has none (size 0), by device, inode, size and time. inode 0:
 * that is not known.
 *
 * The module belongs to the symbolizer; the same file gives the same module. A module
 * whose file is gone, damaged or another one resolves nothing, unless a debug file of the
 * wanted build-id is installed. The C library gets names, but no lines.
 */
struct symbol_module *symbols_open(struct symbolizer *symbolizer,
				   const struct segment_module *file);

/* Words of common/schema.sql; trouble NULL: nothing is wrong. */
const char *symbols_source(const struct symbol_module *module);
const char *symbols_trouble(const struct symbol_module *module);
enum symbols_trouble symbols_why(const struct symbol_module *module);

/* That the function at this entry, or the functions at this return address, will be asked
 * for: what is wished for goes to the child at once with the next question. */
void symbols_wish_function(struct symbol_module *module, uint64_t address);
void symbols_wish_frames(struct symbol_module *module, uint64_t return_address);

/* The function whose entry is address; file and line are those of its definition. 0, or
 * -ENOENT: no function starts there, as far as is known. */
int symbols_function(struct symbol_module *module, uint64_t address, struct symbol *ret);

/*
 * The functions at a call, given its return address: [0] the innermost inlined one ...
 * [n-1] the physical function; file and line: the place of the call in each of them.
 * Returns n >= 1, or -ENOENT. When there are more than capacity, or than 64, the
 * innermost are left out.
 */
int symbols_frames(struct symbol_module *module, uint64_t return_address,
		   struct symbol *ret, size_t capacity);

/* The name of the symbol nearest to an address that no symbol covers, when it is at most
 * `distance` bytes away: a hint, not the name of the function. 0 or -ENOENT. */
int symbols_near(struct symbol_module *module, uint64_t address, uint64_t distance,
		 struct symbol *ret);

/* The variable that covers this address, and how far into it that is. The file is not
 * told. 0, or -ENOENT. */
int symbols_variable(struct symbol_module *module, uint64_t address, struct symbol *ret,
		     uint64_t *ret_offset);
