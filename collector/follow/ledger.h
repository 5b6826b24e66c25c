/* SPDX-License-Identifier: MIT */
/*
 * Rows of sums that are looked at again and again: what each is now, and what it gained
 * since the last look and since a zero point. Must not know what is summed up.
 *
 * What a look costs is in proportion to the rows that gained something, and to the
 * columns: each is an array of its own, for most rows gain in two or three of many.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum ledger_since {
	LEDGER_ALL,  /* all there ever was */
	LEDGER_LOOK, /* the last look but one */
	LEDGER_ZERO, /* the zero point */
};

struct ledger {
	size_t width; /* numbers in a row, 32 at most */
	size_t count, room;
	int64_t *now, *gained, *zero; /* column after column, `room` rows each */
	uint32_t columns;	      /* a bit for each that ever gained something */
	uint32_t gained_columns;      /* with this look */
	uint32_t *touched;	      /* rows that gained something with this look */
	uint8_t *is_touched;
	size_t touched_count;
	/* when it was looked at, ns; 0: never */
	uint64_t look_ns, last_look_ns, zero_ns;
};

/* All zero but the width is an empty ledger. */
void ledger_done(struct ledger *ledger);

/* There are so many rows at least; new ones are zero. */
void ledger_grow(struct ledger *ledger, size_t count);

/* A look at this time begins: nothing has been gained. */
void ledger_begin(struct ledger *ledger, uint64_t now_ns);

static inline void ledger_sum(int64_t *to, int64_t amount)
{
	if (__builtin_add_overflow(*to, amount, to))
		*to = amount > 0 ? INT64_MAX : INT64_MIN;
}

/* Sums end at the ends of int64_t. */
static inline void ledger_add(struct ledger *ledger, uint32_t row, size_t column,
			      int64_t amount)
{
	size_t at = column * ledger->room + row;

	if (!amount)
		return;
	ledger->gained_columns |= 1u << column;
	if (!ledger->is_touched[row]) {
		ledger->is_touched[row] = 1;
		ledger->touched[ledger->touched_count++] = row;
	}
	ledger_sum(&ledger->now[at], amount);
	ledger_sum(&ledger->gained[at], amount);
}

/* What all rows have now is zero from here on; so is what was gained. */
void ledger_set_zero(struct ledger *ledger);

static inline int64_t ledger_get(const struct ledger *ledger, size_t row, size_t column,
				 enum ledger_since since)
{
	size_t at = column * ledger->room + row;
	int64_t gained;

	if (since == LEDGER_LOOK)
		return ledger->gained_columns >> column & 1 ? ledger->gained[at] : 0;
	if (!((ledger->columns | ledger->gained_columns) >> column & 1))
		return 0;
	if (since == LEDGER_ALL)
		return ledger->now[at];
	if (__builtin_sub_overflow(ledger->now[at], ledger->zero[at], &gained))
		gained = 0;
	return gained;
}

/* How long that took, ns; of LEDGER_ALL 0. */
uint64_t ledger_span_ns(const struct ledger *ledger, enum ledger_since since);
