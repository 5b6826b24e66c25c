/* SPDX-License-Identifier: MIT */
/*
 * Which functions of a file call each other, and who has their addresses, from the file's
 * code and data. Must not disassemble: a use is told by where it leads, so that bytes
 * which only look like one give a use too many, and none is missed.
 *
 * WHAT IS LOOKED FOR. In code, at every byte, what leads to the entry of a function: four
 * bytes behind the opcode of a call or jump, or of "lea", which takes the address; in a
 * program that has fixed addresses, four bytes that are it. In data, eight bytes that are
 * it, and relocations that put it there. What a file exports others may call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "collector/symbols/budget.h"
#include "collector/symbols/table.h"

#define DIRECT_CALLS_NOBODY UINT32_MAX /* data, another file, or code without a name */

/* SHORT: by a jump of two bytes, which other instructions look like now and then: of a
 * function that calls a hook at its end it is none. HELD: the address is taken. */
enum direct_kind { DIRECT_CALL, DIRECT_SHORT, DIRECT_HELD };

/* Of the function `to`, by the code of `from`: indices of the table's entries. A function
 * that has its own address has no use for it: that is what its hooks are given. */
struct direct_use {
	uint32_t to, from;
	enum direct_kind kind;
};

/* In the order of `to`, each once. */
struct direct_calls {
	struct direct_use *uses; /* owned; NULL: nothing can be told */
	size_t count;
};

/* Of x86-64. Fills *ret, with nothing where the budget is over before all was looked at.
 * table: of that file, in order. Free with direct_calls_done(). */
void direct_calls_find(Elf *elf, const struct symbol_table *table, struct budget *budget,
		       struct direct_calls *ret);
void direct_calls_done(struct direct_calls *calls);

/* The uses of one function. */
const struct direct_use *direct_calls_of(const struct direct_calls *calls, uint32_t to,
					 size_t *ret_count);
