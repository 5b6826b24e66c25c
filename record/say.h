/* SPDX-License-Identifier: MIT */
/*
 * How prof-record speaks to the user: a line on stderr. Must not write to standard
 * output, which is the program's.
 */
#pragma once

/* One line; hidden characters of what it quotes become '?' (common/plain_text.h). */
void record_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
