/* SPDX-License-Identifier: MIT */
/* The table of tools, and their schemas. */
#include "analyzer/mcp/tools.h"

#include "analyzer/render/json_value.h"
#include "common/base/strbuf.h"

#include <string.h>

extern const struct report report_bottlenecks, report_callers, report_compare,
	report_critical, report_delta, report_doctor, report_functions, report_io,
	report_leaks, report_locks, report_memory, report_report, report_runs,
	report_snapshots, report_sql, report_steps, report_timeline, report_tree,
	report_why;

#define SIDES                                                                            \
	"Either 'before' and 'after' are lists of files, or 'database' has both sides: " \
	"its last two groups of runs, or 'before_run' and 'after_run'. "

static const struct tool tools[] = {
	{"overview", &report_report,
	 "A run on one page: whether it can be trusted, the worst findings, hot "
	 "functions "
	 "and call paths, memory. Start here.",
	 NULL, NULL, false},
	{"findings", &report_bottlenecks,
	 "What is worth fixing, worst first: evidence with its error and the limit that "
	 "was "
	 "crossed, call path, source line, advice, saving, and 'sql', the query that "
	 "proves "
	 "it.",
	 NULL, NULL, false},
	{"functions", &report_functions,
	 "Every function: calls, self and total time with their errors, percentiles, "
	 "allocations, source line.",
	 NULL, NULL, false},
	{"paths", &report_tree,
	 "The call tree, largest first: each path with its parent_path_id, calls, times, "
	 "bytes.",
	 NULL, NULL, false},
	{"callers", &report_callers, "Callers and callees of one function.", "function",
	 NULL, false},
	{"why", &report_why,
	 "What slow calls of a function did that usual ones did not; without 'function' "
	 "those whose calls were kept.",
	 "function", NULL, false},
	{"timeline", &report_timeline,
	 "What was slow when: long calls, steps and waits of each thread in their order.",
	 NULL, NULL, false},
	{"memory", &report_memory,
	 "Allocation sites: bytes, counts, share of the peak, temporary blocks, source "
	 "line.",
	 NULL, NULL, false},
	{"leaks", &report_leaks, "What was live at the exit, and which sites grew.", NULL,
	 NULL, false},
	{"locks", &report_locks,
	 "Locks: how long they were waited for, by whom and for whom.", NULL, NULL,
	 false},
	{"io", &report_io, "What was read and written, by file or peer and by call path.",
	 NULL, NULL, false},
	{"critical", &report_critical,
	 "With threads: what the wall time was made of, and what faster code brings at "
	 "most.",
	 NULL, NULL, false},
	{"steps", &report_steps,
	 "Steps of loops and counters: rates, percentiles, slowest.", NULL, NULL, false},
	{"snapshots", &report_snapshots, "The labelled moments of a run, for delta.",
	 NULL, NULL, false},
	{"delta", &report_delta,
	 "What grew, went and survived between two moments of a run, and the time spent: "
	 "labels of snapshots, their numbers, start, peak or exit.",
	 "from", "to", false},
	{"compare", &report_compare,
	 "What got slower or faster, or changed in calls and memory, from before to "
	 "after; "
	 "differences within their errors are no verdict. " SIDES,
	 NULL, NULL, false},
	{"gate", &report_compare,
	 "Whether after stays within limits over before: status 'regression' when "
	 "not. " SIDES,
	 NULL, NULL, true},
	{"runs", &report_runs, "The runs in a file.", NULL, NULL, false},
	{"doctor", &report_doctor, "Why a recording is empty, partial or not exact.",
	 NULL, NULL, false},
	{"sql", &report_sql,
	 "One SELECT over the views (runs, functions, call_paths, call_edges, "
	 "allocation_sites, locks, steps, snapshots, trust, ...), read-only; :run is the "
	 "run. Ids in other answers (function_id, path_id, run_id) are those of the "
	 "views. "
	 "SELECT name, sql FROM sqlite_master WHERE type = 'view' tells the columns.",
	 "query", NULL, false},
};

#define FIELD(name) offsetof(struct report_options, name)

const struct tool_argument tool_arguments[] = {
	{"database", TOOL_TEXT, 0, "a run.db", 0},
	{"run", TOOL_RUN, TAKES_RUN, "number or label; else the latest", 0},
	{"limit", TOOL_WHOLE, TAKES_LIMIT, "rows of each table", 0},
	{"sort", TOOL_TEXT, TAKES_SORT, "a column of the answer", FIELD(sort)},
	{"focus", TOOL_TEXT, TAKES_FILTER, "only what matches (POSIX extended)",
	 FIELD(focus)},
	{"ignore", TOOL_TEXT, TAKES_FILTER, "without what matches", FIELD(ignore)},
	{"thread", TOOL_TEXT, TAKES_THREAD, "only threads of this name or id",
	 FIELD(thread)},
	{"process", TOOL_TEXT, TAKES_PROCESS, "only this process: PID or #process_id",
	 FIELD(process)},
	{"min_share", TOOL_NUMBER, TAKES_TREE,
	 "percent of the whole that paths have at least", 0},
	{"inlined", TOOL_FLAG, TAKES_INLINED, "inlined copies as calls of their own", 0},
	{"from", TOOL_TEXT, TAKES_RANGE, "what lies after this time of the run: 1.5s",
	 FIELD(from)},
	{"to", TOOL_TEXT, TAKES_RANGE, "what lies before this time of the run",
	 FIELD(to)},
	{"until", TOOL_TEXT, TAKES_DELTA, "survivors are live at this moment (exit)",
	 FIELD(until)},
	{"by", TOOL_TEXT, TAKES_BY,
	 "delta: path, function, line, component; compare: component", FIELD(by)},
	{"before", TOOL_TEXTS, TAKES_SIDES, "files of the side before", 0},
	{"after", TOOL_TEXTS, TAKES_SIDES, "files of the side after", 0},
	{"before_run", TOOL_RUN, TAKES_SIDES, "label or numbers (1,2) of the runs before",
	 0},
	{"after_run", TOOL_RUN, TAKES_SIDES, "label or numbers of the runs after", 0},
	{"limits", TOOL_TEXT, TAKES_GATE,
	 "METRIC=AMOUNT,...: wall, self, cpu, calls, alloc_count, alloc_bytes, peak, "
	 "live or "
	 "func:NAME.METRIC; amounts as 5%, 50ms, 1MiB, 100",
	 FIELD(limits)},
};
const size_t tool_argument_count = sizeof(tool_arguments) / sizeof(tool_arguments[0]);

const struct tool *tool_find(const char *name)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

bool tool_takes(const struct tool *tool, const struct tool_argument *argument)
{
	if (argument->taken_with == TAKES_GATE && !tool->needs_limits)
		return false;
	return !argument->taken_with || (tool->report->takes & argument->taken_with);
}

static json_t *object_of(const char *key, const char *text)
{
	json_t *object = json_must(json_object());

	json_object_set_new(object, key, json_text(text));
	return object;
}

static json_t *schema_of(const struct tool_argument *argument)
{
	static const char *const words[] = {
		[TOOL_TEXT] = "string",	  [TOOL_TEXTS] = "array",
		[TOOL_NUMBER] = "number", [TOOL_WHOLE] = "integer",
		[TOOL_FLAG] = "boolean",
	};
	json_t *schema = json_must(json_object());

	json_object_set_new(schema, "type",
			    argument->type == TOOL_RUN
				    ? json_must(json_pack("[ss]", "string", "integer"))
				    : json_text(words[argument->type]));
	json_object_set_new(schema, "description", json_text(argument->description));
	if (argument->type == TOOL_TEXTS)
		json_object_set_new(schema, "items", object_of("type", "string"));
	if (argument->type == TOOL_WHOLE) {
		json_object_set_new(schema, "minimum", json_must(json_integer(1)));
		json_object_set_new(schema, "maximum",
				    json_must(json_integer(TOOL_ROWS_MOST)));
		json_object_set_new(schema, "default",
				    json_must(json_integer(TOOL_ROWS_USUAL)));
	}
	return schema;
}

static json_t *input_schema(const struct tool *tool)
{
	const char *const words[] = {tool->argument, tool->other_argument};
	json_t *schema = object_of("type", "object"),
	       *properties = json_must(json_object());
	json_t *required = json_must(json_array());

	for (size_t i = 0; i < 2; i++)
		if (words[i]) {
			json_object_set_new(properties, words[i],
					    object_of("type", "string"));
			if (!(tool->report->takes & TAKES_MAYBE))
				json_array_append_new(required, json_text(words[i]));
		}
	if (tool->needs_limits)
		json_array_append_new(required, json_text("limits"));
	for (size_t i = 0; i < tool_argument_count; i++)
		if (tool_takes(tool, &tool_arguments[i]))
			json_object_set_new(properties, tool_arguments[i].name,
					    schema_of(&tool_arguments[i]));
	json_object_set_new(schema, "properties", properties);
	json_object_set_new(schema, "required", required);
	json_object_set_new(schema, "additionalProperties", json_must(json_false()));
	return schema;
}

static json_t *tool_listed(const struct tool *tool)
{
	json_t *object = object_of("name", tool->name);

	json_object_set_new(object, "description", json_text(tool->description));
	json_object_set_new(object, "inputSchema", input_schema(tool));
	json_object_set_new(
		object, "annotations",
		json_must(json_pack("{sbsb}", "readOnlyHint", 1, "openWorldHint", 0)));
	return object;
}

json_t *tools_listed(void)
{
	json_t *result = json_must(json_object()), *list = json_must(json_array());

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		json_array_append_new(list, tool_listed(&tools[i]));
	json_object_set_new(result, "tools", list);
	return result;
}
