/* SPDX-License-Identifier: MIT */
/* The table of options, for cli.c: names, help, who takes them, what they set. */
#pragma once

#include "analyzer/cli/request.h"

#include <argp.h>

#define CLI_OPTION_COUNT 45

/* Options that do more than set a field; others are numbered. */
enum cli_option_key {
	KEY_FORMAT = 'f',
	KEY_RUN = 'r',
	KEY_LIMIT = 'n',
	KEY_HELP = 'h',
	KEY_VERSION = 'V',
	KEY_NUMBERED = 0x100,
	KEY_MIN_SHARE = 0x200,
	KEY_FAIL_ON,
	KEY_SOURCE, /* may be repeated */
	KEY_RENAME, /* may be repeated */
	KEY_TAG,    /* may be repeated */
	KEY_GATE,   /* --gate METRIC=AMOUNT */
	KEY_WIDTH,
	KEY_EVERY,
	KEY_TOP,
	KEY_COUNT,
	KEY_LIST_RULES,
	KEY_USAGE,
};

const char *cli_option_name(size_t option);
/* The option's index, or CLI_OPTION_COUNT. */
size_t cli_option_find(int key);
/* Whether the report (NULL: any) takes the option. */
bool cli_option_is_taken(size_t option, const struct report *report);
/* Sets the option's field in ret, if it has one. */
void cli_option_set(size_t option, const char *text, struct request *ret);
/* Lists the options of a report (NULL: all). ret is zeroed and has room for all. */
void cli_options_fill(const struct report *report, struct argp_option *ret);
