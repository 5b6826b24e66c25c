/* SPDX-License-Identifier: MIT */
/* Looks up quantities in their table, and adds by its rules. */
#include "common/quantities.h"

#include <string.h>

#define DESCRIBE(OF, name, unit, sum, a, b, c, d, e, f, g, h, i, j, k, l, shown,         \
		 heading, metric, phrase, recorded, meaning)                             \
	[QUANTITY_##name] = {#name,   QUANTITY_##unit, QUANTITY_##sum, QUANTITY_##shown, \
			     heading, metric,	       phrase},
const struct quantity quantities[QUANTITY_NUMBERS] = {QUANTITIES(DESCRIBE, )};

#define MEMBER(OF, name, ...)                                                            \
	QUANTITY_WHEN(QUANTITY_IN_##OF(name, __VA_ARGS__))(QUANTITY_##name, )
#define SUM(OF, name, unit, sum, ...)                                                    \
	QUANTITY_WHEN(QUANTITY_IN_##OF(name, unit, sum, __VA_ARGS__))(QUANTITY_##sum, )
#define LIST(OF)                                                                         \
	[QUANTITY_OF_##OF] = {(const uint8_t[]){QUANTITIES(MEMBER, OF)},                 \
			      (const uint8_t[]){QUANTITIES(SUM, OF)},                    \
			      0 QUANTITIES(QUANTITY_ONE, OF)}
const struct quantity_list quantity_lists[QUANTITY_SUBJECTS] = {
	LIST(PATH), LIST(LANE), LIST(PAST), LIST(FUNCTION), LIST(EDGE),	   LIST(COMPARED),
	LIST(TREE), LIST(SITE), LIST(HELD), LIST(SNAPSHOT), LIST(PROCESS), LIST(RUN),
};

void quantities_clear(enum quantity_subject of, int64_t *values)
{
	const struct quantity_list *list = &quantity_lists[of];

	for (size_t i = 0; i < list->count; i++)
		values[i] = list->sums[i] <= QUANTITY_OUTERMOST ? 0 : QUANTITY_UNKNOWN;
}

static inline void add_one(enum quantity_sum sum, int64_t *to, int64_t value,
			   int is_outermost)
{
	switch (sum) {
	case QUANTITY_OUTERMOST:
		if (!is_outermost)
			break;
		__attribute__((fallthrough));
	case QUANTITY_SUM:
	case QUANTITY_BOUND:
		quantity_add(to, value);
		break;
	case QUANTITY_LEAST:
		if (value != QUANTITY_UNKNOWN && (*to == QUANTITY_UNKNOWN || value < *to))
			*to = value;
		break;
	case QUANTITY_MOST:
		if (value > *to) /* an unknown value is the lowest number */
			*to = value;
		break;
	case QUANTITY_NOT:
		break;
	}
}

void quantities_add(enum quantity_subject to_of, int64_t *to,
		    enum quantity_subject from_of, const int64_t *from, int is_outermost)
{
	const struct quantity_list *list = &quantity_lists[to_of];
	const struct quantity_list *other = &quantity_lists[from_of];

	if (list == other) { /* the most frequent case: folding and summing trees */
		for (size_t i = 0; i < list->count; i++)
			add_one(list->sums[i], &to[i], from[i], is_outermost);
		return;
	}
	for (size_t i = 0, j = 0; i < list->count; i++) {
		while (j < other->count && other->numbers[j] < list->numbers[i])
			j++;
		if (j < other->count && other->numbers[j] == list->numbers[i])
			add_one(list->sums[i], &to[i], from[j], is_outermost);
	}
}

int quantity_place(enum quantity_subject of, enum quantity_number number)
{
	const struct quantity_list *list = &quantity_lists[of];

	for (size_t i = 0; i < list->count; i++)
		if (list->numbers[i] == number)
			return (int)i;
	return -1;
}

int quantity_is_in(enum quantity_subject of, enum quantity_number number)
{
	return quantity_place(of, number) >= 0;
}

const struct quantity *quantity_find(const char *name)
{
	for (size_t i = 0; i < QUANTITY_NUMBERS; i++)
		if (strcmp(quantities[i].name, name) == 0)
			return &quantities[i];
	return NULL;
}
