/* SPDX-License-Identifier: MIT */
/*
 * Rows of sums that are looked at again and again: what each is now, and what it gained
 * since the last look and since a zero point. Must not know what is summed up.
 *
 * What a look costs is in proportion to the rows that gained something, and to the
 * columns: each is an array of its own, for most rows gain in two or three of many.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ledger_since {
	LEDGER_ALL,  /* all there ever was */
	LEDGER_LOOK, /* the last look but one */
	LEDGER_ZERO, /* the zero point */
};

#define LEDGER_WIDTH_MOST 8u

struct ledger {
	size_t width; /* numbers in a row, LEDGER_WIDTH_MOST at most */
	size_t count, room;
	/* column after column, `room` rows each; before: what a row had before the look.
	 * So an amount is added in one place, to what lies close together. */
	int64_t *before, *gained, *zero;
	uint32_t columns; /* a bit for each that gained something before the look */
	size_t gain_counts[LEDGER_WIDTH_MOST]; /* amounts, with this look, by column */
	uint32_t *touched; /* rows that gained something with this look */
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
	ledger->gain_counts[column]++;
	if (!ledger->is_touched[row]) {
		ledger->is_touched[row] = 1;
		ledger->touched[ledger->touched_count++] = row;
	}
	ledger_sum(&ledger->gained[at], amount);
}

/* What all rows have now is zero from here on; so is what was gained. */
void ledger_set_zero(struct ledger *ledger);

extern const int64_t ledger_nothing;

/* One column of all rows, to be read again and again. */
struct ledger_column {
	/* a mask is 0 where nothing was ever gained: then there is ledger_nothing */
	const int64_t *gained, *before, *zero;
	size_t gained_mask, before_mask, zero_mask;
};

/* Valid until the next ledger_grow(). */
struct ledger_column ledger_column(const struct ledger *ledger, size_t column,
				   enum ledger_since since);

/* Without a branch. Sums beyond the ends of int64_t, which no sound recording has, are
 * any number. */
static inline int64_t ledger_column_get(const struct ledger_column *column, size_t row)
{
	return (int64_t)((uint64_t)column->gained[row & column->gained_mask] +
			 (uint64_t)column->before[row & column->before_mask] -
			 (uint64_t)column->zero[row & column->zero_mask]);
}

/* What the look gained, of a column of a look. */
static inline int64_t ledger_column_gained(const struct ledger_column *column, size_t row)
{
	return column->gained[row & column->gained_mask];
}

static inline bool ledger_column_is_used(const struct ledger_column *column)
{
	return column->gained_mask || column->before_mask;
}

static inline int64_t ledger_get(const struct ledger *ledger, size_t row, size_t column,
				 enum ledger_since since)
{
	size_t at = column * ledger->room + row;
	int64_t sum;

	if (since == LEDGER_LOOK)
		return ledger->gain_counts[column] ? ledger->gained[at] : 0;
	if (!(ledger->columns >> column & 1) && !ledger->gain_counts[column])
		return 0;
	sum = ledger->before[at];
	ledger_sum(&sum, ledger->gained[at]);
	if (since == LEDGER_ZERO && __builtin_sub_overflow(sum, ledger->zero[at], &sum))
		sum = 0;
	return sum;
}

/* How long that took, ns; of LEDGER_ALL 0. */
uint64_t ledger_span_ns(const struct ledger *ledger, enum ledger_since since);
