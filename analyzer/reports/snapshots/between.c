/* SPDX-License-Identifier: MIT */
/*
 * Call paths and sites between two moments. Must not make the error of a time smaller
 * than its part of the whole run's error.
 */
#include "analyzer/reports/snapshots/between.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "between.sql.h"

#include <math.h>
#include <stdlib.h>

/* A node's numbers in the whole run. work: its own calls and those it makes. */
struct whole {
	double self_ns, total_ns, self_error_ns, total_error_ns, work;
};

/* The nearest node above that was timed call by call, or CALLTREE_NONE. */
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

/* By node; owned by caller. */
static struct whole *whole_run(const struct calltree *tree)
{
	struct whole *nodes = xcalloc(tree->node_count + 1, sizeof(*nodes));

	for (size_t i = tree->order_count; i-- > 0;) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];
		struct whole *whole = &nodes[at];

		whole->self_ns += (double)node->self_ns;
		whole->self_error_ns += (double)node->self_error_ns;
		whole->total_ns = (double)node->total_ns;
		whole->total_error_ns = (double)node->total_error_ns;
		whole->work += work_of(tree, at);
		if (is_left_out(tree, at)) {
			struct whole *caller = &nodes[caller_of(tree, at)];

			caller->self_ns += whole->self_ns;
			caller->self_error_ns += whole->self_error_ns;
			/* Not known for a part of the run: only the time's share limits
			 * the error. */
			caller->work = INFINITY;
		}
	}
	return nodes;
}

/* Moves times of functions that are left out to their callers, and drops their calls. */
static void fold_left_out(struct calltree *tree)
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

/* The error of an amount that is part of a whole. */
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

static void give_errors(const struct whole *nodes, struct calltree *tree)
{
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		struct calltree_node *node = &tree->nodes[at];
		const struct whole *whole = &nodes[at];
		double share = whole->work > 0 ? work_of(tree, at) / whole->work : 0;

		node->self_error_ns = part_of((double)node->self_ns, whole->self_ns,
					      whole->self_error_ns, share);
		node->total_error_ns = part_of((double)node->total_ns, whole->total_ns,
					       whole->total_error_ns, share);
		calltree_narrow_self(tree, node);
	}
}

static void add_paths(struct report_input *input, struct calltree *tree, const char *sql)
{
	auto_cursor struct cursor *cursor = report_query(input, sql);

	while (cursor_next(cursor)) {
		uint32_t at = calltree_find(tree, cursor_integer(cursor, "path_id"));
		int64_t sign = cursor_integer(cursor, "sign"),
			values[QUANTITY_COUNT_PAST];

		cursor_quantities(cursor, QUANTITY_OF_PAST, values);
		for (size_t i = 0; i < QUANTITY_COUNT_PAST; i++)
			if (__builtin_mul_overflow(values[i], sign, &values[i]))
				values[i] = INT64_MAX;
		if (at != CALLTREE_NONE)
			quantities_add(QUANTITY_OF_TREE, tree->nodes[at].quantities,
				       QUANTITY_OF_PAST, values, 1);
	}
}

static void add_sites(struct report_input *input, struct calltree *tree)
{
	auto_cursor struct cursor *cursor = report_query(input, between_sql_site_paths);

	while (cursor_next(cursor)) {
		uint32_t at = calltree_find(tree, cursor_integer(cursor, "path_id"));
		struct calltree_node *node = &tree->nodes[at];

		if (at == CALLTREE_NONE)
			continue;
		node->alloc_count = cursor_integer(cursor, "alloc_count");
		node->alloc_bytes = cursor_integer(cursor, "alloc_bytes");
		node->live_bytes = cursor_integer(cursor, "live_bytes");
		node->before = cursor_integer(cursor, "a_live_bytes");
	}
}

bool between_has_times(const struct between *between)
{
	return between->a.kind != MOMENT_PEAK && between->b.kind != MOMENT_PEAK;
}

static void insert_moment(struct rundb_insert *insert, const struct between *between,
			  const char *place, const struct moment *moment)
{
	static const char *const kinds[] = {[MOMENT_START] = "start",
					    [MOMENT_SNAPSHOT] = "snapshot",
					    [MOMENT_PEAK] = "peak",
					    [MOMENT_EXIT] = "exit"};
	const struct snapshot *snapshot =
		moment->kind == MOMENT_SNAPSHOT ? moment->snapshot : NULL;

	rundb_insert_row(
		insert,
		(struct cell[]){
			cell_text(place),
			cell_text(kinds[moment->kind]),
			cell_integer(moment_id(moment)),
			cell_text(snapshot ? snapshot->label : kinds[moment->kind]),
			cell_integer(snapshot ? snapshot->number : 0),
			cell_integer(snapshot ? snapshot->time_ns : 0),
			cell_integer(between->process->process_id),
			cell_integer(between->process->pid),
			cell_integer((int64_t)between->list->run_process_count),
		});
}

/* Makes the tables `moments_between` and `sites_between`. */
static void keep(struct report_input *input, const struct between *between)
{
	struct rundb_insert *insert =
		rundb_fill(input->db, "moments_between", between_sql_moments_between);

	insert_moment(insert, between, "a", &between->a);
	insert_moment(insert, between, "b", &between->b);
	insert_moment(insert, between, "c", &between->c);
	rundb_insert_end(insert);
	rundb_keep(input->db, "sites_between", between_sql_sites_between, input->run_id);
}

void between_load(struct report_input *input, const struct between *between,
		  struct calltree *tree)
{
	static const char *const queries[] = {
		between_sql_paths, between_sql_paths_at_exit, between_sql_lanes_at_exit};
	auto_free struct whole *nodes = whole_run(tree);

	keep(input, between);
	for (size_t i = 0; i < tree->node_count; i++) {
		quantities_clear(QUANTITY_OF_TREE, tree->nodes[i].quantities);
		tree->nodes[i].before = 0;
	}
	for (size_t i = 0; i < 3 && between_has_times(between); i++)
		add_paths(input, tree, queries[i]);
	add_sites(input, tree);
	calltree_move_times(tree);
	fold_left_out(tree);
	give_errors(nodes, tree);
}

void between_note_left_out(struct doc *doc, const struct calltree *tree)
{
	const char *example = NULL;
	struct strbuf text = {0};
	int64_t count = 0;

	for (size_t i = 0; i < tree->function_count; i++)
		if (tree->functions[i].is_estimated)
			example = count++ ? example : tree->functions[i].name;
	if (!count)
		return;
	units_counted(&text, count, "function");
	strbuf_printf(
		&text,
		" (such as '%s') %s left out: not every call was timed, and when the "
		"others took place is not known. What %s in between is with the "
		"callers.",
		example, count == 1 ? "is" : "are", count == 1 ? "it has" : "they have");
	doc_note(doc, "left_out_of_times", NOTE_PLAIN, strbuf_text(&text),
		 "PROFSHIM_LEVEL=exact has all.");
}
