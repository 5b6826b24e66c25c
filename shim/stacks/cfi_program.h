/* SPDX-License-Identifier: MIT */
/*
 * The instructions of .eh_frame, carried out. Runs on: any thread and context. Must not
 * call libc or allocate.
 */
#pragma once

#include <stdint.h>

#include "shim/stacks/cfi_reader.h"

/* Numbers of registers in DWARF for x86-64. */
#define CFI_FRAME_POINTER 6u
#define CFI_STACK_POINTER 7u
#define CFI_RETURN_ADDRESS 16u

/* What many entries have in common (a CIE). */
struct cfi_common {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding; /* of addresses */
	int is_augmented;
	int is_signal; /* of the frames that the kernel makes */
	struct cfi_reader instructions;
};

/* Where the caller's value of a register is. */
struct cfi_place {
	enum {
		CFI_PLACE_UNSET,
		CFI_PLACE_SAME,
		CFI_PLACE_UNDEFINED,
		CFI_PLACE_STORED,
		CFI_PLACE_OTHER,
	} kind;
	int64_t offset; /* from the CFA, of what is stored */
};

/* A row of the table that the instructions describe, as far as it matters. */
struct cfi_row {
	uint64_t cfa_register; /* UINT64_MAX: an expression */
	int64_t cfa_offset;
	struct cfi_place frame_pointer, stack_pointer, return_address;
};

/* The row for the code `offset` bytes behind the start of what the instructions
 * describe. 0: there is something that is not understood. */
int cfi_run(const struct cfi_common *common, struct cfi_reader instructions,
	    uint64_t offset, struct cfi_row *ret);
