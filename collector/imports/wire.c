/* SPDX-License-Identifier: MIT */
/* Fields of protocol buffers. */
#include "collector/imports/wire.h"

#include <stddef.h>

enum wire_type { NUMBER = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };

static bool damaged(struct wire *message)
{
	message->is_damaged = true;
	message->at = message->end;
	return false;
}

static bool take_number(struct wire *message, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; message->at < message->end && shift < 64; shift += 7) {
		uint8_t byte = *message->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*ret = value;
		return true;
	}
	return damaged(message);
}

static bool take_bytes(struct wire *message, uint64_t size, struct wire *ret)
{
	if (size > (uint64_t)(message->end - message->at))
		return damaged(message);
	*ret = (struct wire){message->at, message->at + size, false};
	message->at += size;
	return true;
}

bool wire_next(struct wire *message, struct wire_field *ret)
{
	while (message->at < message->end) {
		uint64_t head, size;
		struct wire passed;

		if (!take_number(message, &head))
			return false;
		*ret = (struct wire_field){.number = (uint32_t)(head >> 3)};
		switch (head & 7) {
		case NUMBER:
			ret->is_number = true;
			return take_number(message, &ret->value);
		case BYTES:
			return take_number(message, &size) &&
			       take_bytes(message, size, &ret->bytes);
		case FIXED_64:
		case FIXED_32:
			if (!take_bytes(message, (head & 7) == FIXED_64 ? 8 : 4, &passed))
				return false;
			break;
		default:
			return damaged(message);
		}
	}
	return false;
}

bool wire_next_number(struct wire_field *field, uint64_t *ret)
{
	if (field->is_number) {
		*ret = field->value;
		field->is_number = false; /* it was the only one: bytes are none */
		return true;
	}
	return field->bytes.at < field->bytes.end && take_number(&field->bytes, ret);
}
