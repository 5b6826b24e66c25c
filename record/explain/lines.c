/* SPDX-License-Identifier: MIT */
/* Wrapping. What comes from a file cannot steer the terminal. */
#include "record/explain/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plain_text.h"

#define COLUMNS 80
#define LABEL_COLUMNS 13
#define TEXT_MOST 8192

static void wrap(const char *label, const char *text)
{
	int indent = label ? LABEL_COLUMNS : 0, column = indent, is_first = 1;

	if (label)
		printf("  %-*s", LABEL_COLUMNS - 2, label);
	while (*text) {
		int length;

		text += strspn(text, " ");
		length = (int)strcspn(text, " ");
		if (!is_first && column + 1 + length > COLUMNS) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (!is_first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", length, text);
		column += length;
		text += length;
		is_first = 0;
	}
	putchar('\n');
}

static __attribute__((format(printf, 2, 0))) void
say(const char *label, const char *format, va_list arguments)
{
	char plain[TEXT_MOST], *raw = NULL;

	if (vasprintf(&raw, format, arguments) < 0)
		return;
	wrap(label, plain_text_copy(plain, sizeof(plain), raw));
	free(raw);
}

void lines_say(const char *label, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(label, format, arguments);
	va_end(arguments);
}

void lines_tell(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(NULL, format, arguments);
	va_end(arguments);
}
