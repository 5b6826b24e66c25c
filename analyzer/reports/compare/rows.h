/* SPDX-License-Identifier: MIT */
/* What the tables of a comparison share. */
#pragma once

#include "analyzer/document/columns.h"
#include "analyzer/reports/compare/parts.h"

/* Columns that several tables have, see below for what fills them. */
/* clang-format off */
#define COMPARE_EFFECT_COLUMNS                                                           \
	{"effect", "95% interval", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},           \
	{"change_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},                        \
	{"low_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},                           \
	{"high_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},                          \
	{"p_adjusted", NULL, COLUMN_ANY, COLUMN_MACHINE},                                \
	{"verdict", "verdict", COLUMN_TEXT, COLUMN_KEEP}
#define COMPARE_MOVED_COLUMNS                                                            \
	{"judged_by", NULL, COLUMN_TEXT, COLUMN_MACHINE},                                \
	{"moved", NULL, COLUMN_TEXT, COLUMN_MACHINE},                                    \
	{"waits", "waits", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},                     \
	{"wall_verdict", NULL, COLUMN_TEXT, COLUMN_MACHINE},                             \
	{"wall_low_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},                      \
	{"wall_high_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},                     \
	{"ready_verdict", NULL, COLUMN_TEXT, COLUMN_MACHINE},                            \
	{"blocked_verdict", NULL, COLUMN_TEXT, COLUMN_MACHINE}
#define COMPARE_ALLOC_COLUMNS                                                            \
	{"before_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},                      \
	{"after_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},                       \
	{"before_alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},                      \
	{"after_alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE}
#define COMPARE_MATCH_COLUMNS                                                            \
	{"match", "match", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},                     \
	{"status", NULL, COLUMN_TEXT, COLUMN_MACHINE}
/* clang-format on */

/* What is known of a subject's change. */
enum compare_kind {
	COMPARE_CHANGED,
	COMPARE_BLURRED,   /* its time is another, within the errors or not judged */
	COMPARE_UNCHANGED, /* judged so, or all numbers are the same */
	COMPARE_KINDS
};

/* A subject and its share in the difference. */
struct compare_ranked {
	uint32_t number;
	double share;
	enum compare_kind kind;
};

/* For qsort(): what changed before what did not. */
int compare_largest_first(const void *left, const void *right);
/* A function or path; judged may be NULL. */
struct compare_ranked compare_rank(const struct compare_state *state,
				   const struct compare_series *series, uint32_t subject,
				   const struct compare_judged *judged);
/* The largest share in time (not of sites), allocations and bytes. */
double compare_share(const struct compare_state *state,
		     const struct compare_series *series, uint32_t subject);
bool compare_is_zero(const struct compare_series *series, uint32_t subject);
/* --focus and --ignore, by either side's name. */
bool compare_passes(const struct compare_state *state, uint32_t function);
/* The rows to show; limit 0: all. */
size_t compare_at_most(size_t count, size_t limit);
/* The same of ranked subjects, without those that did not change: people see how many. */
size_t compare_to_show(const struct compare_state *state,
		       const struct compare_ranked *ranked, size_t count, size_t limit);

/* COMPARE_MATCH_COLUMNS: people read "new", "gone", "renamed" or nothing. */
void compare_put_match(struct table *table, size_t row, uint8_t presence,
		       bool is_renamed);
/* "new", "gone" or nothing. */
struct cell compare_side_cell(struct table *table, uint8_t presence);
/* "matched", "new" or "gone". */
struct cell compare_status_cell(struct table *table, uint8_t presence);
/* People do not see the column; machines do not see one that is for people. */
void compare_hide(struct table *table, const char *name);
/* The table; people see a sentence in place of an empty one. */
struct section *compare_add_table(struct compare_state *state, const char *name,
				  const char *title, struct table *table);
/* A table of functions or paths: TABLE_OTHERS stands for both sides of what they have and
 * no column of the layout is for; the values of a row, as far as it has columns for them;
 * and those that people see in vain.
 */
struct table *compare_new_table(const struct column *layout, size_t count);
void compare_put_quantities(const struct compare_state *state, struct table *table,
			    size_t row, const struct compare_series *series,
			    uint32_t subject);
void compare_hide_zeros(struct table *table);
/* A column without a single text says nothing: people do not see it. Returns whether it
 * is one. */
bool compare_hide_empty(struct table *table, const char *name);
/* COMPARE_EFFECT_COLUMNS of the change that counts, and COMPARE_MOVED_COLUMNS. */
void compare_put_judged(const struct compare_state *state, struct table *table,
			size_t row, const struct compare_judged *judged);
/* People see the differences in CPU time where there are some, else those in self time;
 * and which waits moved, where some did. */
void compare_show_times(const struct compare_state *state, struct table *table);
/* Two columns of a metric's means. */
struct change compare_put_means(const struct compare_state *state, struct table *table,
				size_t row, const struct compare_series *series,
				uint32_t subject, size_t metric, const char *before,
				const char *after);
/* The part of all changes of a metric that the first rows have, sizes added up. */
double compare_explained(const struct compare_state *state,
			 const struct compare_series *series,
			 const struct compare_ranked *ranked, size_t count, size_t shown,
			 size_t metric);
/* "10 of 812 changed functions shown" and so on, when there are more. */
void compare_put_footer(struct compare_state *state, struct section *section,
			const struct compare_ranked *ranked, size_t shown, size_t all,
			const char *noun, double shown_share, const char *what);
