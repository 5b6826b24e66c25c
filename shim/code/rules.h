/* SPDX-License-Identifier: MIT */
/*
 * The rules of the frames that have been met, by return address; for all threads and,
 * after a fork, for the child. Runs on: traced threads, inside an allocation hook. Must
 * not lock: rules are read and learned by several threads at once.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/code/cfi.h"

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
