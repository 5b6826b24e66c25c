/* SPDX-License-Identifier: MIT */
/*
 * Options and commands; help. Must not know what a report does: what it takes stands in
 * its struct report.
 */
#include "analyzer/cli/cli.h"

#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "analyzer/cli/values.h"
#include "analyzer/cli/words.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_key {
	KEY_FORMAT = 'f',
	KEY_OUTPUT = 'o',
	KEY_RUN = 'r',
	KEY_LIMIT = 'n',
	KEY_SORT = 's',
	KEY_THREAD = 't',
	KEY_HELP = 'h',
	KEY_VERSION = 'V',
	KEY_FOCUS = 0x100,
	KEY_IGNORE,
	KEY_RAW,
	KEY_MIN_SHARE,
	KEY_UNFOLD,
	KEY_PROGRAM,
	KEY_UNTIL,
	KEY_BY,
	KEY_PROCESS,
	KEY_SUPPRESSIONS,
	KEY_USAGE,
	KEY_BEFORE,
	KEY_AFTER,
	KEY_FAIL_ON,
	KEY_RULES,
	KEY_MAP,
	KEY_LIST_RULES,
	KEY_SHOW_SQL,
	KEY_GATE, /* --limit METRIC=AMOUNT */
	KEY_METRIC,
	KEY_SNAPSHOT,
	KEY_DIFF,
	KEY_WIDTH,
	KEY_NO_LIMITS,
	KEY_NO_WAIT,
};

/* An option and which reports take it; 0: all. */
static const struct {
	struct argp_option option;
	unsigned taken_with;
} option_table[] = {
	{{"format", KEY_FORMAT, "FORMAT", 0,
	  "text, json, csv or md; of a gate: junit; of findings: sarif", 0},
	 0},
	{{"output", KEY_OUTPUT, "FILE", 0, "write to FILE", 0}, 0},
	{{"run", KEY_RUN, "N|LABEL", 0, "this run instead of the latest", 0}, TAKES_RUN},
	{{"limit", KEY_LIMIT, "N", 0, "show N rows of each table; 0: all", 0},
	 TAKES_LIMIT},
	{{"sort", KEY_SORT, "COLUMN", 0, "sort by a column, by its name in json", 0},
	 TAKES_SORT},
	{{"focus", KEY_FOCUS, "REGEX", 0,
	  "only what matches (POSIX extended regular expression)", 0},
	 TAKES_FILTER},
	{{"ignore", KEY_IGNORE, "REGEX", 0, "without what matches", 0}, TAKES_FILTER},
	{{"thread", KEY_THREAD, "NAME|TID", 0, "only threads of this name or id", 0},
	 TAKES_THREAD},
	{{"raw", KEY_RAW, NULL, 0, "times without correction for the cost of hooks", 0},
	 TAKES_RAW},
	{{"min-share", KEY_MIN_SHARE, "PERCENT", 0,
	  "leave out subtrees below this share (0.5; json and csv: 0; "
	  "a picture: 0.1)",
	  0},
	 TAKES_TREE | TAKES_PICTURE},
	{{"unfold", KEY_UNFOLD, NULL, 0, "show every level of recursion", 0}, TAKES_TREE},
	{{"program", KEY_PROGRAM, "FILE", 0, "examine a program", 0}, TAKES_PROGRAM},
	{{"before", KEY_BEFORE, "LABEL|N,...", 0,
	  "runs (of a flamegraph also a snapshot) before", 0},
	 TAKES_SIDES | TAKES_FLAME},
	{{"after", KEY_AFTER, "LABEL|N,...", 0,
	  "runs (of a flamegraph also a snapshot) after", 0},
	 TAKES_SIDES | TAKES_FLAME},
	{{"limit", KEY_GATE, "METRIC=AMOUNT,...", 0,
	  "status 3 when after takes more than AMOUNT (5%, 1MiB) above before", 0},
	 TAKES_GATE},
	{{"fail-on", KEY_FAIL_ON, "WORD,...", 0,
	  "status 3 on any regression, inconclusive; bottlenecks: on a finding of this "
	  "severity or above",
	  0},
	 TAKES_GATE | TAKES_FINDINGS},
	{{"rules", KEY_RULES, "FILE", 0, "limits of rules that FILE (json) changes", 0},
	 TAKES_RULES},
	{{"map", KEY_MAP, "FILE", 0,
	  "components by module, source, namespace or function "
	  "(json)",
	  0},
	 TAKES_MAP},
	{{"list-rules", KEY_LIST_RULES, NULL, 0, "show all rules and their limits", 0},
	 TAKES_FINDINGS},
	{{"show-sql", KEY_SHOW_SQL, NULL, 0, "with the query that proves each finding",
	  0},
	 TAKES_FINDINGS},
	{{"until", KEY_UNTIL, "C", 0, "survivors are those still live at C (exit)", 0},
	 TAKES_DELTA},
	{{"by", KEY_BY, "WHAT", 0,
	  "delta: path, function, line or component (path); compare: component", 0},
	 TAKES_BY},
	{{"process", KEY_PROCESS, "PID|#ID", 0, "only this process", 0}, TAKES_PROCESS},
	{{"suppressions", KEY_SUPPRESSIONS, "FILE", 0,
	  "leave out what FILE lists: leaks by lines leak:PATTERN as for LeakSanitizer, "
	  "findings in json by rule, function, reason and expires",
	  0},
	 TAKES_SUPPRESSIONS},
	{{"metric", KEY_METRIC, "METRIC", 0,
	  "time, self, calls, bytes, allocs, live or at-peak", 0},
	 TAKES_FLAME},
	{{"snapshot", KEY_SNAPSHOT, "LABEL|N", 0, "as it was at this snapshot", 0},
	 TAKES_FLAME},
	{{"diff", KEY_DIFF, "BEFORE.db", 0, "the difference from that file's run", 0},
	 TAKES_FLAME},
	{{"width", KEY_WIDTH, "PIXELS", 0, "of the picture (1200)", 0}, TAKES_PICTURE},
	{{"no-limits", KEY_NO_LIMITS, NULL, 0,
	  "queries may take any time and memory (else 120 s of CPU, your own 30 s; 1 "
	  "GiB)",
	  0},
	 0},
	{{"no-wait", KEY_NO_WAIT, NULL, 0,
	  "show what is there now; do not wait for a collector or a lock", 0},
	 0},
	{{"help", KEY_HELP, NULL, 0, "show this help", -1}, 0},
	{{"version", KEY_VERSION, NULL, 0, "show the version", -1}, 0},
	/* argp's own messages name it. */
	{{"usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, -1}, 0},
};
#define OPTION_COUNT (sizeof(option_table) / sizeof(option_table[0]))

struct parsing {
	struct request *cli;
	char **arguments; /* positional */
	size_t count, capacity;
	bool given[OPTION_COUNT];
	bool wants_help, wants_version;
};

void cli_free(struct request *cli)
{
	free(cli->databases);
	free(cli->limits);
	*cli = (struct request){0};
}

static void note_given(struct parsing *parsing, int key)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].option.key == key)
			parsing->given[i] = true;
}

/* --limit may be given again and again. */
static void add_limits(struct parsing *parsing, const char *text)
{
	struct request *cli = parsing->cli;
	char *all = cli->limits ? xasprintf("%s,%s", cli->limits, text) : xstrdup(text);

	free(cli->limits);
	cli->limits = all;
	cli->options.limits = all;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct parsing *parsing = state->input;
	struct report_options *options = &parsing->cli->options;

	/* One name, two options: a number of rows, or limits of a gate. */
	note_given(parsing, key == KEY_LIMIT && strchr(text, '=') ? KEY_GATE : key);
	switch (key) {
	case KEY_FORMAT:
		parsing->cli->renderer = cli_parse_format(text, state);
		break;
	case KEY_OUTPUT:
		parsing->cli->output = text;
		break;
	case KEY_RUN:
		parsing->cli->run = text;
		options->run_is_chosen = true;
		break;
	case KEY_LIMIT:
		if (strchr(text, '='))
			add_limits(parsing, text);
		else
			options->limit = cli_parse_limit(text, state);
		break;
	case KEY_BEFORE:
		options->before = text;
		break;
	case KEY_AFTER:
		options->after = text;
		break;
	case KEY_FAIL_ON:
		options->fail_on = text;
		break;
	case KEY_SORT:
		options->sort = text;
		break;
	case KEY_FOCUS:
		options->focus = text;
		break;
	case KEY_IGNORE:
		options->ignore = text;
		break;
	case KEY_THREAD:
		options->thread = text;
		break;
	case KEY_RAW:
		options->raw = true;
		break;
	case KEY_MIN_SHARE:
		options->min_share = cli_parse_share(text, state);
		break;
	case KEY_UNFOLD:
		options->unfold = true;
		break;
	case KEY_PROGRAM:
		options->program = text;
		break;
	case KEY_UNTIL:
		options->until = text;
		break;
	case KEY_BY:
		options->by = text;
		break;
	case KEY_PROCESS:
		options->process = text;
		break;
	case KEY_SUPPRESSIONS:
		options->suppressions = text;
		break;
	case KEY_METRIC:
		options->metric = text;
		break;
	case KEY_SNAPSHOT:
		options->snapshot = text;
		break;
	case KEY_DIFF:
		options->diff = text;
		break;
	case KEY_WIDTH:
		options->width = cli_parse_width(text, state);
		break;
	case KEY_RULES:
		options->rules = text;
		break;
	case KEY_MAP:
		options->map = text;
		break;
	case KEY_LIST_RULES:
		options->list_rules = true;
		break;
	case KEY_SHOW_SQL:
		options->show_sql = true;
		break;
	case KEY_NO_LIMITS:
		parsing->cli->no_limits = true;
		break;
	case KEY_NO_WAIT:
		parsing->cli->no_wait = true;
		break;
	case KEY_HELP:
	case KEY_USAGE:
		parsing->wants_help = true;
		break;
	case KEY_VERSION:
		parsing->wants_version = true;
		break;
	case ARGP_KEY_ARG:
		parsing->arguments = xgrow(parsing->arguments, parsing->count,
					   &parsing->capacity, sizeof(char *));
		parsing->arguments[parsing->count++] = text;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static bool takes(const struct report *report, size_t option)
{
	unsigned needed = option_table[option].taken_with;

	if (report && option_table[option].option.key == KEY_FORMAT &&
	    cli_writes_one_format(report))
		return false;
	return !needed || !report || (report->takes & needed);
}

static void describe_report(const struct report *report, struct strbuf *doc)
{
	strbuf_putc(doc, (char)toupper((unsigned char)report->summary[0]));
	strbuf_printf(doc, "%s.\v%s\n\nExample:\n    %s", report->summary + 1,
		      report->description, report->example);
}

/* "FUNC", "A B" or nothing */
static void put_arguments(const struct report *report, struct strbuf *text)
{
	if (report->argument)
		strbuf_puts(text, report->argument);
	if (report->other_argument)
		strbuf_printf(text, " %s", report->other_argument);
}

static void describe_all(struct strbuf *doc)
{
	struct strbuf words = {0};

	strbuf_puts(doc, "Shows what libprofshim.so recorded into DB (run.db).\n\n"
			 "Commands:\n");
	for (size_t i = 0; i < report_registry_count; i++) {
		const struct report *one = report_registry[i];

		strbuf_reset(&words);
		put_arguments(one, &words);
		strbuf_printf(doc, "  %-13s %-9s %s\n", one->name, strbuf_text(&words),
			      one->summary);
	}
	strbuf_puts(doc,
		    "\n'prof-analyze COMMAND --help' tells more about one.\n\n"
		    "Options may stand anywhere:\v"
		    "Example:\n    prof-record -- ./app && prof-analyze run.db\n\n"
		    "Exit status: 0 fine, 1 something cannot be read or written, "
		    "2 usage, 3 a gate failed, 4 nothing was measured or it cannot be "
		    "compared.");
	strbuf_free(&words);
}

/* The help of one command, or of all (NULL). */
static void show_help(const struct report *report)
{
	struct argp_option options[OPTION_COUNT + 1] = {0};
	struct argp argp = {.options = options};
	struct strbuf doc = {0}, usage = {0}, title = {0};
	size_t count = 0;

	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (takes(report, i))
			options[count++] = option_table[i].option;
	strbuf_puts(&title, program_invocation_short_name);
	if (report) {
		strbuf_printf(&title, " %s", report->name);
		if (!(report->takes & TAKES_ONLY_WORDS))
			strbuf_puts(&usage,
				    report->takes & TAKES_NO_DATABASE ? "[DB]" : "DB");
		if (report->argument && usage.size)
			strbuf_putc(&usage, ' ');
		put_arguments(report, &usage);
		describe_report(report, &doc);
	} else {
		strbuf_puts(&usage, "[COMMAND] DB");
		describe_all(&doc);
	}
	argp.args_doc = strbuf_text(&usage);
	argp.doc = strbuf_text(&doc);
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	argp_help(&argp, stdout, ARGP_HELP_STD_HELP, title.data);
	strbuf_free(&doc);
	strbuf_free(&usage);
	strbuf_free(&title);
}

static size_t gate_option(int key)
{
	size_t i = 0;

	while (option_table[i].option.key != key)
		i++;
	return i;
}

static void check_options(const struct parsing *parsing, struct strbuf *error)
{
	if (parsing->given[gate_option(KEY_GATE)] &&
	    !(parsing->cli->report->takes & TAKES_GATE))
		strbuf_printf(error,
			      "%s has no gate: --limit METRIC=AMOUNT is for compare",
			      parsing->cli->report->name);
	for (size_t i = 0; i < OPTION_COUNT && !error->size; i++)
		if (parsing->given[i] && !takes(parsing->cli->report, i))
			strbuf_printf(error, "%s takes no --%s",
				      parsing->cli->report->name,
				      option_table[i].option.name);
	if (!error->size && parsing->cli->renderer->needs_findings &&
	    !(parsing->cli->report->takes & TAKES_FINDINGS))
		strbuf_printf(error,
			      "--format %s shows findings: use it with bottlenecks",
			      parsing->cli->renderer->name);
	if (!error->size && parsing->cli->renderer->needs_checks &&
	    !((parsing->given[gate_option(KEY_GATE)] ||
	       parsing->given[gate_option(KEY_FAIL_ON)]) &&
	      (parsing->cli->report->takes & TAKES_GATE)))
		strbuf_printf(
			error,
			"--format %s shows the checks of a gate: use it with compare "
			"and --limit or --fail-on",
			parsing->cli->renderer->name);
	if (parsing->cli->options.raw && parsing->cli->options.thread && !error->size)
		strbuf_puts(error, "--raw and --thread do not go together: raw times are "
				   "not kept by thread");
}

void cli_parse(int argc, char **argv, struct request *ret)
{
	struct argp_option options[OPTION_COUNT + 1] = {0};
	struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "[COMMAND] DB"};
	struct parsing parsing = {.cli = ret};
	struct strbuf error = {0}, clean = {0};
	size_t count = 0;

	*ret = (struct request){
		.renderer = renderer_registry[0],
		.options = {.limit = -1, .min_share = -1, .width = CLI_WIDTH_USUAL}};
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].option.key != KEY_GATE)
			options[count++] = option_table[i].option;
	cli_mark_sides(argc, argv);
	cli_clean_options(argc, argv, options);
	argp_err_exit_status = STATUS_USAGE;
	argv[0] = program_invocation_short_name;
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &parsing);
	if (parsing.wants_version) {
		puts("prof-analyze (profshim) " PROFSHIM_VERSION);
		exit(STATUS_OK);
	}
	if (parsing.wants_help) {
		show_help(parsing.count ? cli_find_report(parsing.arguments[0]) : NULL);
		exit(STATUS_OK);
	}
	if (parsing.count == 0)
		strbuf_puts(&error, "which database? For example: prof-analyze run.db");
	else
		cli_assign(parsing.arguments, parsing.count, ret, &error);
	if (!error.size && parsing.count)
		cli_choose_exporter(ret, &error);
	if (!error.size)
		check_options(&parsing, &error);
	ret->options.machine = ret->renderer->for_machines;
	free(parsing.arguments);
	if (!error.size)
		return;
	utf8_clean(&clean, strbuf_text(&error));
	fprintf(stderr, "%s: %s\nTry '%s --help'.\n", program_invocation_short_name,
		strbuf_text(&clean), program_invocation_short_name);
	exit(STATUS_USAGE);
}
