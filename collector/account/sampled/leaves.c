/* SPDX-License-Identifier: MIT */
/* Function by function. */
#include "collector/account/sampled/leaves.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/account/sampled/credit.h"
#include "common/base/xalloc.h"

struct portions {
	const struct merge *merge;
	const uint32_t *is_counted;
	const struct held *held;
	size_t count;
	uint32_t *matches; /* by call: of the row that is looked at */
};

/* Which calls agree with most of the row's stack: those that match as the one that is
 * returned does, if any does. */
static uint32_t match(struct portions *portions, const struct sampled_row *row)
{
	uint32_t most = 0;
	struct trail trail;

	trail_find(&trail, portions->merge, portions->is_counted, row);
	for (size_t i = 0; i < portions->count; i++) {
		portions->matches[i] = trail_match(&trail, portions->merge, row->path,
						   portions->held[i].path);
		if (portions->matches[i] > most)
			most = portions->matches[i];
	}
	return most;
}

/* What each call has of ns, of those that match so well. */
static bool add(const struct portions *portions, uint32_t most, double ns,
		double *weights)
{
	double calls = 0;

	for (size_t i = 0; i < portions->count; i++)
		if (portions->matches[i] == most)
			calls += portions->held[i].calls;
	for (size_t i = 0; i < portions->count && calls > 0; i++)
		if (portions->matches[i] == most)
			weights[i] += ns * portions->held[i].calls / calls;
	return calls > 0;
}

double portions_add(const struct merge *merge, const uint32_t *is_counted,
		    const struct sampled_row *rows, size_t row_count,
		    const struct held *held, size_t count, double *weights)
{
	struct portions portions = {merge, is_counted, held, count,
				    xcalloc(count, sizeof(*portions.matches))};
	double known_ns = 0, rest_ns = 0;

	for (size_t i = 0; i < row_count; i++) {
		double ns = (double)rows[i].cpu_ns;

		if (count > 1 && rows[i].caller &&
		    add(&portions, match(&portions, &rows[i]), ns, weights))
			known_ns += ns;
		else
			rest_ns += ns;
	}
	for (size_t i = 0; i < count; i++)
		portions.matches[i] = 0;
	add(&portions, 0, rest_ns, weights);
	free(portions.matches);
	return known_ns;
}

/* Of such code on one path, at least. What is less stays its caller's: so there are no
 * more such paths than a few for each sample. */
#define LEAST_SAMPLES 0.125

struct time_error whole_error(const struct whole *whole, double share, double portion)
{
	return (struct time_error){.grain = (float)(whole->ns / whole->samples),
				   .samples = portion * whole->ns * whole->ns * share *
					      (1 - share) / whole->samples};
}

void leaves_move_raw(struct merge *merge, uint32_t from, uint32_t to, int64_t ns)
{
	if (ns > merge->cells[from].raw_self_ns)
		ns = merge->cells[from].raw_self_ns;
	merge->cells[from].raw_self_ns -= ns;
	quantity_add(&merge->cells[to].raw_self_ns, ns);
	quantity_add(&merge->cells[to].raw_total_ns, ns);
}

/* Moves some of what the path was given to code without hooks that it called. */
static void give_leaf(struct merge *merge, const struct whole *whole, uint32_t path,
		      struct given *given, uint32_t function, double portion)
{
	struct time_error before =
		whole_error(whole, given->share * given->own, given->portion);
	struct time_error own, leaf;
	int64_t ns = (int64_t)((double)given->ns * portion);
	uint32_t child;
	struct merge_cell *cell;

	if (ns <= 0 || !merge_has_room(merge, path, function, MERGE_FRAME))
		return;
	given->own -= portion;
	own = whole_error(whole, given->share * given->own, given->portion);
	leaf = whole_error(whole, given->share * portion, given->portion);
	leaf.placed = given->placed * (float)portion;
	child = merge_child_path(merge, path, function, MERGE_FRAME);
	merge->paths[child].recording = MERGE_SAMPLED;
	cell = merge_touch(merge, child);
	quantity_add(&cell->self_ns, ns);
	time_error_add(&cell->self_error, &leaf);
	leaves_move_raw(merge, path, child, ns);
	cell = &merge->cells[path];
	cell->self_ns -= ns;
	cell->self_error.placed -= leaf.placed;
	/* both together are as uncertain as they were */
	cell->self_error.samples += own.samples - before.samples;
	cell->self_error.shared += own.samples + leaf.samples - before.samples;
}

void leaves_give(struct merge *merge, const uint32_t *is_counted,
		 const struct whole *whole, const struct part *part,
		 const double *weights, struct given *given)
{
	auto_free double *own = xmalloc(part->count * sizeof(*own));
	size_t next;

	for (size_t i = 0; i < part->row_count; i = next) {
		uint32_t leaf = part->rows[i].leaf_function;

		for (next = i;
		     next < part->row_count && part->rows[next].leaf_function == leaf;)
			next++;
		if (leaf == IDENTIFY_NONE)
			continue;
		memset(own, 0, part->count * sizeof(*own));
		portions_add(merge, is_counted, &part->rows[i], next - i, part->held,
			     part->count, own);
		for (size_t call = 0; call < part->count; call++)
			if (own[call] >= LEAST_SAMPLES * whole->period_ns)
				give_leaf(merge, whole, part->held[call].path,
					  &given[call], leaf, own[call] / weights[call]);
	}
}

void leaves_give_path(struct merge *merge, const uint32_t *is_counted,
		      const struct whole *whole, const struct part *part, uint32_t path,
		      double share, int64_t ns)
{
	struct part own = *part;
	struct given given = {.share = share, .portion = 1, .own = 1, .ns = ns};

	own.held = &(struct held){.path = path, .calls = 1};
	own.count = 1;
	leaves_give(merge, is_counted, whole, &own, &part->sampled_ns, &given);
}
