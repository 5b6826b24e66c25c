/* SPDX-License-Identifier: MIT */
/*
 * What grew, went and survived between two moments of a process. Must not compare
 * moments of two runs; that is another report.
 */
#include "analyzer/reports/delta/parts.h"

#include "common/base/nearest.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/profile/parts.h"
#include "analyzer/reports/snapshots/find.h"

#include <stdlib.h>
#include <string.h>

static enum exit_status parse_by(struct report_input *input, enum delta_by *ret)
{
	static const char *const words[] = {"path",	 "function", "line",
					    "component", "source",   "namespace"};
	size_t count = sizeof(words) / sizeof(words[0]);
	const char *wanted = input->options->by, *nearest;

	*ret = DELTA_BY_PATH;
	for (size_t i = 0; i < count; i++) {
		if (!wanted || strcmp(wanted, words[i]) != 0)
			continue;
		*ret = i < DELTA_BY_COMPONENT ? (enum delta_by)i : DELTA_BY_COMPONENT;
		return STATUS_OK;
	}
	if (!wanted)
		return STATUS_OK;
	nearest = nearest_word(wanted, words, count);
	return report_fail(
		input, STATUS_USAGE,
		"--by: there is no '%s'%s%s%s path, function, line, component, "
		"source, namespace",
		wanted, nearest ? "; did you mean '" : "", nearest ? nearest : "",
		nearest ? "'? All:" : "; there are");
}

/* Whether the moments can be compared at all, and in this order. */
static enum exit_status check_order(struct report_input *input, const struct delta *delta)
{
	const struct report_options *options = input->options;
	bool peaks = delta->a.kind == MOMENT_PEAK || delta->b.kind == MOMENT_PEAK;
	int64_t a = moment_id(&delta->a), b = moment_id(&delta->b);

	if (delta->c.kind == MOMENT_PEAK || (peaks && options->until))
		return report_fail(
			input, STATUS_USAGE,
			"--until does not go with 'peak': when the peak was is "
			"not known, so who survived it is not either");
	if (delta->a.kind == delta->b.kind && (peaks || a == b))
		return report_fail(input, STATUS_USAGE,
				   "'%s' and '%s' are the same moment; name two",
				   options->argument, options->other_argument);
	if (!peaks && a > b)
		return report_fail(input, STATUS_USAGE,
				   "'%s' comes before '%s'; name the earlier one first",
				   options->other_argument, options->argument);
	if (!peaks && moment_id(&delta->c) < b)
		return report_fail(input, STATUS_USAGE, "--until: '%s' comes before '%s'",
				   options->until, options->other_argument);
	return STATUS_OK;
}

static enum exit_status find_moments(struct report_input *input, struct delta *delta)
{
	const struct report_options *options = input->options;
	const char *words[] = {options->argument ? options->argument : "start",
			       options->other_argument ? options->other_argument : "exit",
			       options->until};
	struct moment moments[3] = {[2] = {.kind = MOMENT_EXIT}};
	enum exit_status status = snapshot_list_load(input, &delta->list);

	if (status == STATUS_OK)
		status = snapshot_find(input, &delta->list, words, 3, &delta->process,
				       moments);
	if (status)
		return status;
	delta->is_live = rundb_live_pid(input->db) != 0;
	delta->a = moments[0];
	delta->b = moments[1];
	delta->c = moments[2];
	delta->has_between = delta->a.kind != MOMENT_PEAK && delta->b.kind != MOMENT_PEAK;
	return check_order(input, delta);
}

/* The end of one of several processes: sites are kept for all of them together. */
static enum exit_status check_end(struct report_input *input, struct doc *doc,
				  const struct delta *delta)
{
	struct strbuf text = {0};
	enum exit_status status;
	bool known;

	if (delta->a.kind != MOMENT_EXIT && delta->b.kind != MOMENT_EXIT)
		return STATUS_OK;
	status = snapshot_knows_exit(input, &delta->list, delta->process, &known);
	if (status || known)
		return status;
	strbuf_printf(&text,
		      "What process %lld %s is not known by site: other "
		      "processes of the run allocated on the same call paths, and final "
		      "numbers are kept for all of them together.",
		      (long long)delta->process->pid,
		      delta->is_live ? "has now" : "had at its exit");
	doc_note(doc, "exit_not_known", NOTE_WARNING, strbuf_text(&text),
		 "Name its last snapshot instead.");
	strbuf_free(&text);
	return STATUS_NOTHING;
}

static enum exit_status load(struct report_input *input, struct delta *delta)
{
	enum exit_status status;

	delta->tree = report_tree_load(input);
	if (!delta->tree)
		return STATUS_FAILED;
	delta->passes = filter_paths(&input->filter, delta->tree, false);
	if (delta->by == DELTA_BY_COMPONENT)
		components_find(&delta->components, delta->tree,
				components_by(input->options->by));
	status = delta_load_sites(input, delta);
	if (status == STATUS_OK)
		status = delta_load_paths(input, delta);
	return status;
}

static void add_notes(struct doc *doc, const struct delta *delta)
{
	size_t odd = 0;
	struct strbuf text = {0};

	if (!delta->has_between)
		doc_note(doc, "peak_has_no_time", NOTE_PLAIN,
			 "Of the peak only what was live is known: not what was "
			 "allocated, "
			 "freed or called up to it.",
			 NULL);
	for (size_t i = 0; delta->has_between && i < delta->site_count; i++) {
		struct delta_result result = delta_of(&delta->sites[i].entry);

		odd += delta_is_odd(&result) != 0;
	}
	if (odd) {
		strbuf_puts(&text, "The books do not balance at ");
		units_counted(&text, (int64_t)odd, "site");
		strbuf_puts(&text, ": events were lost between the snapshots.");
		doc_note(doc, "books", NOTE_WARNING, strbuf_text(&text), NULL);
	}
	strbuf_free(&text);
}

static enum exit_status add_all(struct report_input *input, struct doc *doc,
				struct delta *delta)
{
	enum exit_status status = delta_add_changes(input, doc, delta);

	if (status == STATUS_OK && delta->has_between)
		status = delta_add_times(input, doc, delta);
	if (status == STATUS_OK)
		add_notes(doc, delta);
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct delta delta = {0};
	struct run_facts facts;
	enum exit_status status = parse_by(input, &delta.by);

	if (status == STATUS_OK)
		status = report_open(input, doc, &facts);
	if (status == STATUS_OK)
		status = find_moments(input, &delta);
	if (status == STATUS_OK)
		status = check_end(input, doc, &delta);
	if (status == STATUS_OK)
		status = load(input, &delta);
	if (status == STATUS_OK)
		status = add_all(input, doc, &delta);
	if (status == STATUS_OK && input->options->page)
		status = profile_add(input, doc, &facts);
	calltree_free(delta.tree);
	free(delta.passes);
	free(delta.sites);
	components_free(&delta.components);
	arena_free(&delta.texts);
	snapshot_list_free(&delta.list);
	return status;
}

const struct report report_delta = {
	.name = "delta",
	.argument = "A",
	.other_argument = "B",
	.summary = "what grew, went and survived between two snapshots",
	.description =
		"A and B are moments of one process: a snapshot's label (LABEL#2: the "
		"second of that label), its number, 'start', 'peak' or 'exit' ('now' "
		"while the run goes on). Sizes and "
		"blocks are what was live at B, with the change since A; the average is "
		"of a block. Allocated and freed is what happened in between; survived "
		"are "
		"blocks allocated between A and B and still live at the exit, or at C "
		"with "
		"--until C. --by sums up by call path and line, function, source line, "
		"or component (by module and region, source or namespace, as in "
		"'components'). With "
		"--limit the rest is one row, so that the rows add up to "
		"the total. --focus and --ignore look at every function of the call "
		"path.",
	.example = "prof-analyze delta run.db loaded done --by function",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_DELTA |
		 TAKES_INLINED | TAKES_PROCESS | TAKES_BY,
	.build = build,
};
