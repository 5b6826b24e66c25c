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

#include "common/attributes.h"
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

/* The function, or the part of one that the compiler has moved elsewhere, whose unwind
 * information covers the address. 0, or -ENOENT. */
int code_function(const struct code *code, uintptr_t address, struct extent *ret);

/*
 * The rules of the frames that have been met, by return address; for all threads and,
 * after a fork, for the child. Runs on: traced threads, inside an allocation hook. Must
 * not lock: rules are read and learned by several threads at once.
 */

#define RULES_SHIFT 14u
#define RULES_COUNT (1u << RULES_SHIFT)

/* Addresses of programs have 47 bits: the upper 33 of a return address, a rule in 31. */
extern hidden uint64_t rules_known[RULES_COUNT];

struct cfi_rule rules_learn(uint64_t return_address);

/* Forgets all: code has gone, and other code may come to its addresses. */
void rules_forget(void);

static inline uint32_t rules_place(uint64_t return_address)
{
	return (uint32_t)(return_address ^ return_address >> RULES_SHIFT ^
			  return_address >> 2 * RULES_SHIFT) %
	       RULES_COUNT;
}

static inline struct cfi_rule rules_of(uint64_t return_address)
{
	uint64_t known = __atomic_load_n(&rules_known[rules_place(return_address)],
					 __ATOMIC_RELAXED);
	union {
		uint32_t packed;
		struct cfi_rule rule;
	} as = {.packed = (uint32_t)known & 0x7fffffffu};

	if (likely(known >> 31 == return_address >> RULES_SHIFT && as.rule.kind))
		return as.rule;
	return rules_learn(return_address);
}
