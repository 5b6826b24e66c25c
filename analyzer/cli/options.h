/* SPDX-License-Identifier: MIT */
/* The table of options, for cli.c: names, help, who takes them, what they set. */
#pragma once

#include "analyzer/cli/request.h"

#include <argp.h>

#define CLI_OPTION_COUNT 43

/* What takes more than to set a field; the others are numbered. */
enum cli_option_key {
	KEY_FORMAT = 'f',
	KEY_RUN = 'r',
	KEY_LIMIT = 'n',
	KEY_HELP = 'h',
	KEY_VERSION = 'V',
	KEY_NUMBERED = 0x100,
	KEY_MIN_SHARE = 0x200,
	KEY_FAIL_ON,
	KEY_SOURCE, /* --source DIR, again and again */
	KEY_RENAME, /* --rename OLD=NEW, again and again */
	KEY_GATE,   /* --gate METRIC=AMOUNT */
	KEY_WIDTH,
	KEY_EVERY,
	KEY_TOP,
	KEY_COUNT,
	KEY_LIST_RULES,
	KEY_USAGE,
};

const char *cli_option_name(size_t option);
/* The number of an option; CLI_OPTION_COUNT: there is none. */
size_t cli_option_find(int key);
/* report NULL: by any. */
bool cli_option_is_taken(size_t option, const struct report *report);
/* Sets the field that stands for it, if one does. */
void cli_option_set(size_t option, const char *text, struct request *ret);
/* Those that a report takes, NULL: all. ret has room for all and is zeroed. */
void cli_options_fill(const struct report *report, struct argp_option *ret);
