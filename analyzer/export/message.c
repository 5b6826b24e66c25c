/* SPDX-License-Identifier: MIT */
/* Numbers of seven bits a byte, the lowest first. */
#include "analyzer/export/message.h"

#define OF_NUMBER 0
#define OF_BYTES 2

static void put(struct strbuf *to, uint64_t value)
{
	char bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (char)(value | 0x80);
	bytes[size++] = (char)value;
	strbuf_add(to, bytes, size);
}

void message_pack(struct strbuf *packed, int64_t value)
{
	put(packed, (uint64_t)value);
}

void message_number(struct strbuf *message, unsigned field, int64_t value)
{
	if (!value)
		return;
	put(message, field << 3 | OF_NUMBER);
	put(message, (uint64_t)value);
}

void message_bytes(struct strbuf *message, unsigned field, const char *data, size_t size)
{
	put(message, field << 3 | OF_BYTES);
	put(message, size);
	strbuf_add(message, data, size);
}
