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

static inline uint64_t cfi_take_uleb(struct cfi_reader *reader)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = cfi_take(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t cfi_take_sleb(struct cfi_reader *reader)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = cfi_take(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~0ull << shift;
	return (int64_t)value;
}

static inline void cfi_skip(struct cfi_reader *reader, uint64_t size)
{
	if ((uint64_t)(reader->end - reader->at) < size) {
		reader->is_bad = 1;
		size = 0;
	}
	reader->at += size;
}
