/* SPDX-License-Identifier: MIT */
/*
 * A line on stderr under prof-record's name. Must not write to standard output, which is
 * the program's; let a name or a value steer the terminal.
 */
#include "record/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/plain_text.h"

/* A hidden character takes no more room when it is shown, a byte that is not UTF-8 three
 * times as much. */
#define GROWTH 3

void record_say(const char *format, ...)
{
	va_list arguments;

	char *raw = NULL, *plain = NULL;
	int length;

	va_start(arguments, format);
	length = vasprintf(&raw, format, arguments);
	va_end(arguments);
	if (length >= 0)
		plain = malloc(GROWTH * (size_t)length + 4);
	fprintf(stderr, "prof-record: %s\n",
		plain ? plain_text_copy(plain, GROWTH * (size_t)length + 4, raw)
		      : "out of memory");
	free(plain);
	if (length >= 0)
		free(raw);
}
