/* SPDX-License-Identifier: MIT */
/*
 * Names with something left out, as narrow columns show them: "f<..>::g(..)". Must not
 * trust name or text, or take longer than the name is long times the marks of the text.
 *
 * A mark, ".." or "…", stands for one character or more that close no bracket which they
 * did not open. What does not fit even so ends in "..@" and letters that are computed
 * from the whole name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHORT_NAME_LETTERS 5

/* Has the text a mark? */
bool short_name_has_mark(const char *text);

/* A text to be compared with many names; NULL: it has no mark, or more than a name would
 * have. Owned by the caller (short_name_free()). */
struct short_name;
struct short_name *short_name_new(const char *text);
void short_name_free(struct short_name *text);

/* Nothing of a name stands against it as far as its ends tell. */
bool short_name_may_fit(const struct short_name *text, const char *name, size_t size);

/* depths: those of the name, or NULL. */
bool short_name_fits(struct short_name *text, const char *name, const uint8_t *depths);

/* The bytes in front of the first mark: names that begin with others do not fit. */
size_t short_name_fixed_size(const struct short_name *text);

/* In how many brackets each byte of a name stands, a bracket itself in one less; counted
 * to 255. Owned by the caller (free). */
uint8_t *short_name_depths(const char *name);

/* The letters for a name: a to z and 2 to 7. */
void short_name_letters(const char *name, char ret[SHORT_NAME_LETTERS + 1]);
