/* SPDX-License-Identifier: MIT */
/* Finds the moments of the report delta. Must not compare moments of two runs. */
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/snapshots/between.h"

/* Whether the moments can be compared at all, and in this order. */
static enum exit_status check_order(struct report_input *input,
				    const struct between *between)
{
	const struct report_options *options = input->options;
	bool peaks = !between_has_times(between);
	int64_t a = moment_id(&between->a), b = moment_id(&between->b);

	if (between->c.kind == MOMENT_PEAK || (peaks && options->until))
		command_fail(STATUS_USAGE,
			     "--until does not go with 'peak': the time of the "
			     "peak is unknown, and so are its survivors");
	if (between->a.kind == between->b.kind && (peaks || a == b))
		command_fail(STATUS_USAGE, "'%s' and '%s' are the same moment; name two",
			     options->argument, options->other_argument);
	if (!peaks && a > b)
		command_fail(STATUS_USAGE,
			     "'%s' comes before '%s'; name the earlier one first",
			     options->other_argument, options->argument);
	if (!peaks && moment_id(&between->c) < b)
		command_fail(STATUS_USAGE, "--until: '%s' comes before '%s'",
			     options->until, options->other_argument);
	return STATUS_OK;
}

static enum exit_status find(struct report_input *input, struct snapshot_list *list,
			     struct between *ret)
{
	const struct report_options *options = input->options;
	const char *words[] = {options->argument ? options->argument : "start",
			       options->other_argument ? options->other_argument : "exit",
			       options->until};
	struct moment moments[3] = {[2] = {.kind = MOMENT_EXIT}};
	enum exit_status status = snapshot_list_load(input, list);

	if (status == STATUS_OK)
		status = snapshot_find(input, list, words, 3, &ret->process, moments);
	*ret = (struct between){list, ret->process, moments[0], moments[1], moments[2]};
	return status ? status : check_order(input, ret);
}

/* The end of one process among several: sites are kept for all of them together. */
static enum exit_status check_end(struct ask *ask, const struct between *between)
{
	struct report_input *input = ask->input;
	bool known = true;
	enum exit_status status = STATUS_OK;
	ended_by(strbuf_free) struct strbuf text = {0};

	if (between->a.kind == MOMENT_EXIT || between->b.kind == MOMENT_EXIT)
		status = snapshot_knows_exit(input, between->list, between->process,
					     &known);
	if (status || known)
		return status;
	strbuf_printf(&text,
		      "What process %lld %s is not known by site: other "
		      "processes of the run allocated on the same call paths, and final "
		      "numbers are kept for all of them together.",
		      (long long)between->process->pid,
		      rundb_live(input->db)->pid ? "has now" : "had at its exit");
	doc_note(ask->doc, "exit_not_known", NOTE_WARNING, strbuf_text(&text),
		 "Name its last snapshot instead.");
	return STATUS_NOTHING;
}

SECTION_CODE(moments)
{
	struct report_input *input = ask->input;
	ended_by(snapshot_list_free) struct snapshot_list list = {0};
	struct between between = {0};
	enum exit_status status = find(input, &list, &between);

	(void)doc;
	(void)rows;
	if (status == STATUS_OK)
		status = check_end(ask, &between);
	if (status == STATUS_OK) {
		ask->paths.tree = report_tree_load(input);
		if (!ask->paths.tree ||
		    between_load(input, &between, ask->paths.tree) < 0)
			status = STATUS_FAILED;
	}
	if (status == STATUS_OK && filter_is_active(&input->filter))
		ask->paths.chosen = filter_paths(&input->filter, ask->paths.tree, false);
	return status;
}

/* Only if times are shown. */
SECTION_CODE(left_out)
{
	if (rows->row_count)
		between_note_left_out(doc, ask_tree(ask));
	return STATUS_OK;
}
