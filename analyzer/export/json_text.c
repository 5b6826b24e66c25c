/* SPDX-License-Identifier: MIT */
/* Strings and exact decimal numbers of JSON. */
#include "analyzer/export/json_text.h"

#include <inttypes.h>
#include <stdlib.h>

void json_put_text(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		unsigned char letter = (unsigned char)*text;

		if (letter < 0x20)
			fprintf(out, "\\u%04x", letter);
		else if (letter == '"' || letter == '\\')
			fprintf(out, "\\%c", letter);
		else
			putc(letter, out);
	}
	putc('"', out);
}

void json_put_scaled(FILE *out, int64_t value, unsigned digits)
{
	uint64_t amount = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	fprintf(out, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", amount / unit,
		(int)digits, amount % unit);
}
