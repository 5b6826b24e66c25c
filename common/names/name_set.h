/* SPDX-License-Identifier: MIT */
/*
 * Readable names of many functions, each unique: the canonical name or, where several
 * share it, as much more as tells them apart. Must not get a function twice: two entries
 * are two functions.
 */
#pragma once

#include "common/base/text.h"

#include <stddef.h>

/* full: the complete demangled name; file, module: paths, NULL: not known. name: the
 * result, owned: name_set_done(). */
struct named {
	const char *full, *file, *module;
	char *name;
};

/* Appends the name by which a program calls what the C library has for some CPUs, or
 * behind another name: "strcmp" of "__strcmp_avx2", "strtol_l" of
 * "__GI_____strtol_l_internal". */
void libc_name_put(struct strbuf *text, const char *name);

/* Appends the name in one of the forms, 0 to NAME_SET_FORMS - 1, without a number. A
 * function gets the first form that is unique. */
#define NAME_SET_FILE 3
#define NAME_SET_FORMS 5
void name_set_put_form(struct strbuf *text, const struct named *one, unsigned form);

/* Fills in the names: the first unique one of "f", "f(int)", full, "helper [a.c]",
 * "helper [a.c] [liba.so]", "helper [2]". */
void name_set_tell_apart(struct named *all, size_t count);
void name_set_done(struct named *all, size_t count);
