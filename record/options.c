/* SPDX-License-Identifier: MIT */
/* prof-record's option table, help and checks. Must not touch the environment. */
#include "record/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/segment.h"
#include "record/say.h"
#include "record/words.h"

#define DEFAULT_WAIT_S 30
#define LONGEST_WAIT_S 86400
#define LARGEST_DEPTH 256
#define LARGEST_MAX_PATHS (1ul << 30)
#define LONGEST_LABEL (sizeof(((struct segment_run *)NULL)->label) - 1)
#define MOST_RUNS 1000
#define DEFAULT_REPEAT 10 /* of --against: fewer than 4 a side cannot tell anything */

static const char help[] =
	"Usage: prof-record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"Runs PROGRAM and records its calls, times and allocations into one file.\n"
	"Calls are recorded of code compiled with -finstrument-functions, allocations\n"
	"of any code.\n"
	"\n"
	"  -o, --output FILE     where to record; a run is added if it exists (run.db)\n"
	"  -l, --label LABEL     a name for the run, for prof-analyze --run LABEL\n"
	"      --stack-depth N   frames of code without hooks for each allocation (64)\n"
	"      --max-paths N     call paths to keep apart per process (1048576)\n"
	"      --follow WHICH    record child processes too: all (default) or none\n"
	"      --level LEVEL     exact (default), or off to run without recording\n"
	"      --wait SECONDS    how long to wait for the file to be written (30)\n"
	"      --report[=FORMAT] show the report when the program has ended, on "
	"standard\n"
	"                        error: text (default), md or json\n"
	"      --report-file F   write the report to the file F instead\n"
	"  -q, --quiet           no summary and no notes, only errors\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"A series of runs, for prof-analyze compare:\n"
	"      --repeat N        record N runs (10 with --against)\n"
	"      --against COMMAND record N runs of COMMAND too, in turns with PROGRAM\n"
	"      --against-label L label of its runs (before; those of PROGRAM: after)\n"
	"      --warmup K        first run each side K times without recording (0)\n"
	"      --input FILE      standard input of every run (/dev/null)\n"
	"      --show-output     do not discard what the runs write to standard output\n"
	"      --ignore-failure  go on after a run that fails\n"
	"      --append          add to runs that bear these labels already\n"
	"\n"
	"COMMAND is the side to compare with, PROGRAM the one that was changed. COMMAND\n"
	"is split into words as by a shell, but no shell runs it. Odd rounds run before\n"
	"and then after, even rounds after and then before, so that a machine that gets\n"
	"slower meets both alike. A run that fails ends the series and is kept under "
	"the\n"
	"label \"before (failed)\", one that Ctrl-C cuts short as \"before "
	"(interrupted)\".\n"
	"\n"
	"Ends with the exit status of PROGRAM, or with the signal that ended it; a\n"
	"series with 0, with the status of the run that failed, or with the signal that\n"
	"ended it (130 after Ctrl-C, in a shell); 127 if it was not found, 126 if it\n"
	"cannot be executed, 2 for wrong usage, 1 if the file cannot be written.\n"
	"Signals sent to prof-record are passed on to PROGRAM.\n"
	"\n"
	"Example:\n"
	"  gcc -O2 -g -finstrument-functions -o app app.c\n"
	"  prof-record -o before.db --label before ./app --size 10\n"
	"  prof-analyze before.db\n"
	"  prof-record --repeat 10 --against './app-old --size 10' -- ./app --size 10\n";

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
	OPTION_WARMUP,
	OPTION_INPUT,
	OPTION_SHOW_OUTPUT,
	OPTION_IGNORE_FAILURE,
	OPTION_APPEND,
	OPTION_VERSION
};

static const struct option options[] = {
	{"output", required_argument, NULL, 'o'},
	{"label", required_argument, NULL, 'l'},
	{"stack-depth", required_argument, NULL, OPTION_STACK_DEPTH},
	{"max-paths", required_argument, NULL, OPTION_MAX_PATHS},
	{"follow", required_argument, NULL, OPTION_FOLLOW},
	{"level", required_argument, NULL, OPTION_LEVEL},
	{"wait", required_argument, NULL, OPTION_WAIT},
	{"report", optional_argument, NULL, OPTION_REPORT},
	{"report-file", required_argument, NULL, OPTION_REPORT_FILE},
	{"repeat", required_argument, NULL, OPTION_REPEAT},
	{"against", required_argument, NULL, OPTION_AGAINST},
	{"against-label", required_argument, NULL, OPTION_AGAINST_LABEL},
	{"warmup", required_argument, NULL, OPTION_WARMUP},
	{"input", required_argument, NULL, OPTION_INPUT},
	{"show-output", no_argument, NULL, OPTION_SHOW_OUTPUT},
	{"ignore-failure", no_argument, NULL, OPTION_IGNORE_FAILURE},
	{"append", no_argument, NULL, OPTION_APPEND},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

static bool read_number(const char *name, const char *text, unsigned long low,
			unsigned long high, unsigned long *ret)
{
	char *end;

	errno = 0;
	*ret = strtoul(text, &end, 10);
	if (!errno && end != text && !*end && !strchr(text, '-') && *ret >= low &&
	    *ret <= high)
		return true;
	record_say("%s takes a number from %lu to %lu, not \"%s\"", name, low, high,
		   text);
	return false;
}

static bool check_word(const char *name, const char *text, const char *first,
		       const char *second)
{
	if (strcmp(text, first) == 0 || strcmp(text, second) == 0)
		return true;
	record_say("%s takes %s or %s, not \"%s\"", name, first, second, text);
	return false;
}

static bool check_report(const char *format)
{
	if (strcmp(format, "text") == 0 || strcmp(format, "md") == 0 ||
	    strcmp(format, "json") == 0)
		return true;
	record_say("--report takes text, md or json, not \"%s\"", format);
	return false;
}

static bool read_against(const char *text, struct record_options *ret)
{
	char error[256] = "out of memory";

	free(ret->against);
	if (record_words(text, &ret->against, error, sizeof(error)) == 0)
		return true;
	record_say("cannot use --against \"%s\": %s", text, error);
	return false;
}

/* Takes one option of a series. */
static bool take_series_option(int option, const char *value, struct record_options *ret)
{
	unsigned long number = 0;
	bool is_right = true;

	switch (option) {
	case OPTION_REPEAT:
		is_right = read_number("--repeat", value, 1, MOST_RUNS, &number);
		ret->repeat = (unsigned int)number;
		break;
	case OPTION_AGAINST:
		is_right = read_against(value, ret);
		break;
	case OPTION_AGAINST_LABEL:
		ret->against_label = value;
		break;
	case OPTION_WARMUP:
		is_right = read_number("--warmup", value, 0, MOST_RUNS, &number);
		ret->warmup = (unsigned int)number;
		break;
	case OPTION_INPUT:
		ret->input = value;
		break;
	case OPTION_SHOW_OUTPUT:
		ret->show_output = true;
		break;
	case OPTION_IGNORE_FAILURE:
		ret->ignore_failure = true;
		break;
	case OPTION_APPEND:
		ret->append = true;
		break;
	default: /* refuse_option() has told what is wrong */
		is_right = false;
	}
	return is_right;
}

/* Takes one option's value; false: wrong, and said so. */
static bool take_option(int option, const char *value, struct record_options *ret)
{
	unsigned long number;

	switch (option) {
	case 'o':
		ret->output = value;
		if (!*value)
			record_say("--output takes the name of a file");
		return *value;
	case 'l':
		ret->label = value;
		return true;
	case OPTION_STACK_DEPTH:
		ret->stack_depth = value;
		return read_number("--stack-depth", value, 1, LARGEST_DEPTH, &number);
	case OPTION_MAX_PATHS:
		ret->max_paths = value;
		return read_number("--max-paths", value, 1, LARGEST_MAX_PATHS, &number);
	case OPTION_FOLLOW:
		ret->follow = value;
		return check_word("--follow", value, "all", "none");
	case OPTION_LEVEL:
		ret->level = value;
		return check_word("--level", value, "exact", "off");
	case OPTION_WAIT:
		if (!read_number("--wait", value, 0, LONGEST_WAIT_S, &number))
			return false;
		ret->wait_s = (unsigned int)number;
		return true;
	case OPTION_REPORT:
		ret->report = value ? value : "text";
		return check_report(ret->report);
	case OPTION_REPORT_FILE:
		ret->report_file = value;
		return true;
	case 'q':
		ret->quiet = true;
		return true;
	default:
		return take_series_option(option, value, ret);
	}
}

/* A label by which prof-analyze finds the runs again, and no run by its number. */
static bool check_label(const char *label)
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
		record_say("the label \"%s\" %s; choose another", label, wrong);
	return !wrong;
}

/* An option that was given without the one that it belongs to; NULL: none. */
static const char *stray_option(const struct record_options *given)
{
	if (given->against_label && !given->against)
		return "--against-label needs --against";
	if (given->repeat)
		return NULL;
	if (given->warmup)
		return "--warmup needs --repeat or --against";
	if (given->input)
		return "--input needs --repeat or --against";
	if (given->show_output)
		return "--show-output needs --repeat or --against";
	if (given->ignore_failure)
		return "--ignore-failure needs --repeat or --against";
	if (given->append)
		return "--append needs --repeat or --against";
	return NULL;
}

/* Fills in the defaults of a series and checks that its parts fit together. */
static bool complete_series(struct record_options *given)
{
	const char *level = given->level ? given->level : getenv("PROFSHIM_LEVEL");
	const char *label = getenv("PROFSHIM_LABEL");
	const char *stray;

	if (given->against && !given->repeat)
		given->repeat = DEFAULT_REPEAT;
	stray = stray_option(given);
	if (!stray && given->repeat && given->report)
		stray = "a series has no report of its own; see prof-analyze compare";
	if (!stray && given->repeat && level && strcmp(level, "off") == 0)
		stray = "the level off records nothing that could be compared";
	if (stray)
		record_say("%s", stray);
	if (stray || !given->repeat)
		return !stray;
	if (!given->label && label && *label)
		given->label = label;
	if (given->label && !check_label(given->label))
		return false;
	if (!given->against)
		return true;
	given->label = given->label ? given->label : "after";
	if (!given->against_label)
		given->against_label = "before";
	if (!check_label(given->against_label))
		return false;
	if (strcmp(given->label, given->against_label) != 0)
		return true;
	record_say("both sides have the label \"%s\"; choose two with --label and "
		   "--against-label",
		   given->label);
	return false;
}

/* getopt_long() would show the word as it is. word: the one it looked at last. */
static void refuse_option(int answer, const char *word)
{
	if (answer == ':')
		record_say("'%s' needs a value", word);
	else if (strncmp(word, "--", 2) == 0)
		record_say(
			"'%s' is no option of prof-record, or not the whole of one, or "
			"takes no value",
			word);
	else
		record_say("'-%c' is no option of prof-record",
			   optopt > ' ' && optopt < 0x7f ? optopt : '?');
}

bool record_options_read(int argc, char **argv, struct record_options *ret,
			 int *ret_status)
{
	const char *output = getenv("PROFSHIM_OUTPUT");
	int option;

	*ret = (struct record_options){.wait_s = DEFAULT_WAIT_S};
	ret->output = output && *output ? output : "run.db";
	*ret_status = EXIT_SUCCESS;
	/* "+": options after the program's name are the program's; ":": complaints are
	 * ours
	 */
	while ((option = getopt_long(argc, argv, "+:o:l:qh", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			goto out;
		}
		if (option == OPTION_VERSION) {
			puts("prof-record " PROFSHIM_VERSION);
			goto out;
		}
		if (option == '?' || option == ':')
			refuse_option(option, argv[optind - 1]);
		if (!take_option(option, optarg, ret))
			goto wrong;
	}
	ret->command = argv + optind;
	if (ret->report_file && !ret->report)
		ret->report = "text";
	if (ret->command[0] && complete_series(ret))
		return true;
	if (!ret->command[0])
		record_say("no program to run was given");
wrong:
	fputs("Try: prof-record --help\n", stderr);
	*ret_status = RECORD_USAGE;
out:
	free(ret->against);
	ret->against = NULL;
	return false;
}
