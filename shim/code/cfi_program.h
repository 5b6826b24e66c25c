/* SPDX-License-Identifier: MIT */
/* Numbers out of .eh_frame, never past its end. Runs on: any thread and context. */
#pragma once

#include <stdint.h>

/* What is left to read of a table. */
struct cfi_reader {
	const uint8_t *at, *end;
	int is_bad; /* it ended early, or has what is not understood */
};

static inline uint64_t cfi_take(struct cfi_reader *reader, unsigned int size)
{
	uint64_t value = 0;

	if ((uintptr_t)(reader->end - reader->at) < size) {
		reader->is_bad = 1;
		reader->at = reader->end;
		return 0;
	}
	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)reader->at[i] << (8 * i);
	reader->at += size;
	return value;
}

/* LEB128; what is beyond 64 bits is read and dropped. ret_sign: of a signed number, the
 * bits above those that were read when it is negative; else 0. */
static inline uint64_t cfi_take_leb(struct cfi_reader *reader, uint64_t *ret_sign)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = cfi_take(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*ret_sign = shift < 64 && (byte & 0x40) ? ~0ull << shift : 0;
	return value;
}

static inline uint64_t cfi_take_uleb(struct cfi_reader *reader)
{
	uint64_t sign;

	return cfi_take_leb(reader, &sign);
}

static inline int64_t cfi_take_sleb(struct cfi_reader *reader)
{
	uint64_t sign, value = cfi_take_leb(reader, &sign);

	return (int64_t)(value | sign);
}

static inline void cfi_skip(struct cfi_reader *reader, uint64_t size)
{
	if ((uint64_t)(reader->end - reader->at) < size) {
		reader->is_bad = 1;
		size = 0;
	}
	reader->at += size;
}

/*
 * The instructions of .eh_frame, carried out. Runs on: any thread and context. Must not
 * call libc or allocate.
 */

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
		CFI_PLACE_AT_POINTER, /* stored where the frame pointer points to */
		CFI_PLACE_OTHER,
	} kind;
	int64_t offset; /* from the CFA, of what is stored */
};

/* In the place of a register: the CFA is stored at an offset from the frame pointer; it
 * is something else. */
#define CFI_CFA_STORED (UINT64_MAX - 1)
#define CFI_CFA_OTHER UINT64_MAX

/* A row of the table that the instructions describe, as far as it matters. */
struct cfi_row {
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct cfi_place frame_pointer, stack_pointer, return_address;
};

/* The row for the code `offset` bytes behind the start of what the instructions
 * describe. 0: there is something that is not understood. */
int cfi_run(const struct cfi_common *common, struct cfi_reader instructions,
	    uint64_t offset, struct cfi_row *ret);
