/* SPDX-License-Identifier: MIT */
/*
 * A direct-mapped table whose entries are one word each, so that whoever reads one has
 * an address and its own rule, whatever others store meanwhile.
 */
#include "shim/code/rules.h"

#include "shim/code/code.h"

uint64_t rules_known[RULES_COUNT];

struct cfi_rule cold rules_learn(uint64_t return_address)
{
	union {
		uint32_t packed;
		struct cfi_rule rule;
	} as = {.rule = {.kind = CFI_UNKNOWN}};
	struct cfi_object tables;
	struct code code;

	/* below: no code; above: not a program's */
	if (return_address < 4096 || return_address >> 47)
		return (struct cfi_rule){.kind = CFI_ODD};
	/* nobody tells when other code comes there: it is not remembered */
	if (code_find(return_address - 1, &code) < 0)
		return as.rule;
	if (code_tables(&code, &tables) == 0)
		as.rule = cfi_find(&tables, return_address);
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
