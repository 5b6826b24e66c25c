/* SPDX-License-Identifier: MIT */
/*
 * Numbers texts: equal texts get equal numbers, 0, 1, 2 in order of appearance. Zeroed
 * memory is an empty table. For numbers: map_number() in map.h.
 */
#pragma once

#include "common/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern_entry;

struct intern {
	struct intern_entry *entries;
	uint32_t *slots;
	size_t count, slot_count;
	struct arena texts;
};

/* The text's number; is_new (may be NULL): set if it was added. */
uint32_t intern_text(struct intern *table, const char *text, bool *is_new);
/* The same for a text of this length, without a NUL in it. */
uint32_t intern_bytes(struct intern *table, const char *text, size_t length,
		      bool *is_new);
/* Looks the text up; INTERN_NONE: not there. */
uint32_t intern_find_bytes(const struct intern *table, const char *text, size_t length);
uint32_t intern_find(const struct intern *table, const char *text);
/* The text of a number, borrowed until intern_free(). */
const char *intern_name(const struct intern *table, uint32_t number);
void intern_free(struct intern *table);
