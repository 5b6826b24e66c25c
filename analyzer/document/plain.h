/* SPDX-License-Identifier: MIT */
/*
 * The one place where what others have written becomes fit to be shown. Whoever gives a
 * section a new text adds it in plain.c.
 */
#pragma once

#include "analyzer/document/doc.h"

/* Hidden characters of every text of the sections become '?', bytes that are not UTF-8
 * U+FFFD (common/plain_text.h); ends of names in chains stay. Texts of flame, profile and
 * source are not touched: they have rules of their own. */
void doc_make_plain(struct doc *doc);
