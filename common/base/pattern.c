/* SPDX-License-Identifier: MIT */
/*
 * Counts what a regular expression unrolls to. Must not refuse what people write: dates,
 * version numbers, C++ names.
 *
 * Tried with glibc 2.36: ten + around one group with an anchor take more than 20 s to
 * compile, and so does (^a?)+ 150 times over. Without anchors in repeated parts, what
 * unrolls to 2,000 characters takes at most 2 s, and usually no time.
 */
#include "common/base/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST 1000
#define COPIES_MOST 2000

/* What is between two parentheses so far. last: its latest part. */
struct group {
	unsigned long size, last;
	bool has_anchor, last_has_anchor;
};

/* The higher number of "{2,5}"; 1 for other text. */
static unsigned long interval(const char *text)
{
	char *end;
	unsigned long low = strtoul(text + 1, &end, 10), high = low;

	if (*end == ',')
		high = strtoul(end + 1, &end, 10);
	high = high > low ? high : low;
	return *end == '}' && high ? high : 1;
}

/* How many copies of the latest part this repetition makes. */
static unsigned long copies(const char *at)
{
	return *at == '{' ? interval(at) : *at == '+' ? 2 : 1; /* x+ is x and x* */
}

static void add(struct group *group, unsigned long size, bool has_anchor)
{
	group->size += size;
	group->last = size;
	group->last_has_anchor = has_anchor;
	group->has_anchor |= has_anchor;
}

/* The end of a bracket expression. */
static const char *skip_bracket(const char *at)
{
	const char *end = at + 1 + (at[1] == '^');

	end = *end ? strchr(end + 1, ']') : NULL;
	return end ? end : at;
}

/* The end of "{2,5}", or `at` for other text. */
static const char *skip_interval(const char *at)
{
	const char *end = at + 1 + strspn(at + 1, "0123456789,");

	return *at == '{' && *end == '}' ? end : at;
}

static const char *repeat(struct group *group, const char *at)
{
	unsigned long more = copies(at);

	if (group->last_has_anchor && *at != '?')
		return "repeats a group with an anchor";
	if (more > COPIES_MOST || group->last * more > COPIES_MOST)
		return "repeats more than 2,000 times";
	group->size += group->last * (more - 1);
	group->last *= more;
	return NULL;
}

static const char *check(const char *at, struct group *groups)
{
	size_t depth = 0;

	for (; *at; at++) {
		struct group *group = &groups[depth];
		const char *refused = NULL;

		if (*at == '\\' && at[1]) {
			if (*++at >= '1' && *at <= '9')
				return "has a back-reference";
			add(group, 1, strchr("<>bB`'", *at) != NULL);
		} else if (*at == '(') {
			groups[++depth] = (struct group){.size = 0};
		} else if (*at == ')' && depth) {
			add(&groups[--depth], group->size + 1, group->has_anchor);
		} else if (strchr("*+?{", *at)) {
			refused = repeat(group, at);
			at = skip_interval(at);
		} else {
			add(group, 1, *at == '^' || *at == '$');
			if (*at == '[')
				at = skip_bracket(at);
		}
		if (refused)
			return refused;
		if (groups[depth].size > COPIES_MOST)
			return "repeats more than 2,000 times";
	}
	return NULL;
}

const char *pattern_refuse(const char *pattern)
{
	struct group groups[BYTES_MOST + 1] = {{.size = 0}};

	if (strlen(pattern) > BYTES_MOST)
		return "is longer than 1,000 bytes";
	return check(pattern, groups);
}
