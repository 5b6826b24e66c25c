/* SPDX-License-Identifier: MIT */
/*
 * Values of options, for cli.c: read, or refused with a sentence that shows what was
 * given without obeying it.
 */
#pragma once

#include "analyzer/render/render.h"

struct argp_state;

#define CLI_WIDTH_USUAL 1200 /* pixels */

/* Each ends the program (status 2) when text is no such value. */
const struct renderer *cli_parse_format(const char *text, const struct argp_state *state);
long cli_parse_limit(const char *text, const struct argp_state *state);
double cli_parse_share(const char *text, const struct argp_state *state);
long cli_parse_count(const char *option, const char *text,
		     const struct argp_state *state);
/* A time from 10 ms to a day, in ms. */
unsigned cli_parse_every(const char *text, const struct argp_state *state);
unsigned cli_parse_width(const char *text, const struct argp_state *state);
