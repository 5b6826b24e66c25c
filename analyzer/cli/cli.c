/* SPDX-License-Identifier: MIT */
/*
 * Options, commands and help. Must not know what a report does: its struct report says
 * what it takes.
 */
#include "analyzer/cli/cli.h"

#include "common/base/command.h"
#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/cli/options.h"
#include "analyzer/cli/words.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLI_WIDTH_USUAL 1200 /* pixels */
#define WIDTH_LEAST 300
#define WIDTH_MOST 100000
#define EVERY_LEAST_MS 10
#define EVERY_MOST_MS 86400000

/* Parsers of option values. Each ends the program (status 2) with a sentence that shows
 * the cleaned value. */
static const struct renderer *parse_format(const char *text,
					   const struct argp_state *state)
{
	struct strbuf names = {0};

	for (size_t i = 0; i < renderer_registry_count; i++) {
		if (strcmp(renderer_registry[i]->name, text) == 0)
			return renderer_registry[i];
		strbuf_printf(&names, "%s%s", i ? ", " : "", renderer_registry[i]->name);
	}
	options_refuse(state, "--format: there is no format '%s'; there are %s", text,
		       strbuf_text(&names));
	return NULL;
}

static long parse_limit(const char *text, const struct argp_state *state)
{
	long limit;

	if (!options_number(text, 0, LONG_MAX, &limit))
		options_refuse(state, "--limit: '%s' is not a number of rows%s", text,
			       strchr(text, '=') ? "; limits of a comparison are --gate"
						 : "");
	return limit;
}

static double parse_share(const char *text, const struct argp_state *state)
{
	char *end;
	double share = strtod(text, &end);

	if (*text && strcmp(end, "%") == 0)
		end++;
	if (!*text || *end || !(share >= 0 && share <= 100))
		options_refuse(state, "--min-share: '%s' is not a percentage", text);
	return share;
}

static unsigned parse_width(const char *text, const struct argp_state *state)
{
	long width;

	if (!options_number(text, WIDTH_LEAST, WIDTH_MOST, &width))
		options_refuse(state,
			       "--width: '%s' is not a number of pixels from %d to %d",
			       text, WIDTH_LEAST, WIDTH_MOST);
	return (unsigned)width;
}

static long parse_count(const char *option, const char *text,
			const struct argp_state *state)
{
	long count;

	if (!options_number(text, 1, 1000000000, &count))
		options_refuse(state, "%s: '%s' is not a number from 1 on", option, text);
	return count;
}

/* A time from 10 ms to a day, in ms. */
static unsigned parse_every(const char *text, const struct argp_state *state)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	char *end;
	double value = strtod(text, &end), ms = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && end != text; i++)
		if (strcmp(end, units[i].name) == 0)
			ms = value * units[i].ms;
	if (!(ms >= EVERY_LEAST_MS && ms <= EVERY_MOST_MS))
		options_refuse(
			state,
			"--every: '%s' is not a time from 10ms to 24h, such as 30s",
			text);
	return (unsigned)ms;
}

struct parsing {
	struct request *cli;
	char **arguments; /* positional */
	size_t count;
	bool given[CLI_OPTION_COUNT];
	bool wants_help, wants_version;
};

/* --gate may be repeated. */
static void add_limits(struct parsing *parsing, const char *text)
{
	struct report_options *options = &parsing->cli->options;

	options->limits =
		options->limits ? xasprintf("%s,%s", options->limits, text) : text;
}

/* --source, --rename and --tag may be repeated, too. */
static void add_text(const char ***texts, size_t *count, const char *text)
{
	*texts = xreallocarray(*texts, *count + 1, sizeof(**texts));
	(*texts)[(*count)++] = text;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct parsing *parsing = state->input;
	struct report_options *options = &parsing->cli->options;
	size_t option;

	option = cli_option_find(key);
	if (option < CLI_OPTION_COUNT) {
		parsing->given[option] = true;
		cli_option_set(option, text, parsing->cli);
	}
	switch (key) {
	case KEY_FORMAT:
		parsing->cli->renderer = parse_format(text, state);
		break;
	case KEY_RUN:
		options->run_is_chosen = true;
		break;
	case KEY_LIMIT:
		options->limit = parse_limit(text, state);
		break;
	case KEY_GATE:
		add_limits(parsing, text);
		break;
	case KEY_SOURCE:
		add_text(&options->sources, &options->source_count, text);
		break;
	case KEY_RENAME:
		add_text(&options->renames, &options->rename_count, text);
		break;
	case KEY_TAG:
		if (!strchr(text, '=') || *text == '=')
			options_refuse(state, "--tag: '%s' is not NAME=VALUE", text);
		add_text(&options->tags, &options->tag_count, text);
		break;
	case KEY_MIN_SHARE:
		options->min_share = parse_share(text, state);
		break;
	case KEY_WIDTH:
		options->width = parse_width(text, state);
		break;
	case KEY_EVERY:
		options->every_ms = parse_every(text, state);
		break;
	case KEY_TOP:
		options->top = parse_count("--top", text, state);
		break;
	case KEY_COUNT:
		options->count = parse_count("--count", text, state);
		break;
	case KEY_HELP:
	case KEY_USAGE:
		parsing->wants_help = true;
		break;
	case KEY_VERSION:
		parsing->wants_version = true;
		break;
	case ARGP_KEY_ARG:
		ARRAY_ADD(parsing->arguments, parsing->count) = text;
		break;
	default:
		return option < CLI_OPTION_COUNT ? 0 : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void describe_report(const struct report *report, struct strbuf *doc)
{
	strbuf_putc(doc, (char)toupper((unsigned char)report->summary[0]));
	strbuf_printf(doc, "%s.\v%s", report->summary + 1, report->description);
	for (size_t i = 0; cli_names_format(report) && report_exports[i]; i++)
		strbuf_printf(doc, "\n\nFORMAT %s: %s", report_exports[i]->name,
			      report_exports[i]->description);
	strbuf_printf(doc, "\n\nExample:\n    %s", report->example);
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
	for (size_t i = 0; i < cli_command_count(); i++) {
		const struct report *one = cli_command(i);

		strbuf_reset(&words);
		if (one->takes & TAKES_FILES)
			strbuf_puts(&words, one->argument);
		else
			put_arguments(one, &words);
		strbuf_printf(doc, "  %-13s %-9s %s\n", one->name, strbuf_text(&words),
			      one->summary);
	}
	strbuf_puts(doc, "\n'prof-analyze COMMAND --help' describes one command.\n\n"
			 "Options may stand anywhere:\v"
			 "Example:\n    prof-record -- ./app && prof-analyze run.db\n\n"
			 "Exit status: 0 success, 1 a file cannot be read or written, 2 "
			 "wrong usage, 3 a gate failed, 4 nothing was measured, or the "
			 "runs cannot be compared.");
}

/* Shows the help of one command, or of all (NULL). */
static void show_help(const struct report *report)
{
	struct argp_option options[CLI_OPTION_COUNT + 1] = {0};
	struct argp argp = {.options = options};
	struct strbuf doc = {0}, usage = {0}, title = {0};

	cli_options_fill(report, options);
	strbuf_puts(&title, program_invocation_short_name);
	if (report) {
		strbuf_printf(&title, " %s", report->name);
		if (!(report->takes & (TAKES_ONLY_WORDS | TAKES_FILES)))
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
	options_help(&argp, strbuf_text(&title));
}

static bool is_given(const struct parsing *parsing, int key)
{
	return parsing->given[cli_option_find(key)];
}

static void check_options(const struct parsing *parsing)
{
	const struct request *cli = parsing->cli;
	const struct report *lines = cli->options.lines;
	const struct report *taking = lines ? lines : cli->report;
	bool has_gate = is_given(parsing, KEY_GATE) || is_given(parsing, KEY_FAIL_ON);

	if (is_given(parsing, KEY_GATE) &&
	    !(cli->report->takes & (TAKES_GATE | TAKES_ARCHIVE)))
		cli_refuse("%s has no gate: --gate METRIC=AMOUNT is for compare",
			   cli->report->name);
	for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
		if (parsing->given[i] && !cli_option_is_taken(i, taking))
			cli_refuse("%s takes no --%s", taking->name, cli_option_name(i));
	if (cli->renderer->needs_findings && !(cli->report->takes & TAKES_FINDINGS))
		cli_refuse("--format %s shows findings: use it with bottlenecks",
			   cli->renderer->name);
	if (cli->renderer->needs_checks &&
	    !(has_gate &&
	      (cli->report->takes & (TAKES_GATE | TAKES_GROWTH | TAKES_ARCHIVE))))
		cli_refuse("--format %s shows the checks of a gate: use it with compare "
			   "and --gate or --fail-on",
			   cli->renderer->name);
	if (is_given(parsing, KEY_SOURCE) && !cli->renderer->is_page)
		cli_refuse("--source shows lines in a page: use it with --format html");
	if (cli->options.raw && cli->options.thread)
		cli_refuse("--raw and --thread do not go together: raw times are not "
			   "kept by thread");
}

void cli_parse(int argc, char **argv, struct request *ret)
{
	struct argp_option options[CLI_OPTION_COUNT + 1] = {0};
	struct argp argp = {
		.options = options, .parser = parse_option, .args_doc = "[COMMAND] DB"};
	struct parsing parsing = {.cli = ret};

	*ret = (struct request){
		.renderer = renderer_registry[0],
		.options = {.limit = -1, .min_share = -1, .width = CLI_WIDTH_USUAL}};
	cli_options_fill(NULL, options);
	cli_mark_sides(argc, argv);
	options_parse(&argp, argc, argv, 0, &parsing);
	if (parsing.wants_version) {
		puts("prof-analyze (profshim) " PROFSHIM_VERSION);
		exit(STATUS_OK);
	}
	if (parsing.wants_help) {
		show_help(parsing.count ? cli_find_report(parsing.arguments[0]) : NULL);
		exit(STATUS_OK);
	}
	/* --list-rules needs no run, so the command may be left out */
	if (parsing.count == 0 && is_given(&parsing, KEY_LIST_RULES))
		ret->report = cli_find_report("bottlenecks");
	else if (parsing.count == 0)
		cli_refuse("which database? For example: prof-analyze run.db");
	else
		cli_assign(parsing.arguments, parsing.count, ret);
	if (parsing.count)
		cli_choose_exporter(ret);
	check_options(&parsing);
	ret->options.machine = ret->renderer->for_machines || ret->renderer->needs_checks;
	ret->options.page = ret->renderer->is_page;
}
