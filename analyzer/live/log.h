/* SPDX-License-Identifier: MIT */
/*
 * The log of `top --top N`: lines of words name=value, to be read by programs and found
 * by grep. docs/live.md promises the words; they stay.
 */
#pragma once

#include "analyzer/live/live.h"

#include <stdio.h>

/* What a look has found, of all screens: a line `look`, and at most `most` lines of each.
 * Errors of the stream are the caller's to check. */
void log_look(FILE *out, struct live *live, size_t most);
/* The program has ended. */
void log_end(FILE *out, const struct live *live);
