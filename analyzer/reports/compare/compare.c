/* SPDX-License-Identifier: MIT */
/* The report compare: loads both sides and judges them. */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <stdlib.h>
#include <string.h>

static enum exit_status parse_gate(struct compare_state *state)
{
	const struct report_options *options = state->input->options;
	ended_by(strbuf_free) struct strbuf error = {0};
	int result = 0;

	if (options->limits)
		result = gate_parse_limits(&state->gate, options->limits, &error);
	if (result == 0 && options->fail_on)
		result = gate_parse_fail_on(&state->gate, options->fail_on, &error);
	if (result < 0)
		command_fail(STATUS_USAGE, "%s", strbuf_text(&error));
	return result < 0 ? STATUS_USAGE : STATUS_OK;
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

enum exit_status compare_prepare(struct compare_state *state)
{
	enum exit_status status = compare_choose(state);

	if (status == STATUS_OK)
		status = compare_load(state);
	if (status == STATUS_OK)
		compare_judge_totals(state);
	return status;
}

void compare_free_state(struct compare_state *state)
{
	for (size_t i = 0; i < state->run_count; i++)
		free(state->runs[i].functions);
	free(state->runs);
	strbuf_free(&state->choice);
	free(state->totals);
	free(state->errors);
	free(state->hooks);
	for (size_t i = 0; i < COMPARE_SUBJECTS; i++)
		free(state->shown[i].judged);
	free(state->component_values.values);
	components_free(&state->components);
	strbuf_free(&state->text);
	gate_free(&state->gate);
	calltree_free(state->tree);
	compare_free(&state->comparison);
}

static enum exit_status fill(struct compare_state *state)
{
	struct report_input *input = state->input;
	enum exit_status status = compare_prepare(state);

	if (status)
		return status;
	judge(state);
	status = compare_find_limited(state);
	if (status)
		return status;
	input->tree = state->tree;
	input->compared = state;
	if (compare_show(state) < 0)
		report_fail_db(input);
	status = engine_build(&report_compare, input, state->doc);
	compare_hide(state);
	input->compared = NULL;
	input->tree = NULL;
	return status;
}

enum exit_status compare_build(struct report_input *input, struct doc *doc)
{
	struct compare_state state = {.input = input, .doc = doc};
	enum exit_status status = engine_check_by(&report_compare, input);
	struct rundb *first = input->db;

	/* One file, given as for other reports: it has both sides. */
	if (!input->database_count && first) {
		input->databases = &first;
		input->database_count = 1;
	}
	if (status == STATUS_OK)
		status = parse_gate(&state);
	if (status == STATUS_OK)
		status = fill(&state);
	compare_free_state(&state);
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
	return STATUS_OK;
}
