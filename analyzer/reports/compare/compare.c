/* SPDX-License-Identifier: MIT */
/* The report compare: did it become better or worse?. */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/reports/common.h"

#include <stdlib.h>
#include <string.h>

static enum exit_status parse_gate(struct compare_state *state)
{
	const struct report_options *options = state->input->options;
	struct strbuf error = {0};
	int result = 0;

	if (options->limits)
		result = gate_parse_limits(&state->gate, options->limits, &error);
	if (result == 0 && options->fail_on)
		result = gate_parse_fail_on(&state->gate, options->fail_on, &error);
	if (result < 0)
		report_fail(state->input, STATUS_USAGE, "%s", strbuf_text(&error));
	strbuf_free(&error);
	return result < 0 ? STATUS_USAGE : STATUS_OK;
}

static enum exit_status parse_by(struct compare_state *state)
{
	const struct report_options *options = state->input->options;

	if (options->by && strcmp(options->by, "component") != 0 &&
	    components_by(options->by) == COMPONENT_BY_MODULE)
		return report_fail(
			state->input, STATUS_USAGE,
			"--by: compare knows component, source and namespace, "
			"not '%s'; functions, paths and sites are always shown",
			options->by);
	return STATUS_OK;
}

static void add_nothing(struct compare_state *state)
{
	doc_note(
		state->doc, "nothing_measured", NOTE_WARNING,
		"Nothing was measured on at least one side: no instrumented function was "
		"called and no allocation was seen.",
		"'prof-analyze doctor' tells what is known about why.");
}

static enum exit_status fill(struct compare_state *state)
{
	enum exit_status status = compare_choose(state);

	if (status == STATUS_OK)
		status = compare_load(state);
	if (status)
		return status;
	compare_add_sides(state);
	compare_check(state);
	compare_add_totals(state);
	compare_add_balance(state);
	if (state->input->options->by)
		compare_add_components(state);
	compare_add_functions(state);
	compare_fold_left_out(&state->comparison);
	compare_add_paths(state);
	compare_add_sites(state);
	if (state->input->options->page)
		compare_add_profile(state);
	status = compare_add_gate(state);
	if (status == STATUS_NOTHING && !gate_is_set(&state->gate))
		add_nothing(state);
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
	free(state->functions);
	gate_free(&state->gate);
	calltree_free(state->tree);
	compare_free(&state->comparison);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct compare_state state = {.input = input, .doc = doc};
	enum exit_status status = parse_gate(&state);
	struct rundb *first = input->db;

	/* Given as to other reports: one file with both sides. */
	if (!input->database_count && first) {
		input->databases = &first;
		input->database_count = 1;
	}
	if (status == STATUS_OK)
		status = parse_by(&state);
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

const struct report report_compare = {
	.name = "compare",
	.argument = "DB...",
	.summary = "what changed from before to after, and a gate for it",
	.description =
		"Two files are before and after; several a side have -- between the "
		"sides. Of each file the latest run counts, with its group: all runs of "
		"its label or, without one, of its command and build (prof-record "
		"--repeat). The ranks of a job count as one run. In one file the last "
		"two groups or runs are compared. --before and --after choose runs by "
		"label or number.\n\n"
		"Functions are matched across rebuilds by name and file, and by name "
		"alone when one function of that name is left on each side. One that "
		"was renamed, or has other parameters, is one new and one gone; "
		"--rename OLD=NEW says that the two are one. "
		"What did not change is counted below the tables; --limit 0 shows it. "
		"One run against one run compares counts and "
		"bytes exactly and shows times without judging them. Several runs a side "
		"give an interval (95 %, Hodges-Lehmann), an exact rank test corrected "
		"for the number of functions (Benjamini-Hochberg), and a verdict.\n\n"
		"Where all runs have told computing from waits, functions, call paths "
		"and components are judged by their CPU time, and the column 'waits' "
		"says which of their waits changed: ready (for a CPU) or blocked.\n\n"
		"Runs of different levels can be compared: the run's times with the "
		"errors of both, single functions not at all. With a budget, functions "
		"that were timed in another way on the other side are not judged, and "
		"those that some run did not time call by call are left out of call "
		"paths.\n\n"
		"--by component, source or namespace adds a table of components (as in "
		"'components'), judged in the same way.\n\n"
		"The gate: --gate METRIC=AMOUNT[,...] is how much more after may take: "
		"wall, self, cpu, calls, alloc_count, alloc_bytes, peak, live, or "
		"func:NAME.METRIC with self, cpu, total, calls, alloc_count, "
		"alloc_bytes; "
		"AMOUNT is 5%, 50ms, 1MiB, 100. wall is the wall time less what the "
		"hooks took of it, "
		"cpu the CPU time of all threads likewise, of a function what it "
		"computed itself. With "
		"several runs a time exceeds its limit when the whole interval does, "
		"widened by the errors of both sides. --fail-on regression fails for "
		"every total or function "
		"with that verdict, --fail-on inconclusive also for what more runs would "
		"have to tell. Times of fewer than four runs a side are not judged: "
		"status "
		"4, and the command that records more; neither is what lies within the "
		"error of "
		"the hooks. Status 3: the gate failed; 4: it "
		"could not be judged.",
	.example = "prof-analyze compare before.db after.db --gate calls=0%,peak=1MiB",
	.takes = TAKES_SIDES | TAKES_GATE | TAKES_LIMIT | TAKES_INLINED | TAKES_FILTER |
		 TAKES_BY,
	.build = build,
};
