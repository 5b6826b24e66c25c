/* SPDX-License-Identifier: MIT */
/* Finds the moments of the report delta. Must not compare moments of two runs. */
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/snapshots/between.h"

/* Whether the moments can be compared at all, and in this order. */
static void check_order(const struct report_options *options,
			const struct between *between)
{
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
}

static struct between find(struct report_input *input, struct snapshot_list *list)
{
	const struct report_options *options = input->options;
	const char *words[] = {options->argument ? options->argument : "start",
			       options->other_argument ? options->other_argument : "exit",
			       options->until};
	struct moment moments[3] = {[2] = {.kind = MOMENT_EXIT}};
	struct between found = {.list = list};

	snapshot_list_load(input, list);
	found.process = snapshot_find(input, list, words, 3, moments);
	found.a = moments[0];
	found.b = moments[1];
	found.c = moments[2];
	check_order(options, &found);
	return found;
}

/* The end of one process among several: sites are kept for all of them together. */
static bool knows_end(struct ask *ask, const struct between *between)
{
	struct report_input *input = ask->input;

	if ((between->a.kind != MOMENT_EXIT && between->b.kind != MOMENT_EXIT) ||
	    snapshot_knows_exit(input, between->list, between->process))
		return true;
	doc_note(ask->doc, "exit_not_known", NOTE_WARNING,
		 xasprintf("What process %lld %s is not known by site: other processes "
			   "of the run allocated on the same call paths, and final "
			   "numbers are kept for all of them together.",
			   (long long)between->process->pid,
			   rundb_live(input->db)->pid ? "has now" : "had at its exit"),
		 "Name its last snapshot instead.");
	return false;
}

SECTION_CODE(moments)
{
	struct report_input *input = ask->input;
	struct snapshot_list list;
	struct between between = find(input, &list);

	(void)doc;
	(void)rows;
	if (!knows_end(ask, &between)) {
		ask->status = STATUS_NOTHING;
		return;
	}
	ask->paths.tree = report_tree_load(input);
	between_load(input, &between, ask->paths.tree);
	if (filter_is_active(&input->filter))
		ask->paths.chosen = filter_paths(&input->filter, ask->paths.tree, false);
}

/* Only if times are shown. */
SECTION_CODE(left_out)
{
	if (rows->row_count)
		between_note_left_out(doc, ask_tree(ask));
}
