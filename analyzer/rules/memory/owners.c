/* SPDX-License-Identifier: MIT */
/*
 * Sums of allocation sites by owner, and findings about owners. Must not know the limits
 * of a rule.
 */
#include "analyzer/rules/memory/owners.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/memory/wrappers.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include <math.h>
#include <stdlib.h>

static struct memory_owner *find_owner(struct rule_input *input,
				       struct memory_owners *owners, uint32_t node)
{
	uint32_t function = input->tree->nodes[node].function, *known;

	if (!owners->by_function)
		owners->by_function = xcalloc(input->tree->function_count + 1,
					      sizeof(*owners->by_function));
	known = &owners->by_function[function == CALLTREE_NONE
					     ? input->tree->function_count
					     : function];
	if (!*known) {
		owners->list = xgrow(owners->list, owners->count, &owners->capacity,
				     sizeof(*owners->list));
		owners->list[owners->count++] =
			(struct memory_owner){.function = function, .weight = -1};
		*known = (uint32_t)owners->count;
	}
	return &owners->list[*known - 1];
}

struct owned {
	uint32_t node, wrapped, site;
	const char *file; /* of the owner's call; NULL: not known */
	int64_t line;
	const double *values;
	size_t count;
};

static void add_below(struct memory_owner *owner, uint32_t function)
{
	for (size_t i = 0; i < owner->below_count; i++)
		if (owner->below[i] == function)
			return;
	owner->below = xgrow(owner->below, owner->below_count, &owner->below_capacity,
			     sizeof(*owner->below));
	owner->below[owner->below_count++] = function;
}

static void add_to(struct rule_input *input, struct memory_owners *owners,
		   const struct owned *owned)
{
	struct memory_owner *owner = find_owner(input, owners, owned->node);

	owner->site_count++;
	for (uint32_t at = owned->site; at != owned->node && at != CALLTREE_NONE;
	     at = input->tree->nodes[at].parent)
		if (input->tree->nodes[at].function != CALLTREE_NONE)
			add_below(owner, input->tree->nodes[at].function);
	for (size_t i = 0; i < owned->count && i < MEMORY_SUMS; i++)
		owner->sums[i] += owned->values[i];
	if (owned->values[0] <= owner->weight)
		return;
	owner->weight = owned->values[0];
	owner->node = owned->node;
	owner->wrapped = owned->wrapped;
	owner->file = rule_copy(input, owned->file);
	owner->line = owned->line;
}

void memory_owners_add(struct rule_input *input, struct memory_owners *owners,
		       int64_t path_id, const char *file, int64_t line,
		       const double *values, size_t count)
{
	uint32_t site = calltree_find(input->tree, path_id), node, caller, function;
	struct owned owned = {.site = site, .values = values, .count = count};

	if (site == CALLTREE_NONE)
		return;
	node = calltree_owner(input->tree, site);
	/* libraries' own: nothing that the user could change */
	function = input->tree->nodes[node].function;
	if (function != CALLTREE_NONE && input->tree->functions[function].is_library)
		return;
	caller = memory_wrappers_caller(input, node);
	owned.wrapped = node;
	owned.line = line;
	if (!owners->plain)
		owners->plain = xcalloc(1, sizeof(*owners->plain));
	owners->has_wrappers |= caller != node;
	owned.node = node;
	owned.file = file;
	add_to(input, owners->plain, &owned);
	owned.node = caller;
	owned.file = caller == node ? file : NULL;
	add_to(input, owners, &owned);
}

static int compare_owners(const void *left, const void *right)
{
	const struct memory_owner *a = left, *b = right;

	if (a->sums[0] != b->sums[0])
		return (a->sums[0] < b->sums[0]) - (a->sums[0] > b->sums[0]);
	return (a->function > b->function) - (a->function < b->function);
}

void memory_owners_sort(struct memory_owners *owners)
{
	if (owners->count)
		qsort(owners->list, owners->count, sizeof(*owners->list), compare_owners);
	if (owners->plain)
		memory_owners_sort(owners->plain);
}

int memory_owners_each(struct rule_input *input, struct findings *ret,
		       const struct memory_owners *owners, memory_owner_judge *add)
{
	size_t before = ret->count;
	int result = 0;

	for (size_t i = 0; result == 0 && i < owners->count && i < MEMORY_FINDINGS_MOST;
	     i++)
		result = add(input, ret, &owners->list[i]);
	if (result == 0 && ret->count == before && owners->has_wrappers)
		return memory_owners_each(input, ret, owners->plain, add);
	return result;
}

int memory_owners_load(struct rule_input *input, struct cursor *cursor,
		       struct memory_owners *ret)
{
	size_t count = (size_t)cursor_column_count(cursor) - 3;
	double values[MEMORY_SUMS];

	while (cursor_next(cursor) > 0) {
		for (size_t i = 0; i < count && i < MEMORY_SUMS; i++)
			values[i] = cursor_real_at(cursor, 3 + (int)i);
		memory_owners_add(input, ret, cursor_integer(cursor, "path_id"),
				  cursor_text(cursor, "file"),
				  cursor_integer(cursor, "line"), values, count);
	}
	memory_owners_sort(ret);
	return rule_finish(input, cursor, 0);
}

int memory_owners_judge(struct rule_input *input, struct findings *ret,
			struct cursor *cursor, memory_owner_judge *add)
{
	struct memory_owners owners = {0};
	int result = memory_owners_load(input, cursor, &owners);

	if (result == 0)
		result = memory_owners_each(input, ret, &owners, add);
	memory_owners_free(&owners);
	return result;
}

void memory_owners_free(struct memory_owners *owners)
{
	if (owners->plain)
		memory_owners_free(owners->plain);
	free(owners->plain);
	for (size_t i = 0; i < owners->count; i++)
		free(owners->list[i].below);
	free(owners->list);
	free(owners->by_function);
	*owners = (struct memory_owners){0};
}

static const char *below_sql(struct rule_input *input, const struct memory_owner *owner)
{
	const struct calltree *tree = input->tree;
	bool has_function = owner->function != CALLTREE_NONE;
	struct strbuf ids = {0};
	const char *text;

	for (size_t i = 0; i < owner->below_count; i++)
		strbuf_printf(&ids, "%s%lld", i ? ", " : "",
			      (long long)tree->functions[owner->below[i]].function_id);
	text = rule_text(
		input,
		"WITH RECURSIVE below(path_id) AS (SELECT path_id FROM "
		"call_paths WHERE run_id = %lld AND %s = %lld UNION SELECT "
		"c.path_id FROM call_paths c JOIN below b ON c.parent_path_id = "
		"b.path_id WHERE c.function_id IN (%s))",
		(long long)input->run_id, has_function ? "function_id" : "path_id",
		has_function ? (long long)tree->functions[owner->function].function_id
			     : (long long)tree->nodes[owner->node].path_id,
		strbuf_text(&ids));
	strbuf_free(&ids);
	return text;
}

struct finding *memory_owner_finding(struct rule_input *input, struct findings *ret,
				     const struct memory_owner *owner)
{
	struct finding *finding =
		owner ? rule_add_path(input, ret, input->tree->nodes[owner->node].path_id)
		      : rule_add(input, ret);

	finding->sql = rule_replace(input, finding->sql, "{owned}",
				    owner ? " AND path_id IN below" : "");
	if (!owner)
		return finding;
	finding->sql = rule_text(input, "%s %s", below_sql(input, owner), finding->sql);
	if (owner->file)
		rule_set_line(input, finding, owner->file, owner->line);
	else if (finding->file)
		finding->where = rule_text(input, "%s (function)", finding->where);
	if (owner->wrapped != owner->node)
		finding->through =
			memory_wrappers_through(input, owner->node, owner->wrapped);
	return finding;
}

double memory_run_ns(struct rule_input *input)
{
	const struct time_run *run = input->time_run;
	double lanes;

	lanes = run->lane_count > 1 ? (double)run->lane_count : 1;
	return fmax(run->run_ns - input->frames_cost_ns / lanes, 0.1 * run->run_ns);
}

void memory_win_time(struct rule_input *input, struct finding *finding, double ns)
{
	double run_ns = memory_run_ns(input);

	finding->impact = rule_share(ns, run_ns);
	finding->saving_ns = ns < run_ns ? ns : run_ns;
}

void memory_time_evidence(struct rule_input *input, struct finding *finding,
			  const char *limit, const char *name)
{
	rule_evidence(input, finding, name, "ns", rule_limit(input, limit), NULL);
	rule_evidence(input, finding, "share of the run without recorder", "percent",
		      finding->impact, NULL);
}

void memory_win_bytes(struct rule_input *input, struct finding *finding, double bytes)
{
	finding->impact = rule_share(bytes, input->peak_bytes);
	finding->saving_bytes = bytes;
}

void memory_win_live(struct rule_input *input, struct finding *finding, double bytes,
		     const char *words, const char *limit)
{
	bool are_several = input->peaks_bytes > input->peak_bytes;

	finding->impact = rule_share(bytes, input->peaks_bytes);
	finding->saving_bytes = bytes;
	if (are_several)
		finding->saving_of_bytes = input->peaks_bytes;
	rule_evidence(input, finding,
		      rule_text(input, "%s of the %s", words,
				are_several ? "processes' peaks" : "peak"),
		      "percent", finding->impact, limit);
}
