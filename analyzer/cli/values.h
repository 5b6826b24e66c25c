/* SPDX-License-Identifier: MIT */
/*
 * Values of options, for cli.c: read, or refused with a sentence that shows what was
 * given without obeying it.
 */
#pragma once

#include "analyzer/render/render.h"

struct argp_option;
struct argp_state;

#define CLI_WIDTH_USUAL 1200 /* pixels */

/* Each ends the program (status 2) when text is no such value. */
const struct renderer *cli_parse_format(const char *text, struct argp_state *state);
long cli_parse_limit(const char *text, struct argp_state *state);
double cli_parse_share(const char *text, struct argp_state *state);
unsigned cli_parse_width(const char *text, struct argp_state *state);

/* getopt shows an option that it does not know, value and all, as it was written: words
 * that are none of the options (ended by an empty one) are cleaned in argv before. The
 * copies live as long as the program. */
void cli_clean_options(int argc, char **argv, const struct argp_option *options);
