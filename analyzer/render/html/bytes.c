/* SPDX-License-Identifier: MIT */
/* Numbers as bytes, and those as text. */
#include "analyzer/render/html/bytes.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <zlib.h>

void bytes_add(struct strbuf *buffer, uint64_t value)
{
	for (; value > 127; value >>= 7)
		strbuf_putc(buffer, (char)(value | 128));
	strbuf_putc(buffer, (char)value);
}

void bytes_add_signed(struct strbuf *buffer, int64_t value)
{
	bytes_add(buffer, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void write_base64(const unsigned char *bytes, size_t size, FILE *out)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t three = (uint32_t)bytes[i] << 16 |
				 (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		putc_unlocked(letters[three >> 18], out);
		putc_unlocked(letters[three >> 12 & 63], out);
		putc_unlocked(left > 1 ? letters[three >> 6 & 63] : '=', out);
		putc_unlocked(left > 2 ? letters[three & 63] : '=', out);
	}
}

void bytes_write(const struct strbuf *buffer, FILE *out)
{
	uLong size = compressBound(buffer->size);
	unsigned char *packed = xmalloc(size);

	if (compress2(packed, &size, (const unsigned char *)strbuf_text(buffer),
		      buffer->size, 9) != Z_OK)
		abort();
	write_base64(packed, size, out);
	free(packed);
}
