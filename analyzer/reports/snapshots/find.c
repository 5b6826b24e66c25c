/* SPDX-License-Identifier: MIT */
/*
 * Finds the moments that the user named. Must not pick one of several processes or
 * snapshots silently.
 */
#include "analyzer/reports/snapshots/find.h"

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "snapshot_list.sql.h"

#include <stdlib.h>
#include <string.h>

#define LISTED 8

static struct moment find_in(const struct snapshot_list *list,
			     const struct snapshot_process *process, const char *word)
{
	struct moment moment = moment_find(
		word, process->count ? &list->snapshots[process->first] : NULL,
		process->count);

	/* Only one process has the run's peak. */
	if (moment.kind == MOMENT_PEAK && !process->has_peak &&
	    list->run_process_count > 1)
		moment.kind = MOMENT_NONE;
	return moment;
}

/* If other runs of the file have this label, the error speaks of runs. */
static void check_other_runs(struct report_input *input, const char *word)
{
	auto_cursor struct cursor *cursor =
		report_query(input, snapshot_list_sql_elsewhere);
	const char *label;

	cursor_bind_text(cursor, ":label", word);
	if (!cursor_next(cursor))
		return;
	label = cursor_text(cursor, "label");
	command_fail(STATUS_USAGE,
		     "snapshot '%s' is of run %lld%s%s%s, not of run %lld: a delta "
		     "is within one run (see --run); use compare for two runs",
		     word, (long long)cursor_integer(cursor, "run_id"), label ? " '" : "",
		     label ? label : "", label ? "'" : "", (long long)input->run_id);
}

/* Appends the existing labels, each once, nearest to word first. */
static void put_labels(struct report_input *input, struct strbuf *text,
		       const struct snapshot_list *list, const char *word)
{
	const char **labels = xcalloc(list->count + 3, sizeof(*labels));
	const char *nearest;
	size_t count = 0, left_out = 0;

	for (size_t i = 0; i < list->count; i++) {
		bool known = false;

		for (size_t j = 0; j < count && !known; j++)
			known = strcmp(labels[j], list->snapshots[i].label) == 0;
		if (!known && count < 1000)
			labels[count++] = list->snapshots[i].label;
	}
	labels[count++] = "start";
	labels[count++] = rundb_live(input->db)->pid ? "now" : "exit";
	labels[count++] = "peak";
	nearest = nearest_word(word, labels, count);
	if (nearest)
		strbuf_printf(text, "; did you mean '%s'? All: ", nearest);
	else
		strbuf_puts(text, "; there are ");
	for (size_t i = 0; i < count; i++) {
		if (i >= LISTED && i + 3 < count) {
			left_out++;
			continue;
		}
		if (left_out)
			strbuf_printf(text, ", %zu more", left_out);
		left_out = 0;
		strbuf_printf(text, "%s%s", i ? ", " : "", labels[i]);
	}
}

static _Noreturn void unknown_word(struct report_input *input,
				   const struct snapshot_list *list, const char *word)
{
	struct strbuf text = {0};

	if (strcmp(word, "peak") == 0)
		command_fail(STATUS_USAGE,
			     "the run's peak is that of another process, or it is not "
			     "known whose it is");
	check_other_runs(input, word);
	put_labels(input, &text, list, word);
	command_fail(STATUS_FAILED, "no snapshot '%s' in the %s%s", word,
		     input->options->process ? "process" : "run", strbuf_text(&text));
}

/* Fails because no process has all of them. */
static _Noreturn void not_together(struct report_input *input,
				   const struct snapshot_list *list,
				   const char *const *words, size_t count)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < count; i++) {
		bool *has = xcalloc(list->process_count + 1, sizeof(*has));
		bool anywhere = false;

		for (size_t j = 0; words[i] && j < list->process_count; j++) {
			has[j] = find_in(list, &list->processes[j], words[i]).kind !=
				 MOMENT_NONE;
			anywhere |= has[j];
		}
		if (!words[i])
			continue;
		if (!anywhere)
			unknown_word(input, list, words[i]);
		strbuf_printf(&text, "%s'%s' is of ", text.size ? ", " : "", words[i]);
		snapshot_put_pids(&text, list, has);
	}
	command_fail(STATUS_USAGE,
		     "the snapshots are of different processes (%s): a delta is of one "
		     "process",
		     strbuf_text(&text));
}

static bool has_all(const struct snapshot_list *list,
		    const struct snapshot_process *process, const char *const *words,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] && find_in(list, process, words[i]).kind == MOMENT_NONE)
			return false;
	return true;
}

/* If some matching processes have snapshots, drops the others. Returns how many match. */
static size_t prefer_snapshots(const struct snapshot_list *list, bool *fits,
			       size_t *ret_chosen)
{
	size_t all = 0, with = 0, chosen = 0;

	for (size_t i = 0; i < list->process_count; i++) {
		all += fits[i];
		if (fits[i] && list->processes[i].count) {
			with++;
			chosen = i;
		}
	}
	for (size_t i = 0; with != 1 && i < list->process_count; i++)
		if (fits[i])
			chosen = i;
	*ret_chosen = chosen;
	return with == 1 ? 1 : all;
}

bool snapshot_knows_exit(struct report_input *input, const struct snapshot_list *list,
			 const struct snapshot_process *process)
{
	auto_cursor struct cursor *cursor =
		report_query(input, snapshot_list_sql_knows_exit);

	cursor_bind_integer(cursor, ":process", process->process_id);
	return list->run_process_count <= 1 || !cursor_next(cursor) ||
	       cursor_integer(cursor, "is_known");
}

const struct snapshot_process *snapshot_find(struct report_input *input,
					     const struct snapshot_list *list,
					     const char *const *words, size_t count,
					     struct moment *ret_moments)
{
	bool *fits = xcalloc(list->process_count + 1, sizeof(*fits));
	const struct snapshot_process *process;
	size_t fit_count, chosen;
	struct strbuf text = {0};

	for (size_t i = 0; i < list->process_count; i++)
		fits[i] = has_all(list, &list->processes[i], words, count);
	fit_count = prefer_snapshots(list, fits, &chosen);
	if (fit_count == 0)
		not_together(input, list, words, count);
	if (fit_count > 1) {
		snapshot_put_pids(&text, list, fits);
		command_fail(STATUS_USAGE,
			     "several processes have these moments (%s); choose one with "
			     "--process",
			     strbuf_text(&text));
	}
	process = &list->processes[chosen];
	for (size_t i = 0; i < count; i++) {
		if (!words[i])
			continue;
		ret_moments[i] = find_in(list, process, words[i]);
		if (ret_moments[i].kind == MOMENT_MANY)
			command_fail(STATUS_FAILED,
				     "'%s' is the label of %zu snapshots of process "
				     "%lld; '%s#1' is the first of them, number %lld",
				     words[i], ret_moments[i].count,
				     (long long)process->pid, words[i],
				     (long long)ret_moments[i].snapshot->number);
	}
	return process;
}
