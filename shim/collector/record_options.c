/* SPDX-License-Identifier: MIT */
/*
 * What this is:  prof-record's option table, help and checks.
 * Runs on:       prof-record.
 * Must not:      touch the environment.
 * See also:      record_options.h; shim/boot/config.c, which reads the same settings
 */
#include "shim/collector/record_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WAIT_S 30
#define LONGEST_WAIT_S 86400
#define LARGEST_DEPTH 256
#define LARGEST_MAX_PATHS (1ul << 30)

static const char help[] =
	"Usage: prof-record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"Runs PROGRAM and records its calls, times and allocations into one file.\n"
	"Calls are recorded of code compiled with -finstrument-functions, allocations\n"
	"of any code.\n"
	"\n"
	"  -o, --output FILE     where to record; a run is added if it exists (run.db)\n"
	"  -l, --label LABEL     a name for the run, for prof-analyze --run LABEL\n"
	"      --stack-depth N   frames of code without hooks to keep per allocation "
	"(64)\n"
	"      --max-paths N     call paths to keep apart per thread (1048576)\n"
	"      --follow WHICH    record child processes too: all (default) or none\n"
	"      --level LEVEL     exact (default), or off to run without recording\n"
	"      --wait SECONDS    how long to wait for the file to be written (30)\n"
	"  -q, --quiet           no summary and no notes, only errors\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"Ends with the exit status of PROGRAM, or with the signal that ended it;\n"
	"127 if it was not found, 126 if it cannot be executed, 2 for wrong usage,\n"
	"1 if the file cannot be written.\n"
	"\n"
	"Example:\n"
	"  gcc -O2 -g -finstrument-functions -o app app.c\n"
	"  prof-record -o before.db --label before ./app --size 10\n"
	"  prof-analyze before.db\n";

enum {
	OPTION_STACK_DEPTH = 256,
	OPTION_MAX_PATHS,
	OPTION_FOLLOW,
	OPTION_LEVEL,
	OPTION_WAIT,
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
	fprintf(stderr, "prof-record: %s takes a number from %lu to %lu, not \"%s\"\n",
		name, low, high, text);
	return false;
}

static bool check_word(const char *name, const char *text, const char *first,
		       const char *second)
{
	if (strcmp(text, first) == 0 || strcmp(text, second) == 0)
		return true;
	fprintf(stderr, "prof-record: %s takes %s or %s, not \"%s\"\n", name, first,
		second, text);
	return false;
}

/* Takes one option's value; false: wrong, and said so. */
static bool take_option(int option, const char *value, struct record_options *ret)
{
	unsigned long number;

	switch (option) {
	case 'o':
		ret->output = value;
		if (!*value)
			fputs("prof-record: --output takes the name of a file\n", stderr);
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
	case 'q':
		ret->quiet = true;
		return true;
	default: /* getopt_long() has told what is wrong */
		return false;
	}
}

bool record_options_read(int argc, char **argv, struct record_options *ret,
			 int *ret_status)
{
	static char own_name[] = "prof-record";
	const char *output = getenv("PROFSHIM_OUTPUT");
	int option;

	*ret = (struct record_options){.wait_s = DEFAULT_WAIT_S};
	ret->output = output && *output ? output : "run.db";
	*ret_status = EXIT_SUCCESS;
	if (argc > 0)
		argv[0] = own_name; /* for what getopt_long() prints */
	/* "+": options after the program's name are the program's */
	while ((option = getopt_long(argc, argv, "+o:l:qh", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return false;
		}
		if (option == OPTION_VERSION) {
			puts("prof-record " PROFSHIM_VERSION);
			return false;
		}
		if (!take_option(option, optarg, ret))
			goto wrong;
	}
	ret->command = argv + optind;
	if (ret->command[0])
		return true;
	fputs("prof-record: no program to run was given\n", stderr);
wrong:
	fputs("Try: prof-record --help\n", stderr);
	*ret_status = RECORD_USAGE;
	return false;
}
