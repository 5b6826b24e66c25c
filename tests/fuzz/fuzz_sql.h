/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the reader's half of fuzz_sql.c: one name means two things in the
 * headers of collector and analyzer, so they cannot be in one file.
 */
#pragma once

#include <stddef.h>

/* Some of the reports of the file; aborts when one fails without a sentence. */
void fuzz_sql_show(const char *path, size_t turn);
