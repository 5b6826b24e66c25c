/* SPDX-License-Identifier: MIT */
/*
 * The names that there are, and short forms of them that fit one only: what a narrow
 * column shows can be told apart, and pasted. Must not take long: what would is told by
 * letters.
 */
#pragma once

#include "common/base/strbuf.h"

/* Used by one thread. */
struct name_pool;

struct name_pool *name_pool_new(void);
void name_pool_free(struct name_pool *pool);

/* One of the names; a name may come several times. */
void name_pool_add(struct name_pool *pool, const char *name);

/* Appends a name in at most width columns (at least 4). Parameters go first, then
 * template arguments from the inside out, then the parts in front, last of all the middle
 * of identifiers; what tells the name from others in the pool stays. Below about 12
 * columns there may be no room for that. The name must be clean (utf8_clean()); pool:
 * NULL: nothing has to be told apart. mark: what stands for something left out. */
void name_pool_shorten(struct name_pool *pool, struct strbuf *buffer, const char *name,
		       size_t width, const char *mark);
