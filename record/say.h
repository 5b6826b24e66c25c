/* SPDX-License-Identifier: MIT */
/*
 * What this is:  how prof-record speaks to the user: a line on stderr.
 * Runs on:       prof-record.
 * Must not:      write to standard output, which is the program's.
 * See also:      record.c
 */
#pragma once

/* One line; hidden characters of what it quotes become '?' (common/plain_text.h). */
void record_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
