/* SPDX-License-Identifier: MIT */
/* The options of prof-analyze. Must not know what a report does: its struct report says
 * what it takes. */
#include "analyzer/cli/options.h"

#include "analyzer/cli/words.h"

#include "analyzer/tree/flame.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WHERE(field) offsetof(struct request, field)
#define BY_ALL 0
#define OF_THE_PROGRAM 3  /* the last ones belong to no report */
#define METRICS "METRICS" /* stands for the names of metrics */

static const struct {
	const char *name;
	int key;		    /* 0: a number */
	const char *argument, *doc; /* doc NULL: hidden */
	uint64_t taken_with;	    /* the reports that take it */
	/* The field it sets; 0: the parser handles it. */
	size_t text, flag;
} table[CLI_OPTION_COUNT] = {
	{"format", KEY_FORMAT, "FORMAT",
	 "text, json, csv, md or html; for a gate: junit; for findings: sarif",
	 .taken_with = BY_ALL},
	{"output", 'o', "FILE", "write to FILE", .text = WHERE(output)},
	{"run", KEY_RUN, "N|LABEL", "this run instead of the latest",
	 .taken_with = TAKES_RUN, .text = WHERE(run)},
	{"tag", KEY_TAG, "NAME=VALUE",
	 "archive add: what the runs are of (version=1.2); history: only runs with this "
	 "tag; may be repeated",
	 .taken_with = TAKES_FILES | TAKES_ARCHIVE},
	{"limit", KEY_LIMIT, "N", "show N rows of each table; 0: all",
	 .taken_with = TAKES_LIMIT},
	{"sort", 's', "COLUMN", "sort by this column: its heading, or its name in JSON",
	 .taken_with = TAKES_SORT, .text = WHERE(options.sort)},
	{"focus", 0, "REGEX", "only what matches (POSIX extended regular expression)",
	 .taken_with = TAKES_FILTER, .text = WHERE(options.focus)},
	{"ignore", 0, "REGEX", "leave out what matches", .taken_with = TAKES_FILTER,
	 .text = WHERE(options.ignore)},
	{"thread", 't', "NAME|TID", "only threads of this name or id",
	 .taken_with = TAKES_THREAD, .text = WHERE(options.thread)},
	{"raw", 0, NULL, "show times not corrected for the cost of hooks",
	 .taken_with = TAKES_RAW, .flag = WHERE(options.raw)},
	{"min-share", KEY_MIN_SHARE, "PERCENT",
	 "leave out what is below this share (0.5; the tree in json and csv: 0; a "
	 "picture: 0.1)",
	 .taken_with = TAKES_TREE | TAKES_PICTURE | TAKES_SHARE},
	{"unfold", 0, NULL, "show every level of recursion", .taken_with = TAKES_TREE,
	 .flag = WHERE(options.unfold)},
	{"fold-library", 0, NULL, "show code of libraries as one frame",
	 .taken_with = TAKES_TREE | TAKES_FLAME, .flag = WHERE(options.fold_library)},
	{"unfold-threads", 0, NULL, "show the functions that run threads and tasks",
	 .taken_with = TAKES_PICTURE, .flag = WHERE(options.unfold_threads)},
	{"inlined", 0, NULL, "show inlined copies as calls of their own",
	 .taken_with = TAKES_INLINED, .flag = WHERE(options.inlined)},
	{"program", 0, "FILE", "examine a program", .taken_with = TAKES_PROGRAM,
	 .text = WHERE(options.program)},
	{"before", 0, "LABEL|N,...", "the runs before; for a flamegraph also a snapshot",
	 .taken_with = TAKES_SIDES | TAKES_FLAME, .text = WHERE(options.before)},
	{"after", 0, "LABEL|N,...", "the runs after; for a flamegraph also a snapshot",
	 .taken_with = TAKES_SIDES | TAKES_FLAME, .text = WHERE(options.after)},
	{"rename", KEY_RENAME, "OLD=NEW",
	 "treat OLD of before and NEW of after as one function; may be repeated",
	 .taken_with = TAKES_SIDES | TAKES_FLAME},
	{"gate", KEY_GATE, "METRIC=AMOUNT,...",
	 "exit with status 3 when after exceeds before by more than AMOUNT (5%, 1MiB); "
	 "history: when the run 'latest', RUN or FILE is worse than those before it",
	 .taken_with = TAKES_GATE | TAKES_ARCHIVE},
	{"fail-on", KEY_FAIL_ON, "WORD,...",
	 "exit with status 3: compare on any regression, or also inconclusive; "
	 "bottlenecks "
	 "on a finding of this severity or above; scaling on growth above METRIC ~ LAW",
	 .taken_with = TAKES_GATE | TAKES_FINDINGS | TAKES_GROWTH,
	 .text = WHERE(options.fail_on)},
	{"rules", 0, "FILE", "change the rules' limits to those in FILE (JSON)",
	 .taken_with = TAKES_RULES, .text = WHERE(options.rules)},
	{"source", KEY_SOURCE, "DIR",
	 "show source lines in the page (html), only from files below DIR; may be "
	 "repeated",
	 .taken_with = TAKES_SOURCE},
	{"list-rules", KEY_LIST_RULES, NULL, "show all rules and their limits",
	 .taken_with = TAKES_FINDINGS, .flag = WHERE(options.list_rules)},
	{"show-sql", 0, NULL, "show the query that proves each finding",
	 .taken_with = TAKES_FINDINGS, .flag = WHERE(options.show_sql)},
	{"until", 0, "C", "survivors are blocks still live at C (exit)",
	 .taken_with = TAKES_DELTA, .text = WHERE(options.until)},
	{"by", 0, "WHAT",
	 "group components by module, source or namespace (module), delta by path, "
	 "function, line or component (path), compare by component; both also by source "
	 "or namespace",
	 .taken_with = TAKES_BY, .text = WHERE(options.by)},
	{"process", 0, "PID|#ID", "only this process", .taken_with = TAKES_PROCESS,
	 .text = WHERE(options.process)},
	{"suppressions", 0, "FILE",
	 "leave out what FILE lists: leaks in LeakSanitizer's lines leak:PATTERN, "
	 "findings "
	 "in JSON with rule, function, reason and expires",
	 .taken_with = TAKES_SUPPRESSIONS, .text = WHERE(options.suppressions)},
	{"metric", 0, "METRIC", METRICS, .taken_with = TAKES_FLAME,
	 .text = WHERE(options.metric)},
	{"snapshot", 0, "LABEL|N", "show the state at this snapshot",
	 .taken_with = TAKES_FLAME, .text = WHERE(options.snapshot)},
	{"diff", 0, "BEFORE.db", "show the difference from that file's run",
	 .taken_with = TAKES_FLAME, .text = WHERE(options.diff)},
	{"width", KEY_WIDTH, "PIXELS", "width of the picture (1200)",
	 .taken_with = TAKES_PICTURE},
	{"credentials", 0, "FILE", "USER:PASSWORD or a token, in a file of mode 600",
	 .taken_with = TAKES_PUSH, .text = WHERE(options.credentials)},
	{"from", 0, "TIME",
	 "only what is after this time of the run, such as 1.5s or 200ms",
	 .taken_with = TAKES_RANGE, .text = WHERE(options.from)},
	{"to", 0, "TIME", "only what is before this time of the run",
	 .taken_with = TAKES_RANGE, .text = WHERE(options.to)},
	{"every", KEY_EVERY, "TIME", "refresh at this interval (100ms, 30s, 5m)",
	 .taken_with = TAKES_LIVE},
	{"count", KEY_COUNT, "N", "stop after N refreshes", .taken_with = TAKES_LIVE},
	{"top", KEY_TOP, "N", "write a log with the top N of each kind",
	 .taken_with = TAKES_LIVE},
	{"view", 0, "NAME", "begin with function, path, thread, site, io or step",
	 .taken_with = TAKES_LIVE, .text = WHERE(options.view)},
	{"no-limits", 0, NULL,
	 "lift the limits of queries (120 s of CPU, 30 s for your own; 1 GiB)",
	 .flag = WHERE(no_limits)},
	{"no-wait", 0, NULL,
	 "show what is there now; do not wait for a collector or a lock",
	 .flag = WHERE(no_wait)},
	{"help", KEY_HELP, NULL, "show this help", .taken_with = BY_ALL},
	{"version", KEY_VERSION, NULL, "show the version", .taken_with = BY_ALL},
	/* argp's own messages name it. */
	{"usage", KEY_USAGE, NULL, NULL, .taken_with = BY_ALL},
};

/* What an option means to commands that take one of these; the first match counts. For
 * others, and in the help of all, the table above applies. */
static const struct {
	int key;
	const char *name; /* of a numbered one */
	uint64_t takes;
	const char *doc, *argument; /* NULL: the table's */
} meanings[] = {
	{KEY_FORMAT, NULL, TAKES_GATE | TAKES_GROWTH | TAKES_ARCHIVE,
	 "text, json, csv, md or html; junit: the gate's checks"},
	{KEY_FORMAT, NULL, TAKES_FINDINGS, "text, json, csv, md, html or sarif"},
	{KEY_FORMAT, NULL, ~0u, "text, json, csv, md or html"},
	{KEY_MIN_SHARE, NULL, TAKES_PICTURE, "leave out what is below this share (0.1)"},
	{KEY_MIN_SHARE, NULL, TAKES_TREE,
	 "leave out what is below this share (0.5; in json and csv: 0)"},
	{KEY_MIN_SHARE, NULL, TAKES_SHARE,
	 "leave out what is below this share of the hooks' cost (0.5)"},
	{KEY_FAIL_ON, NULL, TAKES_GATE,
	 "exit with status 3 on any regression, or also inconclusive"},
	{KEY_FAIL_ON, NULL, TAKES_GROWTH,
	 "exit with status 3 when something grows faster: METRIC ~ LAW, such as calls ~ "
	 "n^1.5 or "
	 "func:parse.cpu ~ n log n"},
	{KEY_FAIL_ON, NULL, TAKES_FINDINGS,
	 "exit with status 3 on a finding of this severity or above: critical, high, "
	 "medium, low or info"},
	{KEY_GATE, NULL, TAKES_ARCHIVE,
	 "'latest', another run of the archive, or a file: exit with status 3 when it is "
	 "worse "
	 "than the runs before it",
	 "RUN|FILE"},
	{KEY_GATE, NULL, TAKES_GATE,
	 "exit with status 3 when after exceeds before by more than AMOUNT (5%, 1MiB)"},
	{KEY_TAG, NULL, TAKES_FILES,
	 "what the runs are of, such as version=1.2; may be "
	 "repeated"},
	{KEY_TAG, NULL, TAKES_ARCHIVE, "only runs with this tag; may be repeated"},
	{0, "before", TAKES_SIDES, "the runs before"},
	{0, "before", TAKES_FLAME, "the runs, or the snapshot, before"},
	{0, "after", TAKES_SIDES, "the runs after"},
	{0, "after", TAKES_FLAME, "the runs, or the snapshot, after"},
	{0, "by", TAKES_DELTA,
	 "path, function, line, component, source or namespace (path)"},
	{0, "by", TAKES_SIDES, "component, source or namespace: a table of these, too"},
	{0, "by", TAKES_GROWTH, "the parameter of the sweep"},
	{0, "by", TAKES_BY, "module, source or namespace (module)"},
	{0, "suppressions", TAKES_RULES,
	 "leave out the findings that FILE (json) lists by rule, function, "
	 "reason and expires"},
	{0, "suppressions", TAKES_SUPPRESSIONS,
	 "leave out what FILE lists, in LeakSanitizer's lines leak:PATTERN"},
};

static int key_of(size_t option)
{
	return table[option].key ? table[option].key : KEY_NUMBERED + (int)option;
}

const char *cli_option_name(size_t option)
{
	return table[option].name;
}

size_t cli_option_find(int key)
{
	size_t option = 0;

	while (option < CLI_OPTION_COUNT && key_of(option) != key)
		option++;
	return option;
}

bool cli_option_is_taken(size_t option, const struct report *report)
{
	uint64_t needed = table[option].taken_with;

	if (report && table[option].key == KEY_FORMAT &&
	    (cli_writes_one_format(report) || (report->takes & TAKES_LIVE)))
		return false;
	if (report && (report->takes & TAKES_CLIENT))
		return option >= CLI_OPTION_COUNT - OF_THE_PROGRAM;
	return !needed || !report || (report->takes & needed);
}

void cli_option_set(size_t option, const char *text, struct request *ret)
{
	if (table[option].text)
		*(const char **)((char *)ret + table[option].text) = text;
	if (table[option].flag)
		*(bool *)((char *)ret + table[option].flag) = true;
}

/* Sets the argument's name, too, where it is another one. */
static const char *meaning_of(size_t option, const struct report *report,
			      const char **argument)
{
	for (size_t i = 0; report && i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if ((report->takes & meanings[i].takes) &&
		    (meanings[i].name ? strcmp(table[option].name, meanings[i].name) == 0
				      : table[option].key == meanings[i].key)) {
			*argument = meanings[i].argument ?: *argument;
			return meanings[i].doc;
		}
	return table[option].doc;
}

/* "time, self or calls" */
static const char *metrics(void)
{
	static char text[256];
	const char *names[FLAME_NO_METRIC];
	size_t count = flame_metric_list(names), size = 0;

	for (size_t i = 0; i < count && size < sizeof(text); i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
					 i == 0		  ? ""
					 : i + 1 == count ? " or "
							  : ", ",
					 names[i]);
	return text;
}

void cli_options_fill(const struct report *report, struct argp_option *ret)
{
	for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
		const char *argument = table[i].argument;
		const char *doc = meaning_of(i, report, &argument);

		if (!cli_option_is_taken(i, report))
			continue;
		*ret++ = (struct argp_option){
			.name = table[i].name,
			.key = key_of(i),
			.arg = argument,
			.flags = doc ? 0 : OPTION_HIDDEN,
			.doc = doc && strcmp(doc, METRICS) == 0 ? metrics() : doc,
			.group = i < CLI_OPTION_COUNT - OF_THE_PROGRAM ? 0 : -1,
		};
	}
}
