/* SPDX-License-Identifier: MIT */
/* Shared by the files that show a comparison to SQL. */
#pragma once

#include "analyzer/reports/compare/parts.h"

#include <math.h>

/* show_subjects.c: makes one of the tables. */
void compare_show_subjects(struct compare_state *state, enum compare_subject kind,
			   const char *name, const struct compare_series *series);
/* The NULL cell. */
static const struct cell compare_nothing = {.kind = CELL_NULL};

static inline struct cell compare_text_cell(const char *text)
{
	return text ? (struct cell){.kind = CELL_TEXT, .text = text} : compare_nothing;
}

static inline struct cell compare_finite_cell(bool is_known, double value)
{
	return is_known && isfinite(value) ? cell_real(value) : compare_nothing;
}

static inline double compare_in_percent(double ratio)
{
	return 100 * (ratio - 1);
}

/* Means of pairs are whole numbers. */
static inline struct cell compare_mean_cell(const struct compare_state *state,
					    double value)
{
	return compare_is_pair(state) ? cell_integer(whole_number(value))
				      : cell_real(value);
}
