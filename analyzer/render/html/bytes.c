/* SPDX-License-Identifier: MIT */
/* Data for the scripts of a page. */
#include "analyzer/render/html/bytes.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void bytes_add_signed(struct strbuf *buffer, int64_t value)
{
	strbuf_put_leb128(buffer, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
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

void bytes_write(FILE *out, const char *id, json_t *head, const struct strbuf *numbers)
{
	auto_free char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;
	ended_by(strbuf_free) struct strbuf buffer = {0};
	unsigned long size;
	auto_free unsigned char *packed = NULL;

	if (!text)
		abort();
	strbuf_put_leb128(&buffer, strlen(text));
	strbuf_puts(&buffer, text);
	strbuf_add(&buffer, strbuf_text(numbers), numbers->size);
	size = compressBound(buffer.size);
	packed = xmalloc(size);
	if (compress2(packed, &size, (const unsigned char *)strbuf_text(&buffer),
		      buffer.size, 9) != Z_OK)
		abort();
	fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
	write_base64(packed, size, out);
	fputs("</script>\n", out);
	json_decref(head);
}
