/* SPDX-License-Identifier: MIT */
/*
 * Reading of protocol buffers: the fields of a message one by one. Must not know which
 * messages there are, or read a byte behind the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct wire {
	const uint8_t *at, *end;
	bool is_damaged; /* what follows is no field */
};

struct wire_field {
	uint32_t number;
	bool is_number; /* value; else bytes */
	uint64_t value;
	struct wire bytes;
};

/* The next field; false at the end, or where the message is damaged. Fields of fixed
 * size, which nobody here wants, are passed over. */
bool wire_next(struct wire *message, struct wire_field *ret);
/* The numbers of a repeated field, packed or one by one: the next of this field; false
 * when there are no more (bytes.is_damaged: the last is cut). */
bool wire_next_number(struct wire_field *field, uint64_t *ret);
