/* SPDX-License-Identifier: MIT */
/*
 * Errors of times between two moments. Must not make one smaller than its share in the
 * whole run's.
 */
#include "analyzer/reports/delta/estimates.h"

#include "common/base/xalloc.h"
#include "analyzer/model/table.h"
#include "analyzer/model/units.h"

#include <math.h>
#include <stdlib.h>

/* Of a node in the whole run. work: calls of its own and of what it calls itself. */
struct whole {
	double self_ns, total_ns, self_error_ns, total_error_ns, work;
};

struct delta_estimates {
	struct whole *nodes;
};

/* The node above that was timed call by call; CALLTREE_NONE: there is none. */
static uint32_t caller_of(const struct calltree *tree, uint32_t node)
{
	uint32_t at = tree->nodes[node].parent;

	while (at != CALLTREE_NONE &&
	       (tree->nodes[at].recording || tree->nodes[at].is_frame))
		at = tree->nodes[at].parent;
	return at;
}

static bool is_left_out(const struct calltree *tree, uint32_t node)
{
	return tree->nodes[node].recording && caller_of(tree, node) != CALLTREE_NONE;
}

static double work_of(const struct calltree *tree, uint32_t node)
{
	double work = (double)tree->nodes[node].calls;

	for (uint32_t child = tree->nodes[node].first_child; child != CALLTREE_NONE;
	     child = tree->nodes[child].next)
		work += (double)tree->nodes[child].calls;
	return work;
}

struct delta_estimates *delta_estimates_new(const struct calltree *tree)
{
	struct delta_estimates *estimates = xcalloc(1, sizeof(*estimates));

	estimates->nodes = xcalloc(tree->node_count + 1, sizeof(*estimates->nodes));
	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];
		struct whole *whole = &estimates->nodes[at];

		whole->self_ns += (double)node->self_ns;
		whole->self_error_ns += (double)node->self_error_ns;
		whole->total_ns = (double)node->total_ns;
		whole->total_error_ns = (double)node->total_error_ns;
		whole->work += work_of(tree, at);
		if (is_left_out(tree, at)) {
			struct whole *caller = &estimates->nodes[caller_of(tree, at)];

			caller->self_ns += whole->self_ns;
			caller->self_error_ns += whole->self_error_ns;
			/* Not known of a stretch: only its time has a share. */
			caller->work = INFINITY;
		}
	}
	return estimates;
}

void delta_estimates_fold(struct calltree *tree)
{
	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t at = tree->order[i];
		struct calltree_node *node = &tree->nodes[at], *caller;

		if (!is_left_out(tree, at))
			continue;
		caller = &tree->nodes[caller_of(tree, at)];
		quantity_add(&caller->self_ns, node->self_ns);
		quantity_add(&caller->self_cpu_ns, node->self_cpu_ns);
		quantity_add(&caller->self_ready_ns, node->self_ready_ns);
		quantity_add(&caller->self_blocked_ns, node->self_blocked_ns);
		node->self_ns = node->total_ns = node->calls = 0;
		node->self_cpu_ns = node->self_ready_ns = node->self_blocked_ns = 0;
		node->cpu_ns = node->ready_ns = node->blocked_ns = 0;
	}
}

/* The error of an amount that is a part of a whole. */
static int64_t part_of(double amount, double whole, double error, double work_share)
{
	double share = work_share;

	if (!(error > 0) || !(amount > 0 || work_share > 0))
		return 0;
	if (!units_is_known(whole, error))
		share = 1;
	else
		share = fmax(share, amount / whole);
	return whole_number(fmin(error * fmin(share, 1), 0x1p61));
}

void delta_estimates_finish(struct delta_estimates *estimates, struct calltree *tree)
{
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		struct calltree_node *node = &tree->nodes[at];
		const struct whole *whole = &estimates->nodes[at];
		double share = whole->work > 0 ? work_of(tree, at) / whole->work : 0;

		node->self_error_ns = part_of((double)node->self_ns, whole->self_ns,
					      whole->self_error_ns, share);
		node->total_error_ns = part_of((double)node->total_ns, whole->total_ns,
					       whole->total_error_ns, share);
		calltree_narrow_self(node);
	}
	free(estimates->nodes);
	free(estimates);
}
