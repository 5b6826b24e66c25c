/* SPDX-License-Identifier: MIT */
/* Command lines, as all programs read them. */
#include "common/base/options.h"

#include "common/base/status.h"
#include "common/base/xalloc.h"
#include "common/plain_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
