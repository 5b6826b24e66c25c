/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a line on stderr under prof-record's name.
 * Runs on:       prof-record.
 * Must not:      write to standard output, which is the program's.
 * See also:      record_say.h
 */
#include "shim/collector/record_say.h"

#include <stdarg.h>
#include <stdio.h>

void record_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("prof-record: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}
