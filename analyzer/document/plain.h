/* SPDX-License-Identifier: MIT */
/*
 * The one place where foreign text becomes fit to be shown. Whoever adds a text to
 * sections adds it in plain.c, too.
 */
#pragma once

#include "analyzer/document/doc.h"

/* Replaces hidden characters in all texts of sections by '?' and invalid UTF-8 by U+FFFD
 * (common/plain_text.h); separators of chains stay. Texts of flame, profile and source
 * are left alone: they have their own rules. */
void doc_make_plain(struct doc *doc);
