/* SPDX-License-Identifier: MIT */
/* Studies of a run: cases, parts, and what was waited for. */
#include "analyzer/reports/why/parts.h"

#include "analyzer/model/study/judge.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

#include "why.sql.h"

#include <stdlib.h>
#include <string.h>

static int load_studies(struct report_input *input, struct doc *doc, struct why *why)
{
	struct cursor *cursor = report_query(input, why_sql_studies);

	while (cursor_next(cursor) > 0) {
		struct why_study *study;

		if (!cursor_text(cursor, "name") || !cursor_text(cursor, "kind"))
			continue;
		why->all = array_room(why->all, why->count, sizeof(*why->all));
		study = &why->all[why->count++];
		*study = (struct why_study){
			.study_id = cursor_integer(cursor, "study_id"),
			.function_id = cursor_integer(cursor, "function_id"),
			.calls = cursor_integer(cursor, "calls"),
			.missed_calls = cursor_integer(cursor, "missed_calls"),
			.ready_calls = cursor_integer(cursor, "ready_calls"),
			.ready_ns = cursor_integer(cursor, "ready_ns"),
			.folded_paths = cursor_integer(cursor, "folded_paths"),
			.cost_ns = cursor_integer(cursor, "cost_ns"),
			.median_ns = cursor_integer(cursor, "median_ns"),
			.slowest_ns = cursor_integer(cursor, "slowest_ns"),
			.name = report_text(doc, cursor, "name"),
			.kind = report_text(doc, cursor, "kind"),
			.reason = report_text(doc, cursor, "reason")};
		if (strcmp(study->kind, "step") == 0)
			study->study.step = study->name;
	}
	return report_finish(input, cursor);
}

static struct cursor *query(struct report_input *input, const struct why_study *study,
			    const char *sql)
{
	struct cursor *cursor = report_query(input, sql);

	cursor_bind_integer(cursor, ":study", study->study_id);
	return cursor;
}

static double positive(int64_t value)
{
	return value > 0 ? (double)value : 0;
}

/* roots: the path of each case. */
static int load_cases(struct report_input *input, struct why_study *study,
		      int64_t **ret_roots)
{
	struct cursor *cursor = query(input, study, why_sql_cases);

	while (cursor_next(cursor) > 0) {
		size_t number = study->study.call_count;
		int64_t id = cursor_integer(cursor, "case_id");
		struct study_call *call = study_add_call(&study->study, id);
		struct why_case *own;

		study->cases = array_room(study->cases, number, sizeof(*study->cases));
		*ret_roots = array_room(*ret_roots, number, sizeof(**ret_roots));
		(*ret_roots)[number] = cursor_integer(cursor, "path_id");
		own = &study->cases[number];
		*own = (struct why_case){
			.case_id = id,
			.number = cursor_integer(cursor, "number"),
			.started_ns = cursor_integer(cursor, "started_ns"),
			.duration_ns = cursor_integer(cursor, "duration_ns"),
			.ready_ns = cursor_integer(cursor, "ready_ns"),
			.tid = cursor_integer(cursor, "tid"),
			.lane_id = cursor_integer(cursor, "lane_id"),
			.beside_calls = cursor_integer(cursor, "beside_calls"),
			.beside_ns = cursor_integer(cursor, "beside_ns"),
			.folded_parts = cursor_integer(cursor, "folded_parts")};
		call->duration_ns = positive(own->duration_ns) - positive(own->ready_ns);
		call->beside_calls = positive(own->beside_calls);
		call->is_one_of_slowest = cursor_integer(cursor, "is_slow") != 0;
	}
	return report_finish(input, cursor);
}

/* The parts of one case, in the order of their depth. */
struct part {
	struct study_numbers numbers;
	uint32_t node, call;
};

struct parts {
	struct part *all;
	size_t count;
};

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

static int load_parts(struct report_input *input, const struct why *why,
		      const struct why_study *study, struct parts *ret)
{
	struct cursor *cursor = query(input, study, why_sql_parts);

	while (cursor_next(cursor) > 0) {
		uint32_t node = node_of(why->tree, cursor_integer(cursor, "path_id"));
		uint32_t call = call_of(&study->study, cursor_integer(cursor, "case_id"));

		if ((node == CALLTREE_NONE && !study->study.step) || call == STUDY_NONE)
			continue;
		ret->all = array_room(ret->all, ret->count, sizeof(*ret->all));
		ret->all[ret->count++] = (struct part){read_numbers(cursor), node, call};
		if (cursor_integer(cursor, "is_first"))
			study->cases[call].is_first = true;
	}
	return report_finish(input, cursor);
}

/* Of the path that the case is of. root: CALLTREE_NONE, when no call held the step. */
static uint32_t top_of(struct study *study, const struct calltree *tree, uint32_t root)
{
	int64_t path_id = root == CALLTREE_NONE ? 0 : tree->nodes[root].path_id;

	return study_path(study, STUDY_NONE,
			  study->step ? STUDY_STEP : tree->nodes[root].function, path_id);
}

/* The number in the study of a node at or below the case's own; STUDY_NONE: it is not
 * below it. */
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
			depth--; /* very deep below it: what is deeper is the same */
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

static void add_parts(const struct why *why, struct why_study *study,
		      const struct parts *parts, const int64_t *roots)
{
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->all[i];
		uint32_t root = node_of(why->tree, roots[part->call]), number;

		if (root == CALLTREE_NONE && !study->study.step)
			continue;
		number = number_of(&study->study, why->tree, part->node, root);
		if (number == STUDY_NONE)
			continue;
		study_numbers_add(study_part(&study->study.calls[part->call], number),
				  &part->numbers, 1);
		study->study.paths[number].waits = is_libc(why->tree, part->node);
	}
}

static int load_waits(struct report_input *input, struct doc *doc,
		      struct why_study *study)
{
	int result = 0;

	for (size_t i = 0; i < study->study.call_count && !result; i++) {
		struct why_case *own = &study->cases[i];
		struct cursor *cursor;

		if (!study->study.calls[i].is_slow ||
		    study->study.calls[i].cause.kind != STUDY_BLOCKED)
			continue;
		cursor = report_query(input, why_sql_wait);
		cursor_bind_integer(cursor, ":lane", own->lane_id);
		cursor_bind_integer(cursor, ":begin", own->started_ns);
		cursor_bind_integer(cursor, ":end", own->started_ns + own->duration_ns);
		if (cursor_next(cursor) > 0) {
			own->wait_kind = report_text(doc, cursor, "kind");
			own->lock = report_text(doc, cursor, "lock");
			own->holder = report_text(doc, cursor, "holder");
		}
		result = report_finish(input, cursor);
	}
	return result;
}

static int load_study(struct report_input *input, struct doc *doc, const struct why *why,
		      struct why_study *study)
{
	struct parts parts = {.count = 0};
	int64_t *roots = NULL;
	int result = load_cases(input, study, &roots);

	if (result == 0)
		result = load_parts(input, why, study, &parts);
	if (result == 0) {
		add_parts(why, study, &parts, roots);
		study_judge(&study->study, positive(study->median_ns));
		if (!study->median_ns)
			study->median_ns = (int64_t)study->study.median_ns;
		result = load_waits(input, doc, study);
	}
	free(parts.all);
	free(roots);
	return result;
}

enum exit_status why_load(struct report_input *input, struct doc *doc, struct why *ret)
{
	int result;

	*ret = (struct why){.tree = report_tree_load(input)};
	if (!ret->tree)
		return STATUS_FAILED;
	result = load_studies(input, doc, ret);
	for (size_t i = 0; i < ret->count && result == 0; i++)
		result = load_study(input, doc, ret, &ret->all[i]);
	return result == 0 ? STATUS_OK : STATUS_FAILED;
}

void why_done(struct why *why)
{
	for (size_t i = 0; i < why->count; i++) {
		study_done(&why->all[i].study);
		free(why->all[i].cases);
	}
	free(why->all);
	calltree_free(why->tree);
	*why = (struct why){.count = 0};
}
