/* SPDX-License-Identifier: MIT */
/*
 * Sentences with placeholders, filled from a row:
 *
 *     {NAME}           the value of the column, with its unit; "not known" of NULL
 *     {NAME noun}      "1 noun", "13 nouns"
 *     {NAME|one|many}  the first word when the value is 1, else the other
 *
 * What stands between placeholders is ours; values are cleaned. White space of any length
 * is one space, so that a sentence may go over several lines of its file.
 */
#pragma once

#include "analyzer/model/table.h"
#include "common/base/strbuf.h"

/* A placeholder that names no column stays as it is, for a test to find. */
void sentence_put(struct strbuf *ret, const char *text, const struct table *table,
		  size_t row);
