/* SPDX-License-Identifier: MIT */
/*
 * The code around an address, as the loader mapped it, and what the object's headers and
 * its tables for unwinding say of it. Runs on: traced threads, any context:
 * _dl_find_object() takes no lock. Must not read what the object's program headers do not
 * say is mapped.
 */
#pragma once

#include <link.h>
#include <stdint.h>

#include "shim/code/cfi.h"
#include "shim/core/own_memory.h"

/* The program headers of an object that is mapped from here on, in its first page, and
 * their number; NULL: it has none there. */
const ElfW(Phdr) * code_segments(uintptr_t start, unsigned int *ret_count);

struct code {
	struct extent object; /* all of its segments */
	struct extent text;   /* the executable segment around the address */
	int protection;	      /* of the text, PROT_* */
	const void *frames;   /* .eh_frame_hdr, or NULL */
};

/* 0, or -ENOENT: in no object, or in none of its executable segments that can be read. */
int code_find(uintptr_t address, struct code *ret);

/* Is some of [low, high) code of an object that has its first or last byte? */
int code_is_in(uintptr_t low, uintptr_t high);

/* Does the object have readable memory there? */
int code_is_mapped(const struct code *code, uintptr_t address, uint64_t size);

/* Its tables for unwinding. 0, or -ENOENT. */
int code_tables(const struct code *code, struct cfi_object *ret);

/* The function, or the part of one that the compiler has moved elsewhere, whose unwind
 * information covers the address. 0, or -ENOENT. */
int code_function(const struct code *code, uintptr_t address, struct extent *ret);
