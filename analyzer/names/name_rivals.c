/* SPDX-License-Identifier: MIT */
/* Sorted names: the start of a text says where to look. */
#include "analyzer/names/name_rivals.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Takes some seconds, which only thousands of similar names need. */
#define TIRED_BYTES 3000000000ull

/* depths: of its brackets; computed when needed. */
struct rival {
	char *name;
	uint8_t *depths;
	size_t size;
};

void name_rivals_add(struct name_rivals *rivals, const char *name)
{
	ARRAY_ADD(rivals->list, rivals->count) =
		(struct rival){xstrdup(name), NULL, strlen(name)};
	rivals->is_sorted = false;
}

void name_rivals_free(struct name_rivals *rivals)
{
	for (size_t i = 0; i < rivals->count; i++) {
		free(rivals->list[i].name);
		free(rivals->list[i].depths);
	}
	free(rivals->list);
	*rivals = (struct name_rivals){0};
}

bool name_rivals_is_tired(const struct name_rivals *rivals)
{
	return rivals->spent > TIRED_BYTES;
}

static int by_name(const void *a, const void *b)
{
	const struct rival *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static void sort(struct name_rivals *rivals)
{
	size_t kept = 0;

	if (rivals->is_sorted || !rivals->count)
		return;
	qsort(rivals->list, rivals->count, sizeof(*rivals->list), by_name);
	for (size_t i = 1; i < rivals->count; i++) {
		if (strcmp(rivals->list[i].name, rivals->list[kept].name) == 0) {
			free(rivals->list[i].name);
			free(rivals->list[i].depths);
		} else {
			rivals->list[++kept] = rivals->list[i];
		}
	}
	rivals->count = kept + 1;
	rivals->is_sorted = true;
}

/* The first name that is not sorted before the names with this prefix. */
static size_t find_first(const struct name_rivals *rivals, const char *text, size_t size)
{
	return COUNT_BEFORE(rivals->count, i,
			    strncmp(rivals->list[i].name, text, size) < 0);
}

static bool fits(struct name_rivals *rivals, struct short_name *text, struct rival *rival)
{
	rivals->spent += 16;
	/* most differ at their ends, which is checked fast */
	if (!short_name_may_fit(text, rival->name, rival->size))
		return false;
	if (!rival->depths)
		rival->depths = short_name_depths(rival->name);
	rivals->spent += rival->size;
	return short_name_fits(text, rival->name, rival->depths);
}

size_t name_rivals_find(struct name_rivals *rivals, const char *text, const char *name,
			const char **ret, size_t most)
{
	struct short_name *pattern = short_name_new(text);
	size_t count = 0, fixed = pattern ? short_name_fixed_size(pattern) : 0;

	if (!pattern)
		return 0;
	sort(rivals);
	for (size_t i = find_first(rivals, text, fixed);
	     i < rivals->count && count <= most &&
	     strncmp(rivals->list[i].name, text, fixed) == 0;
	     i++) {
		if (strcmp(rivals->list[i].name, name) == 0 ||
		    !fits(rivals, pattern, &rivals->list[i]))
			continue;
		if (count < most)
			ret[count] = rivals->list[i].name;
		count++;
	}
	short_name_free(pattern);
	return count;
}
