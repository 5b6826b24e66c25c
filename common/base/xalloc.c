/* SPDX-License-Identifier: MIT */
/* Allocation that cannot fail. */
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xalloc_end *before_end;
static void *before_end_context;

void xalloc_before_end(xalloc_end *end, void *context)
{
	before_end = end;
	before_end_context = context;
}

static void *check(void *block)
{
	if (block)
		return block;
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	if (before_end)
		before_end(before_end_context);
	exit(1);
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *block, size_t count, size_t size)
{
	return check(reallocarray(block, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return check(strdup(text));
}

char *xstrndup(const char *text, size_t size)
{
	return check(strndup(size ? text : "", size));
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return check(text);
}
