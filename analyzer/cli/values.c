/* SPDX-License-Identifier: MIT */
/*
 * Values of options read, and refused without echoing what could steer the terminal.
 * Must not show a word of the command line that was not cleaned.
 */
#include "analyzer/cli/values.h"

#include "common/base/utf8.h"
#include "common/base/xalloc.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_LEAST 300
#define WIDTH_MOST 100000

/* "--limit: 'many' is not a number of rows" */
static void refuse(struct argp_state *state, const char *before, const char *text,
		   const char *after)
{
	struct strbuf clean = {0};

	utf8_clean(&clean, text);
	argp_error(state, "%s'%s'%s", before, strbuf_text(&clean), after);
	strbuf_free(&clean);
}

const struct renderer *cli_parse_format(const char *text, struct argp_state *state)
{
	struct strbuf names = {0};

	strbuf_puts(&names, "; there are ");
	for (size_t i = 0; i < renderer_registry_count; i++) {
		if (strcmp(renderer_registry[i]->name, text) == 0) {
			strbuf_free(&names);
			return renderer_registry[i];
		}
		strbuf_printf(&names, "%s%s", i ? ", " : "", renderer_registry[i]->name);
	}
	refuse(state, "--format: there is no format ", text, strbuf_text(&names));
	strbuf_free(&names);
	return NULL;
}

long cli_parse_limit(const char *text, struct argp_state *state)
{
	char *end;
	long limit;

	errno = 0;
	limit = strtol(text, &end, 10);
	if (!*text || *end || errno || limit < 0)
		refuse(state, "--limit: ", text, " is not a number of rows");
	return limit;
}

double cli_parse_share(const char *text, struct argp_state *state)
{
	char *end;
	double share = strtod(text, &end);

	if (*text && strcmp(end, "%") == 0)
		end++;
	if (!*text || *end || !(share >= 0 && share <= 100))
		refuse(state, "--min-share: ", text, " is not a percentage");
	return share;
}

#define TEXT_OF(number) #number
#define RANGE(least, most) TEXT_OF(least) " to " TEXT_OF(most)

unsigned cli_parse_width(const char *text, struct argp_state *state)
{
	char *end;
	long width = strtol(text, &end, 10);

	if (!*text || *end || width < WIDTH_LEAST || width > WIDTH_MOST)
		refuse(state, "--width: ", text,
		       " is not a number of pixels from " RANGE(WIDTH_LEAST, WIDTH_MOST));
	return (unsigned)width;
}

/* Whether getopt will take the word for one of the options: then its value goes to the
 * parser as it is. */
static bool is_known(const char *word, const struct argp_option *options)
{
	size_t size = strcspn(word + 2, "="), matches = 0;
	const char *last = "";

	for (const struct argp_option *option = options; option->name; option++) {
		if (word[1] != '-') {
			if (option->key == word[1] && option->arg)
				return true;
			continue;
		}
		if (strncmp(option->name, word + 2, size) != 0)
			continue;
		if (!option->name[size])
			return option->arg || !word[2 + size];
		matches += strcmp(option->name, last) != 0;
		last = option->name;
	}
	return matches == 1;
}

void cli_clean_options(int argc, char **argv, const struct argp_option *options)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		struct strbuf clean = {0};

		if (argv[i][0] != '-' || !argv[i][1] || is_known(argv[i], options))
			continue;
		utf8_clean(&clean, argv[i]);
		argv[i] = clean.data;
	}
}
