/* SPDX-License-Identifier: MIT */
/*
 * A direct-mapped table whose entries are one word each, so that whoever reads one has
 * an address and its own rule, whatever others store meanwhile.
 */
#include "shim/stacks/rules.h"

int (*rules_find_object)(uint64_t address, struct cfi_object *ret);
uint64_t rules_known[RULES_COUNT];

struct cfi_rule cold rules_learn(uint64_t return_address)
{
	union {
		uint32_t packed;
		struct cfi_rule rule;
	} as = {.rule = {.kind = CFI_ASK}};
	struct cfi_object object;

	/* below: no code; above: not a program's */
	if (return_address < 4096 || return_address >> 47 || !rules_find_object)
		return as.rule;
	if (rules_find_object(return_address - 1, &object) == 0)
		as.rule = cfi_find(&object, return_address);
	__atomic_store_n(&rules_known[rules_place(return_address)],
			 return_address >> RULES_SHIFT << 31 | as.packed,
			 __ATOMIC_RELAXED);
	return as.rule;
}

void rules_forget(void)
{
	for (uint32_t i = 0; i < RULES_COUNT; i++) {
		/* what was never written stays a page of zeros */
		if (__atomic_load_n(&rules_known[i], __ATOMIC_RELAXED))
			__atomic_store_n(&rules_known[i], 0, __ATOMIC_RELAXED);
	}
}
