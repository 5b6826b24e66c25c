/* SPDX-License-Identifier: MIT */
/* The lanes of a run: each thread's calls, steps and waits for others, and snapshots. */
#include "analyzer/reports/timeline/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"

#include "lanes.sql.h"

#include <stdlib.h>
#include <string.h>

#define LANES_USUAL 12

/* "worker (4711)", and of which process where there are several. */
static const char *label_of(struct doc *doc, const struct timeline_facts *facts,
			    const char *thread, int64_t tid, int64_t pid,
			    const char *what)
{
	struct strbuf text = {0};
	const char *label;

	if (*what)
		strbuf_puts(&text, what);
	if (*what && (tid || thread))
		strbuf_puts(&text, " of ");
	if (tid || thread)
		strbuf_printf(&text, "%s (%lld)", thread ? thread : "thread",
			      (long long)tid);
	else if (!*what)
		strbuf_puts(&text, "a thread without a row");
	if (facts->process_count > 1 && tid != pid)
		strbuf_printf(&text, ", process %lld", (long long)pid);
	label = doc_copy(doc, strbuf_text(&text));
	strbuf_free(&text);
	return label;
}

static int64_t end_of(int64_t begin_ns, int64_t duration_ns)
{
	int64_t end;

	return __builtin_add_overflow(begin_ns, duration_ns, &end) ? INT64_MAX : end;
}

/* What most of a call was; where it cannot be told, not known. */
static enum lane_state state_of(const struct table *calls, size_t row)
{
	const struct cell *cpu = table_cell(calls, row, "cpu_ns");
	int64_t ready = cell_whole(table_cell(calls, row, "ready_ns"));
	int64_t blocked = cell_whole(table_cell(calls, row, "blocked_ns"));

	if (cpu->kind == CELL_NULL)
		return LANE_UNKNOWN;
	if (cell_whole(cpu) >= ready && cell_whole(cpu) >= blocked)
		return LANE_COMPUTING;
	return ready > blocked ? LANE_READY : LANE_BLOCKED;
}

static void add_call(struct doc *doc, struct lanes *lanes,
		     const struct timeline_facts *facts, const struct table *calls,
		     size_t row)
{
	const char *kind = table_cell(calls, row, "kind")->text;
	const char *name = table_cell(calls, row, "name")->text;
	const struct cell *thread = table_cell(calls, row, "thread");
	int64_t tid = cell_whole(table_cell(calls, row, "tid"));
	int64_t pid = cell_whole(table_cell(calls, row, "pid"));
	int64_t begin_ns = cell_whole(table_cell(calls, row, "started_ns"));
	struct lane_slice slice = {
		.name = doc_copy(doc, name),
		.begin_ns = begin_ns,
		.end_ns = end_of(begin_ns,
				 cell_whole(table_cell(calls, row, "duration_ns"))),
		.state = state_of(calls, row)};
	struct strbuf what = {0};

	if (kind && strcmp(kind, "step") == 0)
		strbuf_printf(&what, "steps %s", name ? name : "");
	lanes_add(lanes_lane(lanes,
			     label_of(doc, facts,
				      thread->kind == CELL_TEXT ? thread->text : NULL,
				      tid, pid, strbuf_text(&what))),
		  &slice);
	strbuf_free(&what);
}

static bool is_step(const struct table *calls, size_t row)
{
	const struct cell *kind = table_cell(calls, row, "kind");

	return kind->kind == CELL_TEXT && strcmp(kind->text, "step") == 0;
}

/* Steps have lanes of their own: they begin and end anywhere in calls. */
static void add_steps(struct doc *doc, struct lanes *lanes,
		      const struct timeline_facts *facts, const struct table *calls,
		      size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		bool is_done = !is_step(calls, i);

		/* those of one name after the other */
		for (size_t j = first; !is_done && j < i; j++)
			is_done = is_step(calls, j) &&
				  strcmp(table_cell(calls, j, "name")->text,
					 table_cell(calls, i, "name")->text) == 0;
		for (size_t j = i; !is_done && j < end; j++)
			if (is_step(calls, j) &&
			    strcmp(table_cell(calls, j, "name")->text,
				   table_cell(calls, i, "name")->text) == 0)
				add_call(doc, lanes, facts, calls, j);
	}
}

static bool is_same_thread(const struct table *calls, size_t a, size_t b)
{
	return cell_whole(table_cell(calls, a, "pid")) ==
		       cell_whole(table_cell(calls, b, "pid")) &&
	       cell_whole(table_cell(calls, a, "tid")) ==
		       cell_whole(table_cell(calls, b, "tid"));
}

static void add_calls(struct doc *doc, struct lanes *lanes,
		      const struct timeline_facts *facts, const struct table *calls)
{
	size_t first = 0, end;

	for (; first < calls->row_count; first = end) {
		for (end = first;
		     end < calls->row_count && is_same_thread(calls, first, end); end++)
			if (!is_step(calls, end))
				add_call(doc, lanes, facts, calls, end);
		add_steps(doc, lanes, facts, calls, first, end);
	}
}

static int add_others(struct report_input *input, struct doc *doc, struct lanes *lanes,
		      const struct timeline_facts *facts, const char *sql,
		      const char *what, enum lane_state state)
{
	struct cursor *cursor = timeline_query(input, sql, facts);

	while (cursor_next(cursor) > 0) {
		int64_t begin_ns = cursor_integer(cursor, "started_ns");
		struct lane_slice slice = {
			.name = report_text(doc, cursor, "name"),
			.begin_ns = begin_ns,
			.end_ns = end_of(begin_ns, cursor_integer(cursor, "duration_ns")),
			.state = state};

		lanes_add(
			lanes_lane(lanes, label_of(doc, facts,
						   report_text(doc, cursor, "thread"),
						   cursor_integer(cursor, "tid"),
						   cursor_integer(cursor, "pid"), what)),
			&slice);
	}
	return report_finish(input, cursor);
}

static void note_left_out(struct doc *doc, struct section *section, size_t left_out)
{
	struct strbuf text = {0};

	if (!left_out)
		return;
	units_counted(&text, (int64_t)left_out, "lane");
	strbuf_puts(&text, " more (--limit, --thread).");
	section->footer = doc_copy(doc, strbuf_text(&text));
	strbuf_free(&text);
}

enum exit_status timeline_add_lanes(struct report_input *input, struct doc *doc,
				    const struct timeline_facts *facts,
				    const struct table *calls)
{
	struct lanes *lanes = xcalloc(1, sizeof(*lanes));
	size_t limit = report_limit(input, LANES_USUAL), left_out = 0;
	struct section *section;
	int result;

	lanes->from_ns = facts->from_ns;
	lanes->to_ns = facts->to_ns;
	add_calls(doc, lanes, facts, calls);
	result = add_others(input, doc, lanes, facts, lanes_sql_stalls,
			    "waits for others", LANE_BLOCKED);
	if (result == 0)
		result = add_others(input, doc, lanes, facts, lanes_sql_snapshots,
				    "snapshots", LANE_MOMENT);
	for (size_t i = 0; i < lanes->count; i++)
		lanes_settle(&lanes->all[i]);
	for (; limit && lanes->count > limit; left_out++)
		free(lanes->all[--lanes->count].slices);
	if (result < 0 || !lanes->count) {
		lanes_free(lanes);
		return result < 0 ? STATUS_FAILED : STATUS_OK;
	}
	section = doc_lanes(doc, "lanes", "Over time", lanes);
	note_left_out(doc, section, left_out);
	return STATUS_OK;
}
