/* SPDX-License-Identifier: MIT */
/*
 * What this is:  an upper bound of what a regular expression is unrolled to.
 * Runs on:       prof-analyze, any thread.
 * Must not:      refuse what people write: dates, version numbers, C++ names.
 * See also:      analyzer/base/pattern.h
 */
#include "analyzer/base/pattern.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST 1000
#define COPIES_MOST 2000

/* The higher number of "{2,5}"; 1 when it is no such thing. */
static unsigned long interval(const char *text)
{
	char *end;
	unsigned long low = strtoul(text + 1, &end, 10), high = low;

	if (*end == ',')
		high = strtoul(end + 1, &end, 10);
	high = high > low ? high : low;
	return *end == '}' && high ? high : 1;
}

const char *pattern_refuse(const char *pattern)
{
	unsigned long copies = 1;

	if (strlen(pattern) > BYTES_MOST)
		return "is longer than 1,000 bytes";
	for (const char *at = pattern; *at; at++) {
		unsigned long more = 1;

		if (*at == '\\' && at[1]) {
			if (*++at >= '1' && *at <= '9')
				return "has a back-reference";
		} else if (*at == '{') {
			more = interval(at);
		} else if (*at == '+' && at > pattern && strchr(")}+*", at[-1])) {
			more = 2; /* x+ is x and x* */
		}
		if (more > COPIES_MOST || (copies *= more) > COPIES_MOST)
			return "repeats more than 2,000 times";
	}
	return NULL;
}
