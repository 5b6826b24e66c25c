/* SPDX-License-Identifier: MIT */
/*
 * Reading .eh_frame (LSB Core, chapter 10; DWARF 4, section 6.4), as far as cfi.h needs
 * it. Whatever else is met there makes the answer CFI_ODD.
 */
#include "shim/code/cfi.h"

#include <stddef.h>

#include "shim/code/cfi_program.h"

enum pointer_encoding {
	POINTER_FORMAT = 0x0f,
	POINTER_PCREL = 0x10,
	POINTER_DATAREL = 0x30,
	POINTER_UDATA4 = 0x03,
	POINTER_SDATA4 = 0x0b,
};

/* A value in the format of the encoding, without what it is relative to. */
static uint64_t take_formatted(struct cfi_reader *reader, uint8_t encoding)
{
	switch (encoding & POINTER_FORMAT) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return cfi_take(reader, 8);
	case 0x01:
		return cfi_take_uleb(reader);
	case 0x09:
		return (uint64_t)cfi_take_sleb(reader);
	case 0x02:
		return cfi_take(reader, 2);
	case 0x0a:
		return (uint64_t)(int16_t)cfi_take(reader, 2);
	case 0x03:
		return cfi_take(reader, 4);
	case POINTER_SDATA4:
		return (uint64_t)(int32_t)cfi_take(reader, 4);
	default:
		reader->is_bad = 1;
		return 0;
	}
}

static uint64_t take_pointer(struct cfi_reader *reader, uint8_t encoding)
{
	uint64_t place = (uint64_t)(uintptr_t)reader->at;
	uint64_t value = take_formatted(reader, encoding);

	if ((encoding & ~POINTER_FORMAT) == POINTER_PCREL)
		return value + place;
	if (encoding & ~POINTER_FORMAT)
		reader->is_bad = 1;
	return value;
}

/* The entry around an address in the sorted table of .eh_frame_hdr; NULL: none. */
static const uint8_t *search(const struct cfi_object *object, uint64_t address)
{
	const uint8_t *header = object->header;
	struct cfi_reader reader = {header, (const uint8_t *)object->high, 0};
	uint64_t count, from = 0, to, base = (uint64_t)(uintptr_t)header;
	uint8_t frames_encoding, count_encoding, table_encoding;

	if (cfi_take(&reader, 1) != 1)
		return NULL;
	frames_encoding = (uint8_t)cfi_take(&reader, 1);
	count_encoding = (uint8_t)cfi_take(&reader, 1);
	table_encoding = (uint8_t)cfi_take(&reader, 1);
	/* what all linkers write */
	if (table_encoding != (POINTER_DATAREL | POINTER_SDATA4) ||
	    frames_encoding != (POINTER_PCREL | POINTER_SDATA4) ||
	    count_encoding != POINTER_UDATA4)
		return NULL;
	take_formatted(&reader, frames_encoding);
	count = take_formatted(&reader, count_encoding);
	if (reader.is_bad || count > (uint64_t)(reader.end - reader.at) / 8)
		return NULL;
	/* the last entry that begins at the address or below */
	for (to = count; from < to;) {
		uint64_t middle = (from + to) / 2;
		struct cfi_reader entry = {reader.at + 8 * middle, reader.end, 0};

		if (base + take_formatted(&entry, POINTER_SDATA4) <= address)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == 0)
		return NULL;
	reader.at += 8 * (from - 1) + 4;
	base += take_formatted(&reader, POINTER_SDATA4);
	return base >= object->low && base < object->high
		       ? (const uint8_t *)(uintptr_t)base
		       : NULL;
}

/* The bytes of a record of .eh_frame behind its length. */
static struct cfi_reader open_record(const struct cfi_object *object, const uint8_t *at)
{
	struct cfi_reader reader = {at, (const uint8_t *)object->high, 0};
	uint64_t length = cfi_take(&reader, 4);

	/* 0 ends the section, ~0 announces 64 bits of length */
	if (length == 0 || length > (uint64_t)(reader.end - reader.at))
		reader.is_bad = 1;
	else
		reader.end = reader.at + length;
	return reader;
}

/* The letters behind the 'z' of an augmentation, and their data. */
static void read_augmentation(struct cfi_common *common, struct cfi_reader *reader,
			      const uint8_t *letters)
{
	uint64_t size = cfi_take_uleb(reader);
	struct cfi_reader data = *reader;

	cfi_skip(reader, size);
	data.end = reader->at;
	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			common->encoding = (uint8_t)cfi_take(&data, 1);
			break;
		case 'L':
			cfi_take(&data, 1);
			break;
		case 'P':
			encoding = (uint8_t)cfi_take(&data, 1);
			take_formatted(&data, encoding);
			break;
		case 'S':
			common->is_signal = 1;
			break;
		default:
			reader->is_bad = 1;
		}
	}
	reader->is_bad |= data.is_bad;
}

static int read_common(const struct cfi_object *object, const uint8_t *at,
		       struct cfi_common *common)
{
	struct cfi_reader reader = open_record(object, at);
	const uint8_t *letters;
	uint64_t version;

	*common = (struct cfi_common){0};
	if (cfi_take(&reader, 4) != 0)
		return 0;
	version = cfi_take(&reader, 1);
	letters = reader.at;
	while (cfi_take(&reader, 1) != 0)
		;
	if (reader.is_bad || (version != 1 && version != 3))
		return 0;
	common->code_factor = cfi_take_uleb(&reader);
	common->data_factor = cfi_take_sleb(&reader);
	if ((version == 1 ? cfi_take(&reader, 1) : cfi_take_uleb(&reader)) !=
	    CFI_RETURN_ADDRESS)
		return 0;
	common->is_augmented = *letters == 'z';
	if (common->is_augmented)
		read_augmentation(common, &reader, letters + 1);
	else if (*letters)
		return 0;
	common->instructions = reader;
	return !reader.is_bad;
}

/* A frame of code that an entry describes. */
struct entry {
	struct cfi_common common;
	uint64_t start, size;
	struct cfi_reader instructions;
};

static int read_entry(const struct cfi_object *object, const uint8_t *at,
		      uint64_t address, struct entry *ret)
{
	struct cfi_reader reader = open_record(object, at);
	const uint8_t *place = reader.at;
	uint64_t back = cfi_take(&reader, 4);

	if (reader.is_bad || back == 0 || back > (uintptr_t)place - object->low ||
	    !read_common(object, place - back, &ret->common))
		return 0;
	ret->start = take_pointer(&reader, ret->common.encoding);
	ret->size = take_formatted(&reader, ret->common.encoding & POINTER_FORMAT);
	if (ret->common.is_augmented)
		cfi_skip(&reader, cfi_take_uleb(&reader));
	ret->instructions = reader;
	return !reader.is_bad && address - ret->start < ret->size;
}

/* As glibc describes the code that a handler returns to: nothing is where it is in a
 * frame of a function. */
static int is_of_kernel(const struct cfi_row *row)
{
	return row->cfa_register == CFI_CFA_OTHER &&
	       row->frame_pointer.kind == CFI_PLACE_OTHER &&
	       row->stack_pointer.kind == CFI_PLACE_OTHER &&
	       row->return_address.kind == CFI_PLACE_OTHER;
}

static struct cfi_rule realigned_rule(const struct cfi_row *row)
{
	int64_t below = -row->cfa_offset;

	if (row->frame_pointer.kind != CFI_PLACE_AT_POINTER || below <= 0 || below % 8 ||
	    below / 8 > 0x7fff)
		return (struct cfi_rule){.kind = CFI_ODD};
	return (struct cfi_rule){.kind = CFI_REALIGNED,
				 .cfa_words = (uint32_t)(below / 8) & 0x7fff};
}

static struct cfi_rule rule_of(const struct cfi_row *row)
{
	const struct cfi_rule odd = {.kind = CFI_ODD};
	const struct cfi_place *saved = &row->frame_pointer;
	struct cfi_rule rule = {.kind = CFI_STEP};

	if (row->return_address.kind == CFI_PLACE_UNDEFINED)
		return (struct cfi_rule){.kind = CFI_END};
	if (row->return_address.kind != CFI_PLACE_STORED ||
	    row->return_address.offset != -8 ||
	    row->stack_pointer.kind != CFI_PLACE_UNSET)
		return odd;
	if (row->cfa_register == CFI_CFA_STORED)
		return realigned_rule(row);
	if (row->cfa_register != CFI_STACK_POINTER &&
	    row->cfa_register != CFI_FRAME_POINTER)
		return odd;
	rule.is_from_frame_pointer = row->cfa_register == CFI_FRAME_POINTER;
	if (row->cfa_offset <= 0 || row->cfa_offset % 8 || row->cfa_offset / 8 > 0x7fff)
		return odd;
	rule.cfa_words = (uint32_t)(row->cfa_offset / 8) & 0x7fff;
	if (saved->kind == CFI_PLACE_STORED) {
		if (saved->offset > -16 || saved->offset % 8 ||
		    saved->offset / -8 > 0xfff)
			return odd;
		rule.saved_words = (uint32_t)(saved->offset / -8) & 0xfff;
	} else if (saved->kind != CFI_PLACE_UNSET && saved->kind != CFI_PLACE_SAME) {
		return odd;
	}
	return rule;
}

struct cfi_rule cfi_find(const struct cfi_object *object, uint64_t return_address)
{
	/* the call is before the place where it returns to, which may be another
	 * function's */
	uint64_t address = return_address - 1;
	const uint8_t *at = search(object, address);
	struct cfi_row row;
	struct entry entry;

	if (!at || !read_entry(object, at, address, &entry))
		return (struct cfi_rule){.kind = CFI_UNKNOWN};
	if (!cfi_run(&entry.common, entry.instructions, address - entry.start, &row))
		return (struct cfi_rule){.kind = CFI_ODD};
	if (entry.common.is_signal)
		return (struct cfi_rule){.kind = is_of_kernel(&row) ? CFI_SIGNAL
								    : CFI_ODD};
	return rule_of(&row);
}

int cfi_function(const struct cfi_object *object, uint64_t address, struct extent *ret)
{
	const uint8_t *at = search(object, address);
	struct entry entry;

	if (!at || !read_entry(object, at, address, &entry) || entry.common.is_signal)
		return 0;
	*ret = (struct extent){entry.start, entry.start + entry.size};
	return 1;
}
