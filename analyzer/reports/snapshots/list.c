/* SPDX-License-Identifier: MIT */
/*
 * Loads the snapshots of a run by process, of all processes or of --process. Must not
 * pick one of several silently.
 */
#include "analyzer/reports/snapshots/list.h"

#include "common/base/xalloc.h"
#include "common/base/text.h"
#include "analyzer/reports/common.h"

#include "snapshot_list.sql.h"

#include <stdlib.h>

#define LISTED 8

static void load_processes(struct report_input *input, struct snapshot_list *list)
{
	auto_cursor struct cursor *cursor =
		report_query(input, snapshot_list_sql_processes);

	while (cursor_next(cursor)) {
		ARRAY_ADD(list->processes, list->process_count) =
			(struct snapshot_process){
				.process_id = cursor_integer(cursor, "process_id"),
				.pid = cursor_integer(cursor, "pid"),
				.has_peak = cursor_integer(cursor, "is_peak") != 0,
			};
		list->run_process_count = (size_t)cursor_integer(cursor, "process_count");
	}
}

static struct snapshot_process *process_of(const struct snapshot_list *list,
					   int64_t process_id)
{
	for (size_t i = 0; i < list->process_count; i++)
		if (list->processes[i].process_id == process_id)
			return &list->processes[i];
	return NULL;
}

static void load_snapshots(struct report_input *input, struct snapshot_list *list)
{
	struct snapshot_process *process = NULL;
	ended_by(strbuf_free) struct strbuf label = {0};
	auto_cursor struct cursor *cursor = report_query(input, snapshot_list_sql_all);

	while (cursor_next(cursor)) {
		int64_t process_id = cursor_integer(cursor, "process_id");
		const char *text = cursor_text(cursor, "label");
		struct snapshot *snapshot;

		if (!process || process->process_id != process_id)
			process = process_of(list, process_id);
		if (!process)
			continue;
		if (!process->count)
			process->first = list->count;
		process->count++;
		snapshot = &ARRAY_ADD(list->snapshots, list->count);
		strbuf_reset(&label);
		utf8_clean(&label, text ? text : "");
		*snapshot = (struct snapshot){
			.snapshot_id = cursor_integer(cursor, "snapshot_id"),
			.number = cursor_integer(cursor, "number"),
			.label =
				arena_copy(&list->texts, strbuf_text(&label), label.size),
			.time_ns = cursor_integer(cursor, "time_ns"),
			.live_bytes = cursor_integer(cursor, "live_bytes"),
		};
	}
}

static bool shares_pid(const struct snapshot_list *list, size_t index)
{
	for (size_t i = 0; i < list->process_count; i++)
		if (i != index && list->processes[i].pid == list->processes[index].pid)
			return true;
	return false;
}

void snapshot_put_pids(struct strbuf *text, const struct snapshot_list *list,
		       const bool *chosen)
{
	size_t count = 0;

	strbuf_puts(text, "PID");
	for (size_t i = 0; i < list->process_count; i++) {
		if (chosen && !chosen[i])
			continue;
		if (count++ >= LISTED)
			continue;
		strbuf_printf(text, "%s %lld", count > 1 ? "," : "",
			      (long long)list->processes[i].pid);
		if (shares_pid(list, i))
			strbuf_printf(text, " (#%lld)",
				      (long long)list->processes[i].process_id);
	}
	if (count > LISTED)
		strbuf_printf(text, " and %zu more", count - LISTED);
}

/* Keeps the process that --process names: a PID, or #ID when several had it (exec keeps
 * the PID and makes a new process). */
static void choose_process(struct report_input *input, struct snapshot_list *list)
{
	const char *wanted = input->options->process;
	bool by_id = wanted[0] == '#';
	struct snapshot_process chosen = {0};
	struct strbuf text = {0};
	size_t count = 0;
	char *end;
	int64_t number = strtoll(wanted + by_id, &end, 10);

	if (*end || end == wanted + by_id)
		command_fail(STATUS_USAGE,
			     "--process: '%s' is neither a PID nor #ID with a "
			     "process_id",
			     wanted);
	for (size_t i = 0; i < list->process_count; i++) {
		const struct snapshot_process *process = &list->processes[i];

		if (number != (by_id ? process->process_id : process->pid))
			continue;
		chosen = *process;
		count++;
	}
	if (count != 1) {
		snapshot_put_pids(&text, list, NULL);
		command_fail(
			STATUS_FAILED,
			count ? "'%s' was the PID of several processes of the run (%s); "
				"choose one with --process '#ID'"
			      : "no process '%s' in the run; there are %s",
			wanted, strbuf_text(&text));
	}
	list->processes[0] = chosen;
	list->process_count = 1;
}

void snapshot_list_load(struct report_input *input, struct snapshot_list *ret)
{
	*ret = (struct snapshot_list){0};
	load_processes(input, ret);
	if (input->options->process)
		choose_process(input, ret);
	load_snapshots(input, ret);
}
