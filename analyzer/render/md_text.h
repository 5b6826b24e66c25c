/* SPDX-License-Identifier: MIT */
/* Text in Markdown that cannot become markup. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Plain text: what Markdown or HTML would take as markup is escaped. */
void md_put_escaped(FILE *out, const char *text);
/* A code span. in_table: a pipe must be escaped even in a code span. */
void md_put_code(FILE *out, const char *text, bool in_table);
