/* SPDX-License-Identifier: MIT */
/*
 * A command given as one text, split into words as a shell would. Must not expand or run
 * anything.
 */
#pragma once

#include <stddef.h>

/*
 * Splits text at blanks; quotes and backslashes work as in sh. Refuses what else a shell
 * would do (variables, patterns, pipes, redirections, assignments): a shell between us
 * and the program would become part of the recording. Returns 0 with *ret ending in NULL,
 * one allocation owned by the caller (free); -EINVAL with one sentence in error; or
 * -ENOMEM.
 */
int record_words(const char *text, char ***ret, char *error, size_t error_size);
