/* SPDX-License-Identifier: MIT */
/*
 * Merges findings that nest on one path (a hot chain of ten functions is one thing to
 * fix, not ten), and findings of which one explains the other (a slow function, and the
 * faults that make it slow). Must not lose a finding, or lower a severity by merging.
 */
#include "analyzer/findings/finding_merge.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

/* The part of the other finding's stake that the remaining one must explain; less if it
 * is about the same function and names the cause. */
#define EXPLAINS 0.8
#define CAUSES 0.5

#define NONE UINT32_MAX

struct merging {
	struct findings *findings;
	const struct calltree *tree;
	uint32_t *nodes;    /* by finding, or CALLTREE_NONE */
	uint32_t *at_node;  /* by node: its first finding, or NONE */
	uint32_t *next;	    /* by finding: the next one of its node, or NONE */
	uint32_t *claimant; /* by finding: the one it goes into, or NONE */
};

/* The whole gain, even if the finding is rated by less of it. */
static double stake(const struct findings *findings, const struct finding *finding)
{
	double bytes = finding->saving_bytes / fmax(1, findings->peak_bytes);

	return fmax(fmax(finding->impact, finding->saving_share), fmin(1, bytes));
}

/* Time spent on allocating and memory that is held are fixed in different ways. */
static bool is_alike(const struct finding *a, const struct finding *b)
{
	return a->kind == b->kind &&
	       (a->kind != 'M' || (a->saving_ns > 0) == (b->saving_ns > 0));
}

static int deepest_first(const void *left, const void *right, void *context)
{
	const struct merging *merging = context;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct finding *a = &merging->findings->list[i];
	const struct finding *b = &merging->findings->list[j];
	uint32_t x = merging->nodes[i], y = merging->nodes[j];
	uint32_t depth_a = x == CALLTREE_NONE ? 0 : merging->tree->nodes[x].depth;
	uint32_t depth_b = y == CALLTREE_NONE ? 0 : merging->tree->nodes[y].depth;

	return ORDER(depth_b, depth_a) ?: ORDER_BY_2(b, a, specific, score) ?: ORDER(i, j);
}

static void claim_at(struct merging *merging, uint32_t inner, uint32_t node)
{
	const struct finding *list = merging->findings->list, *one = &list[inner];

	for (uint32_t i = merging->at_node[node]; i != NONE; i = merging->next[i])
		if (i != inner && merging->claimant[i] == NONE &&
		    is_alike(&list[i], one) &&
		    !(one->is_capped && list[i].severity > one->most_severity) &&
		    (stake(merging->findings, one) >=
			     EXPLAINS * stake(merging->findings, &list[i]) ||
		     one->impact >= EXPLAINS * list[i].impact) &&
		    (node != merging->nodes[inner] ||
		     deepest_first(&inner, &i, merging) < 0))
			merging->claimant[i] = inner;
}

/* Claims the findings on a finding's path. The bound guards against a ring of parents. */
static void claim_path(struct merging *merging, uint32_t inner)
{
	uint32_t node = merging->nodes[inner];

	for (size_t steps = 0; node != CALLTREE_NONE && steps < merging->tree->node_count;
	     steps++) {
		claim_at(merging, inner, node);
		node = merging->tree->nodes[node].parent;
	}
}

/* Takes in the outer finding, with those it has taken in itself. */
static void absorb(struct finding *inner, struct finding *outer)
{
	size_t count = inner->also_count + 1 + outer->also_count;

	inner->also = xreallocarray(inner->also, count, sizeof(*inner->also));
	inner->also[inner->also_count++] =
		(struct finding_also){.rule = outer->rule,
				      .severity = outer->severity,
				      .score = outer->score,
				      .path_id = outer->path_id,
				      .function = outer->function};
	for (size_t i = 0; i < outer->also_count; i++)
		inner->also[inner->also_count++] = outer->also[i];
	outer->also = NULL;
	outer->also_count = 0;
}

static void take_over(struct finding *inner, const struct finding *outer)
{
	if (outer->score > inner->score)
		inner->score = outer->score;
	if (outer->severity > inner->severity)
		inner->severity = outer->severity;
}

/* Removes claimed findings. Scores change last, because they decided who claims. */
static void remove_claimed(struct merging *merging)
{
	struct findings *findings = merging->findings;
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++)
		if (merging->claimant[i] != NONE)
			absorb(&findings->list[merging->claimant[i]], &findings->list[i]);
	for (size_t i = 0; i < findings->count; i++)
		if (merging->claimant[i] != NONE)
			take_over(&findings->list[merging->claimant[i]],
				  &findings->list[i]);
	for (size_t i = 0; i < findings->count; i++)
		if (merging->claimant[i] == NONE)
			findings->list[kept++] = findings->list[i];
	findings->count = kept;
}

static void index_nodes(struct merging *merging)
{
	for (size_t i = 0; i < merging->tree->node_count; i++)
		merging->at_node[i] = NONE;
	for (uint32_t i = 0; i < merging->findings->count; i++) {
		uint32_t node =
			merging->findings->list[i].path_id
				? calltree_find(merging->tree,
						merging->findings->list[i].path_id)
				: CALLTREE_NONE;

		merging->nodes[i] = node;
		merging->claimant[i] = NONE;
		merging->next[i] = node == CALLTREE_NONE ? NONE : merging->at_node[node];
		if (node != CALLTREE_NONE)
			merging->at_node[node] = i;
	}
}

static bool is_explained(const struct finding *one, const struct finding *other)
{
	bool is_of_run = !other->function_id && !other->path_id;

	if (!one->explains || one == other ||
	    !(is_of_run || (one->function_id && one->function_id == other->function_id)))
		return false;
	for (size_t i = 0; one->explains[i]; i++)
		if (one->explains[i] == other->rule)
			return true;
	return false;
}

/*
 * A finding that names the cause takes in those it explains. Findings about the whole
 * run may be shared by several functions. A claimed finding claims nothing more, so one
 * remains if rules explain each other in a ring. Findings are removed in the order of
 * claiming, so each brings along what it has taken in.
 */
static void claim_explained(struct merging *merging, uint32_t other)
{
	const struct finding *list = merging->findings->list;
	uint32_t best = NONE;
	double explained = 0;

	for (uint32_t i = 0; i < merging->findings->count; i++) {
		if (merging->claimant[i] != NONE ||
		    !is_explained(&list[i], &list[other]) ||
		    (list[i].is_capped && list[other].severity > list[i].most_severity))
			continue;
		explained += stake(merging->findings, &list[i]);
		if (best == NONE || stake(merging->findings, &list[i]) >
					    stake(merging->findings, &list[best]))
			best = i;
	}
	if (best != NONE && explained >= (list[other].function_id ? CAUSES : EXPLAINS) *
						 stake(merging->findings, &list[other]))
		merging->claimant[other] = best;
}

static void merge_explained(struct merging *merging)
{
	size_t count = merging->findings->count;

	for (uint32_t i = 0; i < count; i++)
		merging->claimant[i] = NONE;
	for (uint32_t i = 0; i < count; i++)
		claim_explained(merging, i);
	remove_claimed(merging);
}

static void merge(struct findings *findings, const struct calltree *tree)
{
	size_t count = findings->count;
	uint32_t *order = xcalloc(count + 1, sizeof(*order));
	struct merging merging = {
		.findings = findings,
		.tree = tree,
		.nodes = xcalloc(count + 1, sizeof(uint32_t)),
		.at_node = xcalloc(tree->node_count + 1, sizeof(uint32_t)),
		.next = xcalloc(count + 1, sizeof(uint32_t)),
		.claimant = xcalloc(count + 1, sizeof(uint32_t)),
	};

	index_nodes(&merging);
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), deepest_first, &merging);
	for (size_t i = 0; i < count; i++)
		if (merging.claimant[order[i]] == NONE)
			claim_path(&merging, order[i]);
	remove_claimed(&merging);
	merge_explained(&merging);
}

static int by_score(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	return ORDER_BY_2(b, a, score, impact) ?: ORDER_BY(a, b, path_id);
}

/* Limits savings that rules summed over threads and processes, which ran side by side: no
 * wait gets shorter than 0. */
static void bound_saving(const struct findings *findings, struct finding *finding)
{
	if (findings->wall_ns > 0 && finding->saving_ns > findings->wall_ns)
		finding->saving_ns = findings->wall_ns;
}

void findings_finish(struct findings *findings, const struct calltree *tree)
{
	for (size_t i = 0; i < findings->count; i++) {
		bound_saving(findings, &findings->list[i]);
		finding_rate(&findings->list[i]);
	}
	merge(findings, tree);
	if (findings->count)
		qsort(findings->list, findings->count, sizeof(*findings->list), by_score);
}
