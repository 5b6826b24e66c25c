/* SPDX-License-Identifier: MIT */
/*
 * A command that was given as one text, split into words as a shell would. Must not
 * expand or run anything.
 */
#pragma once

#include <stddef.h>

/*
 * Splits text at blanks; quotes and backslashes are those of sh. What a shell would do
 * more (variables, patterns, pipes, redirections, assignments) is refused: a shell
 * between us and the program would be a part of the recording. Returns 0 with *ret ending
 * in NULL, one allocation of the caller's (free); or -EINVAL with one sentence in error;
 * or -ENOMEM.
 */
int record_words(const char *text, char ***ret, char *error, size_t error_size);
