/* SPDX-License-Identifier: MIT */
/*
 * Sums allocation sites by owner, and makes findings about owners. Must not know limits
 * of rules.
 */
#include "analyzer/rules/owners.h"

#include "common/base/xalloc.h"
#include "analyzer/model/table.h"
#include "analyzer/model/units.h"
#include "analyzer/tree/wrappers.h"
#include "analyzer/rundb/rundb.h"

#include <string.h>
#include <stdlib.h>

#define NAMES_MOST 6
/* Columns before the sums of a site. */
#define FIRST_SUM 5

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
		ARRAY_ADD(owners->list, owners->count) =
			(struct memory_owner){.function = function, .weight = -1};
		*known = (uint32_t)owners->count;
	}
	return &owners->list[*known - 1];
}

static double wrapper_limit(struct rule_input *input, const char *name)
{
	const struct rule_limit *limit = rule_find("M7")->limits;

	if (input)
		return rule_limit_of(input, "M7", name);
	while (strcmp(limit->name, name) != 0)
		limit++;
	return limit->value;
}

struct wrapper_limits memory_wrapper_limits(struct rule_input *input)
{
	return (struct wrapper_limits){
		.callers = wrapper_limit(input, "wrapper_callers"),
		.sizes = wrapper_limit(input, "wrapper_sizes"),
		.blocks = wrapper_limit(input, "wrapper_blocks"),
		.least = wrapper_limit(input, "wrapper_least"),
		.calls = wrapper_limit(input, "wrapper_calls"),
	};
}

static uint32_t caller_of(struct rule_input *input, uint32_t owner)
{
	if (!input->wrappers) {
		struct wrapper_limits limits = memory_wrapper_limits(input);

		input->wrappers = wrappers_find(input->tree, &limits);
	}
	return wrappers_caller(input->wrappers, owner);
}

struct owned {
	uint32_t key, node, wrapped, site; /* whose sums; the node to name */
	const char *file;		   /* of the owner's call; NULL: not known */
	int64_t line;
	const double *values;
	size_t count;
};

static void add_function(uint32_t **list, size_t *count, uint32_t function)
{
	for (size_t i = 0; i < *count; i++)
		if ((*list)[i] == function)
			return;
	ARRAY_ADD(*list, *count) = function;
}

static void add_to(struct rule_input *input, struct memory_owners *owners,
		   const struct owned *owned)
{
	struct memory_owner *owner = find_owner(input, owners, owned->key);

	for (uint32_t at = owned->site; at != owned->key && at != CALLTREE_NONE;
	     at = input->tree->nodes[at].parent)
		if (input->tree->nodes[at].function != CALLTREE_NONE)
			add_function(&owner->below, &owner->below_count,
				     input->tree->nodes[at].function);
	add_function(&owner->askers, &owner->asker_count,
		     input->tree->nodes[owned->node].function);
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

/* The line at which the owner calls the outermost wrapper. Sites know the line of the
 * innermost function's call; others come from the path. */
static void set_call(const struct calltree *tree, struct owned *owned,
		     struct cursor *cursor)
{
	uint32_t below = owned->site, function = tree->nodes[owned->node].function;

	while (tree->nodes[below].is_frame && tree->nodes[below].parent != CALLTREE_NONE)
		below = tree->nodes[below].parent;
	if (tree->nodes[below].parent == owned->node &&
	    !cursor_is_null(cursor, "call_line")) {
		owned->file = cursor_text(cursor, "call_file");
		if (!owned->file && function != CALLTREE_NONE)
			owned->file = tree->functions[function].file;
		owned->line = cursor_integer(cursor, "call_line");
		return;
	}
	while (tree->nodes[below].parent != owned->node &&
	       tree->nodes[below].parent != CALLTREE_NONE)
		below = tree->nodes[below].parent;
	owned->line = tree->nodes[below].call_line;
	owned->file = owned->line ? tree->nodes[below].call_file : NULL;
}

static void add_site(struct rule_input *input, struct memory_owners *owners,
		     struct cursor *cursor, const double *values, size_t count)
{
	uint32_t site = calltree_find(input->tree, cursor_integer(cursor, "path_id"));
	uint32_t node, caller, function;
	struct owned owned = {.site = site, .values = values, .count = count};

	if (site == CALLTREE_NONE)
		return;
	node = calltree_owner(input->tree, site);
	/* libraries' own: the user cannot change anything */
	function = input->tree->nodes[node].function;
	if (function != CALLTREE_NONE && input->tree->functions[function].is_library)
		return;
	caller = caller_of(input, node);
	owned.wrapped = node;
	owned.line = cursor_integer(cursor, "line");
	if (!owners->plain)
		owners->plain = xcalloc(1, sizeof(*owners->plain));
	owners->has_wrappers |= caller != node;
	owned.key = node;
	owned.node = caller;
	owned.file = cursor_text(cursor, "file");
	if (caller != node)
		set_call(input->tree, &owned, cursor);
	add_to(input, owners->plain, &owned);
	owned.key = caller;
	add_to(input, owners, &owned);
}

static int compare_owners(const void *left, const void *right)
{
	const struct memory_owner *a = left, *b = right;

	if (a->sums[0] != b->sums[0])
		return (a->sums[0] < b->sums[0]) - (a->sums[0] > b->sums[0]);
	return (a->function > b->function) - (a->function < b->function);
}

static void sort(struct memory_owners *owners)
{
	if (owners->count)
		qsort(owners->list, owners->count, sizeof(*owners->list), compare_owners);
	if (owners->plain)
		sort(owners->plain);
}

/* Reads the names of the sums. */
static void read_columns(const struct cursor *cursor, struct memory_owners *ret)
{
	int count = cursor_column_count(cursor);

	ret->sum_count = count > FIRST_SUM ? (size_t)(count - FIRST_SUM) : 0;
	if (ret->sum_count > MEMORY_SUMS)
		ret->sum_count = MEMORY_SUMS;
	strbuf_puts(&ret->columns, "owner_id INTEGER PRIMARY KEY, function_id INTEGER");
	for (size_t i = 0; i < ret->sum_count; i++)
		strbuf_printf(&ret->columns, ", \"%s\" REAL",
			      cursor_column_name(cursor, FIRST_SUM + (int)i));
}

int memory_owners_load(struct rule_input *input, struct memory_owners *ret)
{
	struct cursor *cursor = rule_query(input, input->rule->sites);
	double values[MEMORY_SUMS];

	read_columns(cursor, ret);
	while (cursor_next(cursor) > 0) {
		for (size_t i = 0; i < ret->sum_count; i++)
			values[i] = cursor_real_at(cursor, FIRST_SUM + (int)i);
		add_site(input, ret, cursor, values, ret->sum_count);
	}
	sort(ret);
	if (ret->plain) {
		ret->plain->sum_count = ret->sum_count;
		strbuf_puts(&ret->plain->columns, strbuf_text(&ret->columns));
	}
	return rule_finish(input, cursor, 0);
}

static double function_id(const struct calltree *tree, const struct memory_owner *owner)
{
	return owner->function == CALLTREE_NONE
		       ? 0
		       : (double)tree->functions[owner->function].function_id;
}

/* Fills a row of the table. */
static void put_row(double *row, size_t id, double function, const double *sums,
		    size_t count)
{
	row[0] = (double)id;
	row[1] = function;
	memcpy(row + 2, sums, count * sizeof(*sums));
}

int memory_owners_keep(struct rule_input *input, const struct memory_owners *owners)
{
	double rows[MEMORY_OWNERS_MOST * (2 + MEMORY_SUMS)], all[MEMORY_SUMS] = {0};
	size_t width = 2 + owners->sum_count, count = 0;
	int result;

	for (size_t i = 0; i < owners->count; i++) {
		const struct memory_owner *owner = &owners->list[i];

		for (size_t k = 0; k < owners->sum_count; k++)
			all[k] += owner->sums[k];
		if (i < MEMORY_OWNERS_MOST)
			put_row(rows + width * count++, i + 1,
				function_id(input->tree, owner), owner->sums,
				owners->sum_count);
	}
	result = rundb_keep_numbers(input->db, "owner", strbuf_text(&owners->columns),
				    rows, count);
	put_row(rows, 0, 0, all, owners->sum_count);
	if (result == 0)
		result = rundb_keep_numbers(input->db, "every_owner",
					    strbuf_text(&owners->columns), rows,
					    owners->count > 0);
	if (result < 0 && !input->error->size)
		strbuf_puts(input->error, rundb_error(input->db));
	return result;
}

void memory_owners_free(struct memory_owners *owners)
{
	if (owners->plain)
		memory_owners_free(owners->plain);
	free(owners->plain);
	for (size_t i = 0; i < owners->count; i++) {
		free(owners->list[i].below);
		free(owners->list[i].askers);
	}
	free(owners->list);
	free(owners->by_function);
	strbuf_free(&owners->columns);
	*owners = (struct memory_owners){0};
}

static const char *below_sql(struct rule_input *input, const struct memory_owner *owner)
{
	const struct calltree *tree = input->tree;
	bool has_function = owner->function != CALLTREE_NONE;
	ended_by(strbuf_free) struct strbuf ids = {0};

	for (size_t i = 0; i < owner->below_count; i++)
		strbuf_printf(&ids, "%s%lld", i ? ", " : "",
			      (long long)tree->functions[owner->below[i]].function_id);
	return rule_text(
		input,
		"WITH RECURSIVE below(path_id) AS (SELECT path_id FROM "
		"call_paths WHERE run_id = %lld AND %s = %lld UNION SELECT "
		"c.path_id FROM call_paths c JOIN below b ON c.parent_path_id = "
		"b.path_id WHERE c.function_id IN (%s))",
		(long long)input->run_id, has_function ? "function_id" : "path_id",
		has_function ? (long long)tree->functions[owner->function].function_id
			     : (long long)tree->nodes[owner->node].path_id,
		strbuf_text(&ids));
}

/* "luaM_malloc_ > l_alloc": the user's functions between the owner and wrapped. */
static const char *passed_through(struct rule_input *input,
				  const struct memory_owner *owner)
{
	static const char chain_end[] = {TABLE_CHAIN_END, '\0'};
	const struct calltree *tree = input->tree;
	const char *names[NAMES_MOST];
	ended_by(strbuf_free) struct strbuf chain = {0};
	size_t count = 0;

	for (uint32_t at = owner->wrapped;
	     at != owner->node && at != CALLTREE_NONE && count < NAMES_MOST;
	     at = tree->nodes[at].parent)
		if (tree->nodes[at].function == CALLTREE_NONE ||
		    !tree->functions[tree->nodes[at].function].is_library)
			names[count++] = calltree_name(tree, at);
	while (count-- > 0)
		strbuf_printf(&chain, "%s%s", names[count], count ? chain_end : "");
	return rule_copy(input, strbuf_text(&chain));
}

struct finding *memory_owner_finding(struct rule_input *input, struct findings *ret,
				     size_t owner_id, const char **proof)
{
	const struct memory_owner *owner = &input->owners->list[owner_id - 1];
	struct finding *finding =
		rule_add_path(input, ret, input->tree->nodes[owner->node].path_id);
	const char *owned = strstr(*proof, "{owned}");

	*proof = owned ? rule_text(input, "%s %.*s AND path_id IN below%s",
				   below_sql(input, owner), (int)(owned - *proof), *proof,
				   owned + strlen("{owned}"))
		       : rule_text(input, "%s %s", below_sql(input, owner), *proof);
	if (owner->file)
		rule_set_line(input, finding, owner->file, owner->line);
	else if (finding->file)
		finding->where = rule_text(input, "%s (function)", finding->where);
	if (owner->wrapped != owner->node)
		finding->through = passed_through(input, owner);
	return finding;
}

const char *memory_owner_others(struct rule_input *input, size_t owner_id)
{
	const struct memory_owner *owner = &input->owners->list[owner_id - 1];
	ended_by(strbuf_free) struct strbuf text = {0};

	if (owner->asker_count < 2 || owner->function == CALLTREE_NONE)
		return "";
	strbuf_puts(&text, ", with ");
	units_counted(&text, (int64_t)owner->asker_count - 1, "other caller");
	strbuf_printf(&text, " of %s", input->tree->functions[owner->function].name);
	return rule_copy(input, strbuf_text(&text));
}
