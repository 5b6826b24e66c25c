/* SPDX-License-Identifier: MIT */
/* prof-record's option table, help and checks. Must not touch the environment. */
#include "record/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "common/duration.h"
#include "common/segment.h"
#include "collector/symbols/library.h"
#include "common/selection.h"
#include "record/words.h"

#define DEFAULT_WAIT_S 30
#define LONGEST_WAIT_S 86400
#define LARGEST_DEPTH 256
#define LARGEST_MAX_PATHS (1ul << 30)
#define LONGEST_LABEL (sizeof(((struct segment_run *)NULL)->label) - 1)
#define MOST_RUNS 1000
#define DEFAULT_REPEAT 10 /* for --against: fewer than 4 a side cannot show anything */
#define DEFAULT_SWEEPS 3  /* for --sweep: all sizes tell of noise together */

static const char about[] =
	"Runs PROGRAM and records its calls, times and allocations into one file. Calls "
	"are recorded of code compiled with -finstrument-functions, allocations of any "
	"code.\v"
	"COMMAND is the side to compare with, PROGRAM the one that was changed. COMMAND "
	"is split into words as by a shell, but no shell runs it. Odd rounds run before, "
	"then after, even rounds after, then before, so that a machine that slows down "
	"affects both alike. A run that fails ends the series and is kept under the "
	"label \"before (failed)\", one that Ctrl-C cuts short as \"before "
	"(interrupted)\". With --sweep rounds go forth and back over the grid, and a run "
	"that fails is kept under the label \"(failed)\" and counts no more.\n\n"
	"Ends with the exit status of PROGRAM, or with the signal that ended it; a "
	"series with 0, with the status of the run that failed, or with the signal that "
	"ended it (130 after Ctrl-C, in a shell); 127 if it was not found, 126 if it "
	"cannot be executed, 2 for wrong usage, 1 if the file cannot be written. "
	"Signals sent to prof-record are passed on to PROGRAM.\n\n"
	"Example:\n"
	"  gcc -O2 -g -finstrument-functions -o app app.c\n"
	"  prof-record -o before.db --label before ./app --size 10\n"
	"  prof-analyze before.db\n"
	"  prof-record --repeat 10 --against './app-old --size 10' -- ./app --size 10\n"
	"  prof-record --sweep n=1000,2000,4000,8000 -- ./app --size {n}";

enum {
	OPTION_STACK_DEPTH = 256,
	OPTION_MAX_PATHS,
	OPTION_FOLLOW,
	OPTION_LEVEL,
	OPTION_WAIT,
	OPTION_REPORT,
	OPTION_REPORT_FILE,
	OPTION_REPEAT,
	OPTION_AGAINST,
	OPTION_AGAINST_LABEL,
	OPTION_PLAIN,
	OPTION_WARMUP,
	OPTION_INPUT,
	OPTION_SHOW_OUTPUT,
	OPTION_IGNORE_FAILURE,
	OPTION_APPEND,
	OPTION_VERSION,
	OPTION_USAGE,
	OPTION_OVERHEAD,
	OPTION_ONLY,
	OPTION_SKIP,
	OPTION_LIBRARY,
	OPTION_FROM,
	OPTION_UNTIL,
	OPTION_WHILE_STEP,
	OPTION_WHY,
	OPTION_SPANS,
	OPTION_SWEEP,
};

#define LEAST_OVERHEAD 0.1
#define LARGEST_OVERHEAD 1000

enum { OF_A_RUN = 1, OF_A_SERIES, OF_THE_PROGRAM = -1 };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "where to record; a run is added if it exists (run.db)", OF_A_RUN},
	{"label", 'l', "LABEL", 0, "name the run, for prof-analyze --run LABEL",
	 OF_A_RUN},
	{"stack-depth", OPTION_STACK_DEPTH, "N", 0,
	 "frames of code without hooks for each allocation (64)", OF_A_RUN},
	{"max-paths", OPTION_MAX_PATHS, "N", 0,
	 "call paths to keep apart per process (1048576)", OF_A_RUN},
	{"follow", OPTION_FOLLOW, "WHICH", 0,
	 "record child processes too: all (default) or none", OF_A_RUN},
	{"level", OPTION_LEVEL, "LEVEL", 0,
	 "full (default), detailed or basic: at most 10, 5 or 1 per cent overhead; "
	 "exact: "
	 "every call timed; or off to run without recording",
	 OF_A_RUN},
	{"overhead", OPTION_OVERHEAD, "PERCENT", 0,
	 "CPU time that recording may add to the program's own", OF_A_RUN},
	{"only", OPTION_ONLY, "RULES", 0,
	 "record these functions only: names or patterns, namespace:, module: or file:, "
	 "separated by commas",
	 OF_A_RUN},
	{"skip", OPTION_SKIP, "RULES", 0, "leave these out, as if they had no hooks",
	 OF_A_RUN},
	{"library", OPTION_LIBRARY, "REGEX", 0,
	 "count these functions, source files and objects as library: their allocations "
	 "are their caller's; !REGEX: do not; the last match decides",
	 OF_A_RUN},
	{"from", OPTION_FROM, "FUNCTION[:N]", 0,
	 "record calls of FUNCTION only, from the N-th on (1), and what is inside",
	 OF_A_RUN},
	{"until", OPTION_UNTIL, "FUNCTION", 0, "record until FUNCTION is called",
	 OF_A_RUN},
	{"while-step", OPTION_WHILE_STEP, "NAME", 0,
	 "record from a mark of the step NAME to one of another step", OF_A_RUN},
	{"why", OPTION_WHY, "LIST", 0,
	 "keep the slowest calls of these functions and steps, for prof-analyze why; "
	 "auto: of those that are slow now and then (auto)",
	 OF_A_RUN},
	{"spans", OPTION_SPANS, "TIME", 0,
	 "keep each call and step at least this long, such as 100us, for prof-analyze "
	 "timeline; off: none (auto: 10us)",
	 OF_A_RUN},
	{"wait", OPTION_WAIT, "SECONDS", 0,
	 "how long to wait for the file to be written (30)", OF_A_RUN},
	{"report", OPTION_REPORT, "FORMAT", OPTION_ARG_OPTIONAL,
	 "show the report when the program has ended, on standard error: text (default), "
	 "md or json",
	 OF_A_RUN},
	{"report-file", OPTION_REPORT_FILE, "FILE", 0,
	 "write the report to the file FILE instead", OF_A_RUN},
	{"quiet", 'q', NULL, 0, "no summary and no notes, only errors", OF_A_RUN},
	{NULL, 0, NULL, 0, "A series of runs, for prof-analyze compare:", OF_A_SERIES},
	{"repeat", OPTION_REPEAT, "N", 0,
	 "record N runs (10 with --against, 3 with --sweep)", OF_A_SERIES},
	{"against", OPTION_AGAINST, "COMMAND", 0,
	 "record N runs of COMMAND too, in turns with PROGRAM", OF_A_SERIES},
	{"against-label", OPTION_AGAINST_LABEL, "LABEL", 0,
	 "label of its runs (before; those of PROGRAM: after)", OF_A_SERIES},
	{"plain", OPTION_PLAIN, "BUILD", 0,
	 "record BUILD too, the same program without hooks, with the same arguments: the "
	 "report of PROGRAM has its times; N times in turns (1)",
	 OF_A_SERIES},
	{"sweep", OPTION_SWEEP, "NAME=VALUE,...", 0,
	 "record a run for each value, which stands for {NAME} in PROGRAM's arguments, "
	 "for "
	 "prof-analyze scaling; given again: a grid; N times in turns (3)",
	 OF_A_SERIES},
	{"warmup", OPTION_WARMUP, "K", 0,
	 "first run each side K times without recording (0)", OF_A_SERIES},
	{"input", OPTION_INPUT, "FILE", 0, "standard input of every run (/dev/null)",
	 OF_A_SERIES},
	{"show-output", OPTION_SHOW_OUTPUT, NULL, 0,
	 "do not discard what the runs write to standard output", OF_A_SERIES},
	{"ignore-failure", OPTION_IGNORE_FAILURE, NULL, 0, "go on after a run that fails",
	 OF_A_SERIES},
	{"append", OPTION_APPEND, NULL, 0, "add to runs that bear these labels already",
	 OF_A_SERIES},
	{"help", 'h', NULL, 0, "show this help", OF_THE_PROGRAM},
	{"version", OPTION_VERSION, NULL, 0, "show the version", OF_THE_PROGRAM},
	/* argp's own messages name it. */
	{"usage", OPTION_USAGE, NULL, OPTION_HIDDEN, NULL, OF_THE_PROGRAM},
	{0},
};

static unsigned int read_number(struct argp_state *state, const char *name,
				const char *text, long least, long most)
{
	long number;

	if (!options_number(text, least, most, &number))
		options_refuse(state, "%s takes a number from %ld to %ld, not \"%s\"",
			       name, least, most, text);
	return (unsigned int)number;
}

/* Checks that text is one of the words, which end with NULL. */
static const char *read_word(struct argp_state *state, const char *name, const char *text,
			     const char *const *words, const char *listed)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return text;
	options_refuse(state, "%s takes %s, not \"%s\"", name, listed, text);
	return NULL;
}

/* Checks a list of rules (common/selection.h). */
static const char *read_rules(struct argp_state *state, const char *name,
			      const char *text)
{
	struct selection selection;
	const char *wrong =
		*text ? selection_read(&selection, text, NULL) : "there is no rule";

	if (wrong)
		options_refuse(state, "%s does not take \"%s\": %s", name, text, wrong);
	return text;
}

static const char *read_spans(struct argp_state *state, const char *text)
{
	uint64_t floor_ns;

	if (strcmp(text, "auto") && strcmp(text, "off") &&
	    !duration_read(text, SEGMENT_SPAN_FLOOR_LIMIT_NS, &floor_ns))
		options_refuse(state,
			       "--spans takes auto, off or a time up to a day, such as "
			       "100us or 2ms, not \"%s\"",
			       text);
	return text;
}

/* Appends a rule to those given before. */
static char *add_library(struct argp_state *state, char *rules, const char *rule)
{
	const char *reason =
		strchr(rule, '\n') ? "it has two lines" : library_refuse(rule);
	char *all = rules ? xasprintf("%s\n%s", rules, rule) : xstrdup(rule);

	if (!reason && strlen(all) >= SEGMENT_RULES_MAX)
		reason = "it is too long";
	if (reason)
		options_refuse(state, "cannot use --library \"%s\": %s", rule, reason);
	return all;
}

static void add_sweep(struct argp_state *state, struct sweep *sweep, const char *text)
{
	const char *wrong = sweep_add(sweep, text);

	if (wrong)
		options_refuse(state, "cannot use --sweep \"%s\": %s", text, wrong);
}

static char **read_against(struct argp_state *state, const char *text)
{
	char error[256] = "out of memory", **words = NULL;

	if (record_words(text, &words, error, sizeof(error)) < 0)
		options_refuse(state, "cannot use --against \"%s\": %s", text, error);
	return words;
}

/* Checks a label: prof-analyze must not take it for a run's number. */
static void check_label(struct argp_state *state, const char *label)
{
	const char *wrong = NULL;

	if (!*label)
		wrong = "is empty";
	else if (strlen(label) > LONGEST_LABEL)
		wrong = "is too long";
	else if (!label[strspn(label, "0123456789")])
		wrong = "would be taken for the number of a run";
	else if (strchr(label, ','))
		wrong = "has a comma, which separates labels";
	if (wrong)
		options_refuse(state, "the label \"%s\" %s; choose another", label,
			       wrong);
}

/* An option given without the one that it belongs to; NULL: none. */
static const char *stray_option(const struct record_options *given)
{
	if (given->against_label && !given->against)
		return "--against-label";
	if (given->repeat)
		return NULL;
	return given->warmup	       ? "--warmup"
	       : given->input	       ? "--input"
	       : given->show_output    ? "--show-output"
	       : given->ignore_failure ? "--ignore-failure"
	       : given->append	       ? "--append"
				       : NULL;
}

/* The command of the build without hooks, with the program's arguments. */
static char **plain_command(const struct record_options *given)
{
	size_t count = 0;
	char **words;

	while (given->command[count])
		count++;
	words = xcalloc(count + 1, sizeof(*words));
	memcpy(words, given->command, count * sizeof(*words));
	words[0] = given->plain;
	return words;
}

static void complete_plain(struct argp_state *state, struct record_options *given)
{
	if (!given->plain)
		return;
	if (given->against || given->against_label)
		options_refuse(state, "--plain is about one program, --against about "
				      "two; give one of them");
	if (!*given->plain)
		options_refuse(state, "--plain takes the program's build without hooks");
	if (!given->repeat)
		given->repeat = 1;
	given->against = plain_command(given);
	given->against_label = "plain";
}

static void complete_sweep(struct argp_state *state, struct record_options *given)
{
	size_t points = sweep_points(&given->sweep);
	const char *wrong;

	if (!given->sweep.count)
		return;
	if (given->against || given->plain)
		options_refuse(state, "--sweep varies one program; --against and --plain "
				      "are about two");
	if (!given->repeat)
		given->repeat = DEFAULT_SWEEPS;
	if (points > MOST_RUNS || points * given->repeat > MOST_RUNS)
		options_refuse(state, "the grid of --sweep has more than %d runs",
			       MOST_RUNS);
	wrong = sweep_check(&given->sweep, given->command, given->input);
	if (wrong)
		options_refuse(state, "--sweep: %s", wrong);
}

/* Fills in the defaults of a series and checks that its parts fit together. */
static void complete_series(struct argp_state *state, struct record_options *given)
{
	const char *level = given->level ? given->level : getenv("PROFSHIM_LEVEL");
	const char *label = getenv("PROFSHIM_LABEL");
	const char *stray;

	complete_sweep(state, given);
	complete_plain(state, given);
	if (given->against && !given->repeat)
		given->repeat = DEFAULT_REPEAT;
	stray = stray_option(given);
	if (stray && given->against_label)
		options_refuse(state, "%s needs --against", stray);
	if (stray)
		options_refuse(state, "%s needs --repeat, --against, --plain or --sweep",
			       stray);
	if (!given->repeat)
		return;
	if (given->report)
		options_refuse(state, "a series has no report of its own; see "
				      "prof-analyze compare");
	if (level && strcmp(level, "off") == 0)
		options_refuse(state, "the level off records nothing that could be "
				      "compared");
	if (!given->label && label && *label)
		given->label = label;
	if (given->label)
		check_label(state, given->label);
	if (!given->against || given->plain)
		return;
	given->label = given->label ? given->label : "after";
	if (!given->against_label)
		given->against_label = "before";
	check_label(state, given->against_label);
	if (strcmp(given->label, given->against_label) == 0)
		options_refuse(state,
			       "both sides have the label \"%s\"; choose two with "
			       "--label and --against-label",
			       given->label);
}

/* Options of which the text, or only the fact, is kept. */
static const struct {
	int key;
	size_t text_at, flag_at; /* in struct record_options; one of them is 0 */
} kept[] = {
	{'l', offsetof(struct record_options, label), 0},
	{OPTION_STACK_DEPTH, offsetof(struct record_options, stack_depth), 0},
	{OPTION_MAX_PATHS, offsetof(struct record_options, max_paths), 0},
	{OPTION_FROM, offsetof(struct record_options, from), 0},
	{OPTION_UNTIL, offsetof(struct record_options, until), 0},
	{OPTION_WHILE_STEP, offsetof(struct record_options, while_step), 0},
	{OPTION_WHY, offsetof(struct record_options, why), 0},
	{OPTION_REPORT_FILE, offsetof(struct record_options, report_file), 0},
	{OPTION_AGAINST_LABEL, offsetof(struct record_options, against_label), 0},
	{OPTION_PLAIN, offsetof(struct record_options, plain), 0},
	{OPTION_INPUT, offsetof(struct record_options, input), 0},
	{'q', 0, offsetof(struct record_options, quiet)},
	{OPTION_SHOW_OUTPUT, 0, offsetof(struct record_options, show_output)},
	{OPTION_IGNORE_FAILURE, 0, offsetof(struct record_options, ignore_failure)},
	{OPTION_APPEND, 0, offsetof(struct record_options, append)},
};

/* Takes such an option. */
static error_t keep(int key, char *value, struct record_options *ret)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		char *at = (char *)ret + (kept[i].text_at | kept[i].flag_at);

		if (kept[i].key != key)
			continue;
		if (kept[i].text_at)
			memcpy(at, &value, sizeof(value));
		else
			*(bool *)at = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Takes an option whose value is checked. */
static error_t take_option(int key, char *value, struct argp_state *state)
{
	static const char *const follow[] = {"all", "none", NULL},
				 *const level[] = {"exact", "full", "detailed",
						   "basic", "off",  NULL},
				 *const report[] = {"text", "md", "json", NULL};
	struct record_options *ret = state->input;
	char *end;

	switch (key) {
	case 'o':
		ret->output = value;
		if (!*value)
			options_refuse(state, "--output takes the name of a file");
		break;
	case OPTION_STACK_DEPTH:
		read_number(state, "--stack-depth", value, 1, LARGEST_DEPTH);
		return keep(key, value, ret);
	case OPTION_MAX_PATHS:
		read_number(state, "--max-paths", value, 1, LARGEST_MAX_PATHS);
		return keep(key, value, ret);
	case OPTION_FOLLOW:
		ret->follow = read_word(state, "--follow", value, follow, "all or none");
		break;
	case OPTION_LEVEL:
		ret->level = read_word(state, "--level", value, level,
				       "exact, full, detailed, basic or off");
		break;
	case OPTION_OVERHEAD:
		ret->overhead = value;
		if (!(strtod(value, &end) >= LEAST_OVERHEAD) || *end ||
		    !(strtod(value, NULL) <= LARGEST_OVERHEAD))
			options_refuse(state, "--overhead takes a number from 0.1 to "
					      "1000, of per cent");
		break;
	case OPTION_ONLY:
		ret->only = read_rules(state, "--only", value);
		break;
	case OPTION_SKIP:
		ret->skip = read_rules(state, "--skip", value);
		break;
	case OPTION_LIBRARY:
		ret->library = add_library(state, ret->library, value);
		break;
	case OPTION_SPANS:
		ret->spans = read_spans(state, value);
		break;
	case OPTION_WAIT:
		ret->wait_s = read_number(state, "--wait", value, 0, LONGEST_WAIT_S);
		break;
	case OPTION_REPORT:
		ret->report = read_word(state, "--report", value ? value : "text", report,
					"text, md or json");
		break;
	case OPTION_REPEAT:
		ret->repeat = read_number(state, "--repeat", value, 1, MOST_RUNS);
		break;
	case OPTION_AGAINST:
		ret->against = read_against(state, value);
		break;
	case OPTION_SWEEP:
		add_sweep(state, &ret->sweep, value);
		break;
	case OPTION_WARMUP:
		ret->warmup = read_number(state, "--warmup", value, 0, MOST_RUNS);
		break;
	default:
		return keep(key, value, ret);
	}
	return 0;
}

static error_t take(int key, char *value, struct argp_state *state)
{
	struct record_options *ret = state->input;

	switch (key) {
	case 'h':
	case OPTION_USAGE:
		options_help(state->root_argp, program_invocation_short_name);
		exit(EXIT_SUCCESS);
	case OPTION_VERSION:
		puts("prof-record " PROFSHIM_VERSION);
		exit(EXIT_SUCCESS);
	case ARGP_KEY_ARG: /* the rest belongs to the program */
		ret->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (ret->report_file && !ret->report)
			ret->report = "text";
		if (!ret->command)
			options_refuse(state, "no program to run was given");
		complete_series(state, ret);
		return 0;
	default:
		return take_option(key, value, state);
	}
}

void record_options_read(int argc, char **argv, struct record_options *ret)
{
	static const struct argp argp = {
		.options = options,
		.parser = take,
		.args_doc = "[--] PROGRAM [ARGUMENT...]",
		.doc = about,
	};
	const char *output = getenv("PROFSHIM_OUTPUT");

	*ret = (struct record_options){.wait_s = DEFAULT_WAIT_S};
	ret->output = output && *output ? output : "run.db";
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, ret);
}
