/* SPDX-License-Identifier: MIT */
/* Command lines, as all programs read them. */
#include "common/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/command.h"
#include "common/base/xalloc.h"
#include "common/plain_text.h"

/* Edit distance between short words. Must not allocate. */

#define LONGEST 63

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned nearest_distance(const char *a, const char *b)
{
	size_t a_size = strnlen(a, LONGEST), b_size = strnlen(b, LONGEST);
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b_size; j++)
		last[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned *oldest = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);
			unsigned best = smaller(last[j], now[j - 1]) + 1;

			best = smaller(best, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				best = smaller(best, before[j - 2] + 1);
			now[j] = best;
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[b_size];
}

const char *nearest_word(const char *wanted, const char *const *words, size_t count)
{
	unsigned best = (unsigned)(strlen(wanted) > 4 ? 3 : 2);
	const char *nearest = NULL;

	for (size_t i = 0; i < count; i++) {
		unsigned distance = nearest_distance(wanted, words[i]);

		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}

/*
 * Counts what a regular expression unrolls to. Must not refuse what people write: dates,
 * version numbers, C++ names.
 *
 * Tried with glibc 2.36: ten + around one group with an anchor take more than 20 s to
 * compile, and so does (^a?)+ 150 times over. Without anchors in repeated parts, what
 * unrolls to 2,000 characters takes at most 2 s, and usually no time.
 */

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

/* A hidden character needs no more room when shown; an invalid byte 3 times as much. */
#define GROWTH 3

static char *plain(const char *text)
{
	size_t size = GROWTH * strlen(text) + 4;
	char *copy = malloc(size);

	return copy ? plain_text_copy(copy, size, text) : NULL;
}

static const struct argp_option *find_short(const struct argp_option *options, char key)
{
	for (; options->name || options->doc; options++)
		if (options->key == key)
			return options;
	return NULL;
}

/* Finds an option by name or unique prefix, as getopt does; NULL: none, or several. */
static const struct argp_option *find_long(const struct argp_option *options,
					   const char *word)
{
	const struct argp_option *found = NULL;
	size_t size = strcspn(word, "=");
	bool is_alone = true;

	for (; options->name || options->doc; options++) {
		if (!options->name || strncmp(options->name, word, size) != 0)
			continue;
		if (!options->name[size])
			return options;
		is_alone &= !found || strcmp(found->name, options->name) == 0;
		found = options;
	}
	return is_alone ? found : NULL;
}

/* Will argp recognize the word as options? *takes_next: the next word is a value. */
static bool is_known(const char *word, const struct argp_option *options,
		     bool *takes_next)
{
	const struct argp_option *option;
	const char *value;

	if (word[1] == '-') {
		option = find_long(options, word + 2);
		value = strchr(word, '=');
		*takes_next = option && option->arg && !value &&
			      !(option->flags & OPTION_ARG_OPTIONAL);
		return option && (option->arg || !value);
	}
	*takes_next = false;
	for (const char *at = word + 1; *at && !*takes_next; at++) {
		option = find_short(options, *at);
		if (!option)
			return false;
		if (option->arg && at[1])
			return true;
		*takes_next = option->arg != NULL;
	}
	return true;
}

/* Cleans the first word that argp will complain about, as argp shows it unchanged. */
static void clean(int argc, char **argv, const struct argp_option *options,
		  unsigned flags)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		bool takes_next = false;

		if (argv[i][0] != '-' || !argv[i][1]) {
			if (flags & ARGP_IN_ORDER)
				return;
			continue;
		}
		if (!is_known(argv[i], options, &takes_next)) {
			char *copy = plain(argv[i]);

			argv[i] = copy ? copy : argv[i];
			return;
		}
		i += takes_next;
	}
}

void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		   void *input)
{
	clean(argc, argv, argp->options, flags);
	argp_err_exit_status = STATUS_USAGE;
	argv[0] = program_invocation_short_name;
	argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input);
}

void options_help(const struct argp *argp, const char *title)
{
	auto_free char *name = strdup(title);

	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	argp_help(argp, stdout, ARGP_HELP_STD_HELP, name);
}

void options_refuse(const struct argp_state *state, const char *format, ...)
{
	char *raw, *shown = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&raw, format, arguments) >= 0) {
		shown = plain(raw);
		free(raw);
	}
	va_end(arguments);
	argp_error(state, "%s", shown ? shown : "out of memory");
}

bool options_number(const char *text, long least, long most, long *ret)
{
	char *end;

	errno = 0;
	*ret = strtol(text, &end, 10);
	return !errno && end != text && !*end && *ret >= least && *ret <= most;
}
