/* SPDX-License-Identifier: MIT */
/*
 * Call paths as the boxes of a flame graph: what each weighs, which are shown and
 * where. With two sides, the difference between them. Must not know SQL, pixels or
 * formats.
 *
 * Use: flame_of_tree(), or flame_new() and flame_add() for every call path, callers
 * first; flame_sum(); for a picture flame_lay_out().
 */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/tree/calltree.h"

#define FLAME_NONE CALLTREE_NONE
#define FLAME_WHOLE 0 /* the box below which all others stand */

/* What a box weighs: the number of a quantity that has a metric in
 * common/quantities.def, self time with the functions that spent it outermost; or time:
 * self time again, below the callers. */
enum {
	FLAME_SELF = QUANTITY_self_ns,
	FLAME_CPU = QUANTITY_self_cpu_ns,
	FLAME_CALLS = QUANTITY_calls,
	FLAME_BYTES = QUANTITY_alloc_bytes,
	FLAME_ALLOCS = QUANTITY_alloc_count,
	FLAME_LIVE = QUANTITY_live_bytes,
	FLAME_AT_PEAK = QUANTITY_at_peak_bytes,
	FLAME_TIME = QUANTITY_NUMBERS,
	FLAME_NO_METRIC
};

/* By its name, time also as wall; FLAME_NO_METRIC: there is none. */
unsigned flame_metric_find(const char *name);
/* NULL: it is none. */
const char *flame_metric_name(unsigned metric);
/* Those there are, time first. Returns how many. */
size_t flame_metric_list(const char *ret[FLAME_NO_METRIC]);
enum quantity_number flame_quantity(unsigned metric);
/* Of allocation sites. */
bool flame_is_memory(unsigned metric);
/* Appends an amount with its unit. */
void flame_put_amount(struct strbuf *buffer, unsigned metric, int64_t amount);

enum flame_presence {
	FLAME_BEFORE = 1,
	FLAME_AFTER = 2, /* the only side when it is no difference */
};

struct flame_box {
	const char *name, *file; /* file NULL: not known */
	const char *group; /* component, source file or module: has one colour; or NULL */
	uint32_t line;
	uint32_t parent;
	bool is_library;  /* of a language's or the system's library */
	bool is_folded;	  /* stands for many */
	bool is_unwound;  /* not instrumented */
	bool is_wait;	  /* most of its self time it slept */
	uint8_t presence; /* the sides that have it; the boxes below count */
	int64_t self, total;
	int64_t self_before, total_before;
	/* Of time below the callers: half the widths of their intervals (95 %). */
	int64_t self_error, total_error, total_error_before;
	/* Of a difference of times: the runs do not prove it; and the interval (95 %) of
	 * the change of the total, when there are runs enough to know one. */
	bool is_unproven, has_interval;
	int64_t least_change, most_change;
	const char *recording; /* how, when not each call was timed; else NULL */
	/* From flame_lay_out() on: */
	bool is_shown;
	uint32_t level;	    /* 0: the whole */
	double left, width; /* shares of the whole, 0 to 1 */
};

/* FLAME_SAME also of a difference that is not proven. */
enum flame_verdict { FLAME_SAME, FLAME_LESS, FLAME_MORE, FLAME_ADDED };

struct flame {
	unsigned metric;
	bool is_difference;
	struct flame_box *boxes; /* callers stand before their callees */
	size_t count;
	size_t folded_count; /* call paths that are part of another's box */
	bool is_library_folded;
	/* What stands above a picture; the lines are owned by the arena. */
	const char *title, *subject;
	/* From flame_lay_out() on: */
	uint32_t *order; /* the boxes shown, each before those below it, from the left */
	size_t shown_count;
	uint32_t level_count;
	double least_percent;
	size_t left_out_count; /* boxes below least_percent */
	int64_t left_out;      /* what they weigh */
	uint32_t *gone;	       /* boxes with nothing after, without those below them */
	size_t gone_count;
	struct calltree *tree; /* NULL: of none; has the boxes' texts */
	struct arena texts;
};

/* A box for each node of the tree, which it takes: node i is box i + 1. Of a difference
 * the nodes have what they weighed before. */
struct flame *flame_of_tree(struct calltree *tree, unsigned metric, bool is_difference);
struct flame *flame_new(unsigned metric, bool is_difference);
void flame_free(struct flame *flame);
/* The new box; fill its numbers and presence. Borrowed until the next call. name is
 * not copied, see flame_copy(). parent:
 * FLAME_WHOLE for roots. */
struct flame_box *flame_add(struct flame *flame, uint32_t parent, const char *name);
const char *flame_copy(struct flame *flame, const char *text);

/* Adds up totals and presence. */
void flame_sum(struct flame *flame);
/* The flame turned over: every function that has something of its own at the outermost
 * level, its callers below it; callers of less than least_percent of the whole are not
 * followed. Takes the old one, summed up and with recursion folded (each caller costs a
 * sort of all that came through it); the new one is summed up, too. */
struct flame *flame_invert(struct flame *flame, double least_percent);
/* Places all boxes that weigh least_percent of the whole and whose callers do, the
 * heaviest first. */
void flame_lay_out(struct flame *flame, double least_percent);

/* A change below this share of the box or of the whole is none. */
#define FLAME_TOLERANCE_TIME 0.05
#define FLAME_TOLERANCE_COUNT 0.01
#define FLAME_TOLERANCE_WHOLE 0.001
double flame_tolerance(const struct flame *flame);
enum flame_verdict flame_judge(const struct flame *flame, const struct flame_box *box);

/* 0xRRGGBB. Plain: by the group, so that a function looks the same everywhere. Of a
 * difference: blue less, orange more, the stronger the larger the change; grey the same;
 * purple added. All are light enough for black text. */
uint32_t flame_colour(const struct flame *flame, const struct flame_box *box);
uint32_t flame_colour_of(enum flame_verdict verdict, double strength);
