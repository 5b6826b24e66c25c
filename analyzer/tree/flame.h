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

#include "common/base/text.h"
#include "analyzer/tree/calltree.h"

#define FLAME_NONE CALLTREE_NONE
#define FLAME_WHOLE 0 /* the box below which all others stand */

/* What boxes weigh: a quantity that has a metric in common/quantities.def, or FLAME_TIME.
 * Both times are self time: with FLAME_SELF the functions that spent it are outermost,
 * with FLAME_TIME their callers are above them. */
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

/* Finds a metric by name ("wall" also means time); FLAME_NO_METRIC if there is none. */
unsigned flame_metric_find(const char *name);
/* NULL if the number is no metric. */
const char *flame_metric_name(unsigned metric);
/* Lists the names of all metrics, time first. Returns their number. */
size_t flame_metric_list(const char *ret[FLAME_NO_METRIC]);
enum quantity_number flame_quantity(unsigned metric);
/* Whether the metric belongs to allocation sites. */
bool flame_is_memory(unsigned metric);
/* Appends an amount with its unit. */
void flame_put_amount(struct strbuf *buffer, unsigned metric, int64_t amount);

enum flame_presence {
	FLAME_BEFORE = 1,
	FLAME_AFTER = 2, /* also the only side when nothing is compared */
};

struct flame_box {
	const char *name, *file; /* file NULL: not known */
	const char *group; /* component, source file or module, for its colour; or NULL */
	uint32_t line;
	uint32_t parent;
	bool is_library;  /* of a language or system library */
	bool is_folded;	  /* stands for several functions */
	bool is_unwound;  /* not instrumented */
	bool is_wait;	  /* slept for most of its self time */
	uint8_t presence; /* the sides that have it or a box below it */
	int64_t self, total;
	int64_t self_before, total_before;
	/* Of a time: half the widths of the 95 % intervals. */
	int64_t self_error, total_error, total_error_before;
	/* Of a difference of times: the runs do not prove it; and the 95 % interval of
	 * the change of the total, if there are enough runs for one. */
	bool is_unproven, has_interval;
	int64_t least_change, most_change;
	const char *recording; /* how it was recorded, if not call by call; else NULL */
	/* Set by flame_lay_out(): */
	bool is_shown;
	uint32_t level;	    /* 0: the whole */
	double left, width; /* shares of the whole, 0 to 1 */
};

/* A difference that is not proven counts as FLAME_SAME. */
enum flame_verdict { FLAME_SAME, FLAME_LESS, FLAME_MORE, FLAME_ADDED };

struct flame {
	unsigned metric;
	bool is_difference;
	struct flame_box *boxes; /* callers stand before their callees */
	size_t count;
	size_t folded_count; /* call paths that became part of another path's box */
	bool is_library_folded;
	/* The lines above a picture, owned by the arena. */
	const char *title, *subject;
	/* Set by flame_lay_out(): */
	uint32_t *order; /* the shown boxes from the left, each before those below it */
	size_t shown_count;
	uint32_t level_count;
	double least_percent;
	size_t left_out_count; /* boxes below least_percent */
	int64_t left_out;      /* what they weigh */
	uint32_t *gone; /* boxes with nothing after; those below them are not listed */
	size_t gone_count;
	struct calltree *tree; /* owns the texts of boxes; NULL: none */
	struct arena texts;
};

/* Takes the tree and makes a box for each node: node i is box i + 1. For a difference the
 * nodes have the earlier amounts in before. */
struct flame *flame_of_tree(struct calltree *tree, unsigned metric, bool is_difference);
struct flame *flame_new(unsigned metric, bool is_difference);
/* Adds a box, borrowed until the next call; the caller fills its numbers and presence.
 * name is not copied, see flame_copy(). parent: FLAME_WHOLE for roots. */
struct flame_box *flame_add(struct flame *flame, uint32_t parent, const char *name);
const char *flame_copy(struct flame *flame, const char *text);

/* Adds up totals and presence. */
void flame_sum(struct flame *flame);
/* Inverts the flame: the functions with weight of their own at the outermost level, their
 * callers below them. Callers of less than least_percent of the whole are not followed.
 * Takes the old flame, which must be summed up and have recursion folded (each caller
 * costs a sort of all that came through it). The new one is summed up, too. */
struct flame *flame_invert(struct flame *flame, double least_percent);
/* Places the boxes that weigh least_percent of the whole, as their callers must, heaviest
 * first. */
void flame_lay_out(struct flame *flame, double least_percent);

/* A smaller change, as a share of the box or of the whole, counts as none. */
#define FLAME_TOLERANCE_TIME 0.05
#define FLAME_TOLERANCE_COUNT 0.01
#define FLAME_TOLERANCE_WHOLE 0.001
double flame_tolerance(const struct flame *flame);
enum flame_verdict flame_judge(const struct flame *flame, const struct flame_box *box);

/* 0xRRGGBB. Without a difference the group decides, so that a function looks the same
 * everywhere. In a difference blue is less, orange more, stronger for larger changes;
 * grey is the same, purple is added. All are light enough for black text. */
uint32_t flame_colour(const struct flame *flame, const struct flame_box *box);
uint32_t flame_colour_of(enum flame_verdict verdict, double strength);
