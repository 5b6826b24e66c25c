/* SPDX-License-Identifier: MIT */
/*
 * Names for people of many functions together, each its own: the canonical one, and where
 * that stands for several, as much more as tells them apart. Must not be shown functions
 * twice: two entries are two functions.
 */
#pragma once

#include "common/base/strbuf.h"

#include <stddef.h>

/* full: the demangled name with all it has; file, module: paths, NULL: not known. name:
 * the result, owned: name_set_done(). */
struct named {
	const char *full, *file, *module;
	char *name;
};

/* Appends the name in one of the forms, 0 to NAME_SET_FORMS - 1, of which a function gets
 * the first that is its own; without a number. */
#define NAME_SET_FILE 3
#define NAME_SET_FORMS 5
void name_set_put_form(struct strbuf *text, const struct named *one, unsigned form);

/* Fills in the names: "f", "f(int)", what full is, "helper [a.c]",
 * "helper [a.c] [liba.so]", "helper [2]"; the first of these that no other has. */
void name_set_tell_apart(struct named *all, size_t count);
void name_set_done(struct named *all, size_t count);
