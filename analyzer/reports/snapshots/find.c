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

/* Whether other runs of the file have this label: the error then speaks of runs. */
static bool is_of_other_run(struct report_input *input, const char *word)
{
	struct cursor *cursor = report_query(input, snapshot_list_sql_elsewhere);
	bool found = false;

	cursor_bind_text(cursor, ":label", word);
	if (cursor_next(cursor) > 0) {
		const char *label = cursor_text(cursor, "label");

		found = true;
		command_fail(
			STATUS_USAGE,
			"snapshot '%s' is of run %lld%s%s%s, not of run %lld: a delta "
			"is within one run (see --run); use compare for two runs",
			word, (long long)cursor_integer(cursor, "run_id"),
			label ? " '" : "", label ? label : "", label ? "'" : "",
			(long long)input->run_id);
	}
	cursor_close(cursor);
	return found;
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
	free(labels);
}

static enum exit_status unknown_word(struct report_input *input,
				     const struct snapshot_list *list, const char *word)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	bool is_peak = strcmp(word, "peak") == 0;

	if (is_peak)
		command_fail(STATUS_USAGE,
			     "the run's peak is that of another process, or it is not "
			     "known whose it is");
	if (is_of_other_run(input, word))
		return STATUS_USAGE;
	put_labels(input, &text, list, word);
	command_fail(STATUS_FAILED, "no snapshot '%s' in the %s%s", word,
		     input->options->process ? "process" : "run", strbuf_text(&text));
	return STATUS_FAILED;
}

static _Noreturn void ambiguous_word(const char *word,
				     const struct snapshot_process *process,
				     const struct moment *moment)
{
	command_fail(STATUS_FAILED,
		     "'%s' is the label of %zu snapshots of process %lld; '%s#1' is "
		     "the first of them, number %lld",
		     word, moment->count, (long long)process->pid, word,
		     (long long)moment->snapshot->number);
}

/* Fails because no process has all of them. */
static enum exit_status not_together(struct report_input *input,
				     const struct snapshot_list *list,
				     const char *const *words, size_t count)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	for (size_t i = 0; i < count; i++) {
		bool *has = xcalloc(list->process_count + 1, sizeof(*has));
		bool anywhere = false;

		for (size_t j = 0; words[i] && j < list->process_count; j++) {
			has[j] = find_in(list, &list->processes[j], words[i]).kind !=
				 MOMENT_NONE;
			anywhere |= has[j];
		}
		if (words[i] && anywhere) {
			strbuf_printf(&text, "%s'%s' is of ", text.size ? ", " : "",
				      words[i]);
			snapshot_put_pids(&text, list, has);
		}
		free(has);
		if (words[i] && !anywhere)
			return unknown_word(input, list, words[i]);
	}
	command_fail(STATUS_USAGE,
		     "the snapshots are of different processes (%s): a delta is of one "
		     "process",
		     strbuf_text(&text));
	return STATUS_USAGE;
}

static _Noreturn void too_many(const struct snapshot_list *list, const bool *fits)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	snapshot_put_pids(&text, list, fits);
	command_fail(
		STATUS_USAGE,
		"several processes have these moments (%s); choose one with --process",
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

enum exit_status snapshot_knows_exit(struct report_input *input,
				     const struct snapshot_list *list,
				     const struct snapshot_process *process,
				     bool *ret_known)
{
	struct cursor *cursor;

	*ret_known = true;
	if (list->run_process_count <= 1)
		return STATUS_OK;
	cursor = report_query(input, snapshot_list_sql_knows_exit);
	cursor_bind_integer(cursor, ":process", process->process_id);
	if (cursor_next(cursor) > 0)
		*ret_known = cursor_integer(cursor, "is_known") != 0;
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

enum exit_status snapshot_find(struct report_input *input,
			       const struct snapshot_list *list, const char *const *words,
			       size_t count, const struct snapshot_process **ret_process,
			       struct moment *ret_moments)
{
	bool *fits = xcalloc(list->process_count + 1, sizeof(*fits));
	enum exit_status status = STATUS_OK;
	size_t fit_count, chosen;

	for (size_t i = 0; i < list->process_count; i++)
		fits[i] = has_all(list, &list->processes[i], words, count);
	fit_count = prefer_snapshots(list, fits, &chosen);
	if (fit_count == 0)
		status = not_together(input, list, words, count);
	else if (fit_count > 1)
		too_many(list, fits);
	free(fits);
	if (status)
		return status;
	*ret_process = &list->processes[chosen];
	for (size_t i = 0; i < count; i++) {
		if (!words[i])
			continue;
		ret_moments[i] = find_in(list, *ret_process, words[i]);
		if (ret_moments[i].kind == MOMENT_MANY)
			ambiguous_word(words[i], *ret_process, &ret_moments[i]);
	}
	return STATUS_OK;
}
