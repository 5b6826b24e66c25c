/* SPDX-License-Identifier: MIT */
/* The report compare: loads both sides and judges them. */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include "common/base/xalloc.h"

static void parse_gate(struct gate *gate, const struct report_options *options)
{
	if (options->limits)
		gate_parse_limits(gate, options->limits);
	if (options->fail_on)
		gate_parse_fail_on(gate, options->fail_on);
}

static bool may_judge_function(const struct compare_state *state, uint32_t number)
{
	return state->comparison.functions[number].presence == COMPARE_BOTH &&
	       compare_is_judged(state, number);
}

static bool may_judge_path(const struct compare_state *state, uint32_t number)
{
	const struct compare_path *path = &state->comparison.paths[number];

	return path->presence == COMPARE_BOTH && !path->is_left_out &&
	       compare_is_judged(state, path->function);
}

static bool may_judge_component(const struct compare_state *state, uint32_t number)
{
	(void)number;
	return !state->has_levels;
}

static void judge(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	struct compare_shown *shown = state->shown;

	if (state->input->options->by) {
		compare_sum_components(state);
		shown[COMPARE_COMPONENTS].judged = compare_judge(
			state, &state->component_values, may_judge_component);
	}
	shown[COMPARE_FUNCTIONS].judged =
		compare_judge(state, &comparison->function_values, may_judge_function);
	compare_fold_left_out(&state->comparison);
	shown[COMPARE_PATHS].judged =
		compare_judge(state, &comparison->path_values, may_judge_path);
}

bool compare_prepare(struct compare_state *state)
{
	compare_choose(state);
	if (!state->run_count)
		return false;
	compare_load(state);
	compare_judge_totals(state);
	return true;
}

enum exit_status compare_build(struct report_input *input, struct doc *doc)
{
	struct compare_state *state = xcalloc(1, sizeof(*state));
	struct rundb *first = input->db;
	enum exit_status status = STATUS_NOTHING;

	*state = (struct compare_state){.input = input, .doc = doc};
	engine_check_by(&report_compare, input);
	/* One file, given as for other reports: it has both sides. */
	if (!input->database_count && first) {
		input->databases = &first;
		input->database_count = 1;
	}
	parse_gate(&state->gate, input->options);
	if (compare_prepare(state)) {
		judge(state);
		compare_find_limited(state);
		input->tree = state->tree;
		input->compared = state;
		compare_show(state);
		status = engine_build(&report_compare, input, doc);
	}
	if (input->databases == &first) {
		input->databases = NULL;
		input->database_count = 0;
	}
	input->db = first;
	return status;
}

SECTION_CODE(compared_profile)
{
	(void)doc;
	(void)rows;
	if (ask->input->options->page)
		compare_add_profile(ask->input->compared);
}
