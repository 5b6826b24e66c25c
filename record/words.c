/* SPDX-License-Identifier: MIT */
/* Splits words like sh, without its expansions. Must not expand or run anything. */
#include "record/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of splitting: reads from `in`, writes unquoted characters to `out`. */
struct splitting {
	const char *in;
	char *out;
	char *error;
	size_t error_size;
};

static int refuse(const struct splitting *at, char what)
{
	snprintf(at->error, at->error_size,
		 "'%c' is for a shell: quote it, or give sh -c '...' on both sides",
		 what);
	return -EINVAL;
}

static int refuse_open_end(const struct splitting *at, const char *what)
{
	snprintf(at->error, at->error_size, "it ends %s", what);
	return -EINVAL;
}

/* in is behind the opening quote. */
static int take_single_quoted(struct splitting *at)
{
	for (; *at->in && *at->in != '\''; at->in++)
		*at->out++ = *at->in;
	if (!*at->in)
		return refuse_open_end(at, "inside a quotation");
	at->in++;
	return 0;
}

/* Inside double quotes a backslash only quotes these. */
static int take_double_quoted(struct splitting *at)
{
	for (; *at->in && *at->in != '"'; at->in++) {
		if (*at->in == '$' || *at->in == '`')
			return refuse(at, *at->in);
		if (*at->in == '\\' && at->in[1] == '\n') {
			at->in++;
			continue;
		}
		if (*at->in == '\\' && at->in[1] && strchr("$`\"\\", at->in[1]))
			at->in++;
		*at->out++ = *at->in;
	}
	if (!*at->in)
		return refuse_open_end(at, "inside a quotation");
	at->in++;
	return 0;
}

static int take_escaped(struct splitting *at)
{
	if (!*at->in)
		return refuse_open_end(at, "with a backslash");
	if (*at->in != '\n')
		*at->out++ = *at->in;
	at->in++;
	return 0;
}

static int take_word(struct splitting *at)
{
	const char *start = at->in;
	int result = 0;

	while (!result && *at->in && !isspace((unsigned char)*at->in)) {
		char c = *at->in;

		if (strchr("|&;<>()$`*?[", c) || (at->in == start && strchr("~#", c)))
			return refuse(at, c);
		at->in++;
		if (c == '\'')
			result = take_single_quoted(at);
		else if (c == '"')
			result = take_double_quoted(at);
		else if (c == '\\')
			result = take_escaped(at);
		else
			*at->out++ = c;
	}
	*at->out++ = '\0';
	return result;
}

/* Is it NAME=VALUE in front of the program? */
static bool is_assignment(const char *word)
{
	const char *p = word;

	while (isalpha((unsigned char)*p) || *p == '_' ||
	       (p > word && isdigit((unsigned char)*p)))
		p++;
	return p > word && *p == '=';
}

static int check_program(const struct splitting *at, const char *program)
{
	if (program && *program && !is_assignment(program))
		return 0;
	if (program && *program)
		snprintf(at->error, at->error_size,
			 "'%s' sets a variable, which is for a shell: give env %s ... on "
			 "both sides",
			 program, program);
	else
		snprintf(at->error, at->error_size, "it names no program");
	return -EINVAL;
}

int record_words(const char *text, char ***ret, char *error, size_t error_size)
{
	size_t length = strlen(text), most = length / 2 + 1, count = 0;
	char **words = calloc(1, (most + 1) * sizeof(*words) + length + 1);
	struct splitting at = {text, NULL, error, error_size};
	int result = 0;

	if (!words)
		return -ENOMEM;
	at.out = (char *)(words + most + 1);
	for (;;) {
		while (isspace((unsigned char)*at.in))
			at.in++;
		if (!*at.in || result)
			break;
		words[count++] = at.out;
		result = take_word(&at);
	}
	if (!result)
		result = check_program(&at, words[0]);
	if (result) {
		free(words);
		words = NULL;
	}
	*ret = words;
	return result;
}
