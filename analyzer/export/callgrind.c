/* SPDX-License-Identifier: MIT */
/*
 * Callgrind's format, all threads in one part, since callgrind_annotate reads only one.
 * "(threads)" above the roots gives every function a caller: readers take inclusive
 * costs from callers. Must not write a callee's file after its name: callgrind_annotate
 * would take it for the next one's.
 */
#include "analyzer/export/export.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The caller of roots is PROFILE_NONE. */
struct edge {
	uint32_t caller, callee;
	uint32_t line; /* of the call in the caller's file; 0: not known */
	int64_t calls;
	/* At and below the callee, on paths where it is outermost: a call inside another
	 * call of the same function costs nothing more. */
	int64_t costs[PROFILE_METRICS];
};

struct edges {
	struct edge *all; /* sorted by caller (PROFILE_NONE last), callee and line */
	size_t count;
	int64_t (*selves)[PROFILE_METRICS]; /* of each function */
};

static void add(int64_t to[PROFILE_METRICS], const int64_t from[PROFILE_METRICS])
{
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		quantity_add(&to[i], from[i] > 0 ? from[i] : 0);
}

static bool *outermost_of_functions(const struct calltree *tree)
{
	uint32_t *functions = calltree_numbers(tree);

	for (size_t i = 0; i < tree->node_count; i++)
		functions[i] = tree->nodes[i].function;
	return calltree_outermost(tree, functions, tree->function_count);
}

static int compare(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return ORDER_BY_3(a, b, caller, callee, line);
}

/* Each caller, callee and line make an edge. Returns the edge of each node. */
static uint32_t *find_edges(const struct calltree *tree, struct edges *edges)
{
	uint32_t *of_nodes = calltree_numbers(tree);
	struct map numbers = {0};
	bool is_new;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		uint32_t parent = tree->nodes[i].parent;
		struct edge edge = {.caller = parent == CALLTREE_NONE
						      ? PROFILE_NONE
						      : tree->nodes[parent].function,
				    .callee = tree->nodes[i].function,
				    .line = calltree_call_line(tree, i)};

		of_nodes[i] = map_number(&numbers, edge.caller, edge.callee, edge.line,
					 &is_new);
		if (is_new)
			ARRAY_ADD(edges->all, edges->count) = edge;
	}
	return of_nodes;
}

static struct edges edges_of(const struct profile *profile)
{
	const struct calltree *tree = profile->tree;
	struct edges edges = {
		.selves = xcalloc(tree->function_count + 1, sizeof(*edges.selves))};
	uint32_t *of_nodes = find_edges(tree, &edges);
	bool *outermost = outermost_of_functions(tree);
	int64_t(*sums)[PROFILE_METRICS] = xcalloc(tree->node_count + 1, sizeof(*sums));

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t calls = sample->values[PROFILE_CALLS];

		add(edges.selves[tree->nodes[sample->node].function], sample->values);
		add(sums[sample->node], sample->values);
		quantity_add(&edges.all[of_nodes[sample->node]].calls,
			     calls > 0 ? calls : 0);
	}
	/* nodes below a node come after it */
	for (size_t i = tree->node_count; i-- > 0;) {
		if (tree->nodes[i].parent != CALLTREE_NONE)
			add(sums[tree->nodes[i].parent], sums[i]);
		if (outermost[i])
			add(edges.all[of_nodes[i]].costs, sums[i]);
	}
	if (edges.count)
		qsort(edges.all, edges.count, sizeof(*edges.all), compare);
	return edges;
}

struct writing {
	FILE *out;
	const struct profile *profile;
	struct intern files, modules; /* the text goes with a number's first use */
	bool *is_told;		      /* functions */
};

/* texts: those already written under keys of this kind. */
static void put_text(struct writing *writing, const char *key, struct intern *texts,
		     const char *text)
{
	bool is_new;
	uint32_t number = intern_text(texts, text ? text : "???", &is_new);

	fprintf(writing->out, "%s=(%" PRIu32 ")%s%s\n", key, number + 1,
		is_new ? " " : "", is_new ? (text ? text : "???") : "");
}

/* Written after the module and before the file. key: "fn" or "cfn". */
static void put_name(struct writing *writing, const char *key, uint32_t function)
{
	fprintf(writing->out, "%s=(%" PRIu32 ")", key, function + 1);
	if (!writing->is_told[function])
		fprintf(writing->out, " %s",
			function < writing->profile->tree->function_count
				? writing->profile->tree->functions[function].name
				: "(threads)");
	putc('\n', writing->out);
	writing->is_told[function] = true;
}

static void put_costs(FILE *out, uint32_t line, const int64_t costs[PROFILE_METRICS])
{
	fprintf(out, "%" PRIu32, line);
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		fprintf(out, " %" PRId64, costs[i]);
	putc('\n', out);
}

/* Whether the edge has no costs left. */
static bool is_empty(const struct edge *edge)
{
	bool any = edge->calls > 0;

	for (size_t i = 0; i < PROFILE_METRICS; i++)
		any |= edge->costs[i] != 0;
	return !any;
}

/* Calls seen by unwinding were not counted: at least one happened. line: where the caller
 * begins. */
static void put_call(struct writing *writing, uint32_t line, const struct edge *edge)
{
	const struct calltree_function *callee =
		&writing->profile->tree->functions[edge->callee];

	if (is_empty(edge))
		return;
	put_text(writing, "cob", &writing->modules, callee->module);
	put_text(writing, "cfi", &writing->files, callee->file);
	put_name(writing, "cfn", edge->callee);
	fprintf(writing->out, "calls=%" PRId64 " %" PRIu32 "\n",
		edge->calls > 0 ? edge->calls : 1, callee->line);
	put_costs(writing->out, edge->line ? edge->line : line, edge->costs);
}

static void put_functions(struct writing *writing)
{
	const struct profile *profile = writing->profile;
	struct edges edges = edges_of(profile);
	size_t at = 0;

	for (uint32_t i = 0; i < profile->tree->function_count; i++) {
		const struct calltree_function *function = &profile->tree->functions[i];
		bool has_own = false;

		for (size_t j = 0; j < PROFILE_METRICS; j++)
			has_own |= edges.selves[i][j] != 0;
		if (!has_own && (at == edges.count || edges.all[at].caller != i))
			continue;
		putc('\n', writing->out);
		put_text(writing, "ob", &writing->modules, function->module);
		put_text(writing, "fl", &writing->files, function->file);
		put_name(writing, "fn", i);
		put_costs(writing->out, function->line, edges.selves[i]);
		for (; at < edges.count && edges.all[at].caller == i; at++)
			put_call(writing, function->line, &edges.all[at]);
	}
	if (at < edges.count) {
		putc('\n', writing->out);
		put_text(writing, "ob", &writing->modules, NULL);
		put_text(writing, "fl", &writing->files, NULL);
		put_name(writing, "fn", (uint32_t)profile->tree->function_count);
	}
	for (; at < edges.count; at++)
		put_call(writing, 0, &edges.all[at]);
}

static void put_sums(FILE *out, const char *key, const struct profile *profile)
{
	fputs(key, out);
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		fprintf(out, " %" PRId64, profile->sums[i] > 0 ? profile->sums[i] : 0);
	putc('\n', out);
}

static void put_head(FILE *out, const struct profile *profile)
{
	fprintf(out,
		"# callgrind format\nversion: 1\ncreator: prof-analyze-" PROFSHIM_VERSION
		"\npid: %" PRId64 "\ncmd: %s\npart: 1\n",
		profile->pid, profile->command ? profile->command : "");
	for (size_t i = 0; i < profile->remark_count; i++)
		fprintf(out, "desc: Remark: %s\n", profile->remarks[i]);
	fputs("positions: line\n", out);
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		fprintf(out, "event: %s : %s [%s]\n", profile_metrics[i].word,
			profile_metrics[i].name, profile_metrics[i].unit);
	fputs("events:", out);
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		fprintf(out, " %s", profile_metrics[i].word);
	putc('\n', out);
	put_sums(out, "summary:", profile);
}

static void write_profile(const struct doc *doc, const struct export_context *context)
{
	struct writing writing = {.out = context->out, .profile = doc->profile};

	if (!doc->profile)
		return;
	writing.is_told =
		xcalloc(doc->profile->tree->function_count + 1, sizeof(*writing.is_told));
	put_head(writing.out, doc->profile);
	put_functions(&writing);
	putc('\n', writing.out);
	put_sums(writing.out, "totals:", doc->profile);
}

const struct exporter exporter_callgrind = {
	.name = "callgrind",
	.summary = "functions and calls with all metrics, for KCachegrind",
	.takes_profile = true,
	.write = write_profile,
};
