/* SPDX-License-Identifier: MIT */
/*
 * Judges the studies of a run for the queries of sql/why.sql, which show them. Must not
 * name a cause that analyzer/model/study/ has not found.
 */
#include "analyzer/model/study/study.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "common/base/xalloc.h"

#include "why.sql.h"

#include <math.h>
#include <stdlib.h>

struct judging {
	int64_t study_id, median_ns;
	struct study study;
	int64_t *roots; /* by call: its path */
	bool *is_first; /* by call: the first to reach the path below its cause */
};

static double positive(int64_t value)
{
	return value > 0 ? (double)value : 0;
}

static struct cursor *query(struct report_input *input, const struct judging *study,
			    const char *sql)
{
	struct cursor *cursor = report_query(input, sql);

	cursor_bind_integer(cursor, ":study", study->study_id);
	return cursor;
}

static void load_cases(struct report_input *input, struct judging *study)
{
	auto_cursor struct cursor *cursor = query(input, study, why_sql_cases);

	while (cursor_next(cursor)) {
		size_t number = study->study.call_count;
		struct study_call *call =
			study_add_call(&study->study, cursor_integer(cursor, "case_id"));

		study->roots = array_room(study->roots, number, sizeof(*study->roots));
		study->is_first =
			array_room(study->is_first, number, sizeof(*study->is_first));
		study->roots[number] = cursor_integer(cursor, "path_id");
		study->is_first[number] = false;
		call->duration_ns = positive(cursor_integer(cursor, "duration_ns")) -
				    positive(cursor_integer(cursor, "ready_ns"));
		call->beside_calls = positive(cursor_integer(cursor, "beside_calls"));
		call->is_one_of_slowest = cursor_integer(cursor, "is_slow") != 0;
	}
}

static uint32_t call_of(const struct study *study, int64_t case_id)
{
	for (size_t i = 0; i < study->call_count; i++)
		if (study->calls[i].id == case_id)
			return (uint32_t)i;
	return STUDY_NONE;
}

static uint32_t node_of(const struct calltree *tree, int64_t path_id)
{
	uint32_t node = calltree_find(tree, path_id);

	if (node != CALLTREE_NONE && tree->nodes[node].merged_into != CALLTREE_NONE)
		node = tree->nodes[node].merged_into;
	return node;
}

static struct study_numbers read_numbers(struct cursor *cursor)
{
	double ready_ns = positive(cursor_integer(cursor, "ready_ns"));
	double self_ns = positive(cursor_integer(cursor, "self_ns")) - ready_ns;

	return (struct study_numbers){
		.calls = positive(cursor_integer(cursor, "calls")),
		.self_ns = self_ns > 0 ? self_ns : 0,
		.ready_ns = ready_ns,
		.blocked_ns = positive(cursor_integer(cursor, "blocked_ns")),
		.alloc_count = positive(cursor_integer(cursor, "alloc_count")),
		.alloc_bytes = positive(cursor_integer(cursor, "alloc_bytes"))};
}

/* The path at the top of the call. root: CALLTREE_NONE if no call contained the step. */
static uint32_t top_of(struct study *study, const struct calltree *tree, uint32_t root)
{
	int64_t path_id = root == CALLTREE_NONE ? 0 : tree->nodes[root].path_id;

	return study_path(study, STUDY_NONE,
			  study->step ? STUDY_STEP : tree->nodes[root].function, path_id);
}

/* The study's number for a node at or below the call's own; STUDY_NONE: not below it. */
static uint32_t number_of(struct study *study, const struct calltree *tree, uint32_t node,
			  uint32_t root)
{
	uint32_t chain[64], depth = 0, number;

	for (; node != root; node = tree->nodes[node].parent) {
		if (node == CALLTREE_NONE ||
		    (root != CALLTREE_NONE &&
		     tree->nodes[node].depth <= tree->nodes[root].depth))
			return STUDY_NONE;
		if (depth == sizeof(chain) / sizeof(chain[0]))
			depth--; /* very deep: deeper nodes count as this one */
		chain[depth++] = node;
	}
	number = top_of(study, tree, root);
	while (depth-- > 0)
		number = study_path(study, number, tree->nodes[chain[depth]].function,
				    tree->nodes[chain[depth]].path_id);
	return number;
}

static bool is_libc(const struct calltree *tree, uint32_t node)
{
	uint32_t function =
		node == CALLTREE_NONE ? CALLTREE_NONE : tree->nodes[node].function;

	return function != CALLTREE_NONE && tree->functions[function].is_libc;
}

static void add_parts(struct report_input *input, const struct calltree *tree,
		      struct judging *study)
{
	auto_cursor struct cursor *cursor = query(input, study, why_sql_parts);

	while (cursor_next(cursor)) {
		uint32_t node = node_of(tree, cursor_integer(cursor, "path_id"));
		uint32_t call = call_of(&study->study, cursor_integer(cursor, "case_id"));
		struct study_numbers numbers = read_numbers(cursor);
		uint32_t root, number;

		if ((node == CALLTREE_NONE && !study->study.step) || call == STUDY_NONE)
			continue;
		study->is_first[call] |= cursor_integer(cursor, "is_first") != 0;
		root = node_of(tree, study->roots[call]);
		if (root == CALLTREE_NONE && !study->study.step)
			continue;
		number = number_of(&study->study, tree, node, root);
		if (number == STUDY_NONE)
			continue;
		study_numbers_add(study_part(&study->study.calls[call], number), &numbers,
				  1);
		study->study.paths[number].waits = is_libc(tree, node);
	}
}

static const char *kind_word(enum study_kind kind)
{
	static const char *const words[] = {
		[STUDY_SPREAD] = "spread",	 [STUDY_BLOCKED] = "blocked",
		[STUDY_ONLY_NOW] = "only_now",	 [STUDY_MORE_CALLS] = "more_calls",
		[STUDY_ALLOCATES] = "allocates", [STUDY_OFF_CPU] = "off_cpu",
		[STUDY_COMPUTES] = "computes",
	};

	return words[kind];
}

static struct cell text_cell(const char *text)
{
	return (struct cell){.kind = CELL_TEXT, .text = text};
}

static struct cell path_id(const struct study *study, uint32_t path)
{
	return study->path_count ? cell_integer(study->paths[path].path_id)
				 : (struct cell){.kind = CELL_NULL};
}

static struct cell path_name(const struct calltree *tree, const struct study *study,
			     uint32_t path)
{
	uint32_t node;

	if (!study->path_count)
		return (struct cell){.kind = CELL_NULL};
	if (path == 0 && study->step)
		return text_cell(study->step);
	node = calltree_find(tree, study->paths[path].path_id);
	return text_cell(node == CALLTREE_NONE ? "?" : calltree_name(tree, node));
}

/* Fills the columns of the table slow. */
static void keep_call(struct rundb_insert *into, const struct calltree *tree,
		      const struct judging *from, size_t number)
{
	const struct study *study = &from->study;
	const struct study_call *call = &study->calls[number];
	const struct study_cause *cause = &call->cause;

	if (!call->is_slow)
		return;
	rundb_insert_row(into, (struct cell[]){
				       cell_integer(from->study_id),
				       cell_integer(call->id),
				       cell_real(call->duration_ns),
				       cell_integer(from->is_first[number]),
				       text_cell(kind_word(cause->kind)),
				       cell_integer(cause->path),
				       path_id(study, cause->path),
				       path_name(tree, study, cause->path),
				       cell_integer(cause->most_path),
				       path_id(study, cause->most_path),
				       path_name(tree, study, cause->most_path),
				       cell_real(cause->difference_ns),
				       cell_real(cause->explained_ns),
				       cell_real(cause->waited_ns),
				       cell_real(cause->now.calls),
				       cell_real(cause->usual.calls),
				       cell_real(cause->now.self_ns),
				       cell_real(cause->now.blocked_ns),
				       cell_real(cause->usual.blocked_ns),
				       cell_real(cause->now.alloc_count),
				       cell_real(cause->usual.alloc_count),
				       cell_real(cause->now.alloc_bytes),
				       cell_real(cause->usual.alloc_bytes),
			       });
}

/* Fills the columns of the table study_paths: the mean slow call, and the usual one. */
static void keep_path(struct rundb_insert *into, const struct calltree *tree,
		      const struct judging *from, uint32_t number)
{
	const struct study *study = &from->study;
	const struct study_path *path = &study->paths[number];
	struct study_numbers slow = {0};

	if (!study->slow_count || (!path->slow_count && !path->usual_count))
		return;
	study_numbers_add(&slow, &path->slow, 1.0 / (double)study->slow_count);
	rundb_insert_row(into, (struct cell[]){
				       cell_integer(from->study_id),
				       cell_integer(path->path_id),
				       path_name(tree, study, number),
				       cell_real(slow.self_ns),
				       cell_real(path->usual.self_ns),
				       cell_real(slow.calls),
				       cell_real(path->usual.calls),
				       cell_real(slow.blocked_ns),
				       cell_real(path->usual.blocked_ns),
				       cell_real(slow.alloc_bytes),
				       cell_real(path->usual.alloc_bytes),
				       cell_real(slow.alloc_count),
				       cell_real(path->usual.alloc_count),
				       cell_integer(path->slow_count),
				       cell_integer(path->usual_count),
			       });
}

static void keep(struct rundb *db, const struct calltree *tree,
		 const struct judging *from)
{
	const struct study *study = &from->study;
	struct rundb_insert *into = rundb_insert_begin(db, "judged");

	rundb_insert_row(into,
			 (struct cell[]){cell_integer(from->study_id),
					 cell_integer((int64_t)study->slow_count),
					 cell_integer((int64_t)study->usual_count),
					 cell_integer(whole_number(study->median_ns))});
	rundb_insert_end(into);
	into = rundb_insert_begin(db, "slow");
	for (size_t i = 0; i < study->call_count; i++)
		keep_call(into, tree, from, i);
	rundb_insert_end(into);
	into = rundb_insert_begin(db, "study_paths");
	for (uint32_t i = 0; i < study->path_count; i++)
		keep_path(into, tree, from, i);
	rundb_insert_end(into);
}

SECTION_CODE(studies)
{
	const struct calltree *tree = ask_tree(ask);

	(void)doc;
	for (size_t i = 0; i < rows->row_count; i++) {
		struct judging study = {
			.study_id = cell_whole(table_cell(rows, i, "study_id")),
			.median_ns = cell_whole(table_cell(rows, i, "median_ns"))};

		if (cell_whole(table_cell(rows, i, "is_step")))
			study.study.step = table_cell(rows, i, "name")->text;
		load_cases(ask->input, &study);
		add_parts(ask->input, tree, &study);
		study_judge(&study.study, positive(study.median_ns));
		keep(ask->input->db, tree, &study);
	}
}
