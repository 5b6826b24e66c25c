/* SPDX-License-Identifier: MIT */
/* "did you mean": the names of functions nearest to a text. */
#pragma once

#include "common/base/text.h"

struct name_pool;

#define NEAR_NAMES 5

/* Zeroed: none. */
struct near_names {
	struct {
		unsigned distance;
		char *name;
	} list[NEAR_NAMES];
};

/* Keeps a copy of the name if it is one of the nearest. */
void near_names_consider(struct near_names *near, const char *text, const char *name);
/* Appends "; did you mean a, b?", or nothing. names: all names, or NULL. */
void near_names_put(const struct near_names *near, struct name_pool *names,
		    struct strbuf *sentence);
