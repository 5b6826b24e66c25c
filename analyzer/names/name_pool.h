/* SPDX-License-Identifier: MIT */
/*
 * A set of names, with short forms that fit one name only: what a narrow column shows
 * can be told apart, and pasted. Must not take long: names that would are kept apart by
 * letters.
 */
#pragma once

#include "common/base/text.h"

/* Used by one thread. */
struct name_pool;

struct name_pool *name_pool_new(void);
void name_pool_free(struct name_pool *pool);

/* Adds a name; it may be added several times. */
void name_pool_add(struct name_pool *pool, const char *name);

/* Appends a name in at most width columns (at least 4). Parameters are left out first,
 * then template arguments from the inside out, then leading parts, and last the middle of
 * identifiers. What sets the name apart from others in the pool stays; below about 12
 * columns there may be no room for it. The name must be clean (utf8_clean()). pool NULL:
 * nothing must be kept apart. mark: the text for an omission. */
void name_pool_shorten(struct name_pool *pool, struct strbuf *buffer, const char *name,
		       size_t width, const char *mark);
