/* SPDX-License-Identifier: MIT */
/*
 * prof-analyze: command line, database, report, format, exit status. Runs on: a person's
 * or a script's behalf; one thread. Must not know single reports or formats.
 */
#include "analyzer/cli/cli.h"

#include "common/attributes.h"
#include "common/base/command.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/cli/options.h"
#include "analyzer/cli/words.h"
#include "analyzer/archive/archive.h"
#include "analyzer/mcp/mcp.h"
#include "analyzer/names/name_pool.h"
#include "analyzer/reports/open.h"
#include "analyzer/rundb/limits.h"
#include "analyzer/rundb/select.h"
#include "analyzer/rundb/takeover.h"
#include "analyzer/tree/calltree.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

OWN_PROGRAM_MARK;

_Static_assert(CLI_OPTION_COUNT < MCP_OPTIONS_MOST, "all options and an end");

#define WIDTH_USUAL 80
#define WIDTH_LEAST 40	 /* text */
#define PICTURE_LEAST 20 /* what is drawn, so that it is not broken */
#define WIDTH_MOST 400
#define TOLD_AFTER_MS 1000

/* Output failed; errno has the reason. */
static _Noreturn void fail_output(const struct request *cli)
{
	command_fail(STATUS_FAILED, "%s: cannot be written: %s",
		     cli->output ? cli->output : "output", strerror(errno));
}

/* Progress of a wait, shown only if it takes long. */
struct waiting {
	bool visible;
	const char *told;
};

static void say(void *context, const char *sentence)
{
	(void)context;
	command_say("%s", sentence);
}

/* Without a terminal a long wait is told once. */
static void progress_line(struct waiting *waiting, const char *what, unsigned waited_ms)
{
	if (!what || waited_ms < TOLD_AFTER_MS || waiting->told == what)
		return;
	waiting->told = what;
	command_say("%s", what);
}

static void progress(void *context, const char *what, unsigned waited_ms)
{
	struct waiting *waiting = context;
	bool *visible = &waiting->visible;

	if (!isatty(STDERR_FILENO))
		progress_line(waiting, what, waited_ms);
	else if (what)
		fprintf(stderr, "\r\033[K%s... %u.%u s", what, waited_ms / 1000,
			waited_ms / 100 % 10);
	else if (*visible)
		fputs("\r\033[K", stderr);
	*visible = what && isatty(STDERR_FILENO);
}

static size_t terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = columns ? strtol(columns, NULL, 10) : 0;

	if (width <= 0 && isatty(STDOUT_FILENO) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width <= 0)
		width = WIDTH_USUAL;
	return (size_t)(width < PICTURE_LEAST ? PICTURE_LEAST
			: width > WIDTH_MOST  ? WIDTH_MOST
					      : width);
}

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;

	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino &&
	       one.st_dev == other.st_dev;
}

/* Opens --output. Refuses to overwrite the database itself. */
static FILE *open_output(const struct request *cli)
{
	const char *diff = cli->options.diff;
	bool is_input = (cli->database && is_same_file(cli->output, cli->database)) ||
			(diff && is_same_file(cli->output, diff));
	FILE *out;

	for (size_t i = 0; i < cli->database_count; i++)
		is_input |= is_same_file(cli->output, cli->databases[i]);
	if (is_input)
		command_fail(STATUS_USAGE, "--output is the database itself");
	out = fopen(cli->output, "we");
	if (!out)
		fail_output(cli);
	return out;
}

/* For formats without notes: prints warnings about the numbers to stderr. */
static void tell_warnings(const struct doc *doc)
{
	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (section->kind == SECTION_NOTE && section->level == NOTE_WARNING &&
		    !(section->flags & SECTION_MACHINE))
			command_say("%s", section->text);
	}
}

static void show(const struct request *cli, struct doc *doc)
{
	size_t picture_width = terminal_width();
	struct render_context context = {
		.out = stdout,
		.width = picture_width < WIDTH_LEAST ? WIDTH_LEAST : picture_width,
		.picture_width = picture_width,
		.color = !cli->output && wants_color(),
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
	int failed;

	if (cli->exporter && cli->exporter->is_binary && !cli->output &&
	    isatty(STDOUT_FILENO))
		command_fail(STATUS_USAGE, "this format is not for a terminal; write it "
					   "to a file with -o");
	if (cli->output)
		context.out = open_output(cli);
	if (cli->exporter && !cli->exporter->is_picture)
		tell_warnings(doc);
	if (cli->exporter)
		cli->exporter->write(
			doc, &(struct export_context){context.out, cli->options.width});
	else
		render_document(cli->renderer, doc, &context);
	failed = ferror(context.out);
	if (fclose(context.out) != 0 || failed)
		fail_output(cli);
}

static void show_inlined(struct report_input *input, struct rundb *db)
{
	if (input->options->inlined && db)
		rundb_show_inlined(db);
}

/* The runs of a comparison that an archive is to give: all that its sides name. */
static struct rundb *take_sides(const struct request *cli, const char *path)
{
	const char *before = cli->options.before, *after = cli->options.after;

	return archive_take(path,
			    before && after ? xasprintf("%s,%s", before, after)
			    : before	    ? before
					    : after,
			    before || after);
}

static struct rundb *open_one(const struct request *cli, const char *path,
			      bool want_latest, struct takeover_talk *talk)
{
	struct waiting waiting = {0};
	struct strbuf error = {0};
	uint64_t takes = cli->report->takes;
	struct rundb *db = NULL;
	int result;

	talk->context = &waiting;
	if ((takes & TAKES_ARCHIVE) && path == cli->database)
		result = rundb_open_archive(path, &db, &error);
	else if (rundb_is_archive(path) && (takes & TAKES_SIDES))
		return take_sides(cli, path);
	else if (rundb_is_archive(path) && (takes & TAKES_RUN))
		return archive_take(path, cli->run, false);
	else
		result = cli->as_is ? rundb_open(path, &db, &error)
				    : takeover_open(path, want_latest, talk, &db, &error);
	if (result < 0)
		command_fail_lines(STATUS_FAILED, strbuf_text(&error));
	return db;
}

static struct rundb *open_asked(struct report_input *input, const char *path)
{
	const struct request *cli = input->request;
	struct takeover_talk talk = {
		.say = say, .progress = progress, .no_wait = cli->no_wait};

	return open_one(cli, path, false, &talk);
}

static void open_database(const struct request *cli, struct report_input *input)
{
	struct takeover_talk talk = {
		.say = say, .progress = progress, .no_wait = cli->no_wait};
	uint64_t takes = cli->report->takes;

	if (!cli->database)
		return;
	if (cli->no_limits)
		limits_set(&(struct limits){0});
	if (takes & (TAKES_SIDES | TAKES_MANY)) {
		input->databases =
			xcalloc(cli->database_count, sizeof(*input->databases));
		input->database_count = cli->database_count;
		input->before_databases = cli->before_databases;
		for (size_t i = 0; i < cli->database_count; i++) {
			input->databases[i] =
				open_one(cli, cli->databases[i], false, &talk);
			show_inlined(input, input->databases[i]);
		}
		return;
	}
	if (cli->options.diff) {
		input->diff_db = open_one(cli, cli->options.diff, false, &talk);
		show_inlined(input, input->diff_db);
	}
	talk.run = takes & TAKES_RUN ? cli->run : NULL;
	input->db = open_one(cli, cli->database, (takes & TAKES_RUN) && !cli->run, &talk);
	show_inlined(input, input->db);
	if (!(takes & TAKES_RUN) ||
	    select_run(input->db, rundb_is_archive(cli->database) ? NULL : cli->run,
		       &input->run_id, &input->error) == 0)
		return;
	if (!(takes & TAKES_EMPTY) || cli->run)
		command_fail_lines(STATUS_FAILED, strbuf_text(&input->error));
	strbuf_reset(&input->error);
}

/* Runs a command that shows its own output, always on stdout. */
static enum exit_status serve(const struct request *cli, struct report_input *input)
{
	FILE *out = cli->output ? open_output(cli) : NULL;

	if (out && dup2(fileno(out), STDOUT_FILENO) < 0)
		fail_output(cli);
	if (out)
		fclose(out);
	return cli->report->serve(input);
}

static enum exit_status run(const struct request *cli, struct report_input *input)
{
	const struct report_options *options = &cli->options;
	enum exit_status status;
	struct doc doc;

	filter_init(&input->filter, options->focus, options->ignore);
	if (cli->report->serve) {
		command_free_memory();
		return serve(cli, input);
	}
	open_database(cli, input);
	doc_init(&doc, cli->report->name);
	status = report_build(cli->report, input, &doc);
	if (status == STATUS_OK || status == STATUS_NOTHING ||
	    status == STATUS_REGRESSION)
		show(cli, &doc);
	return status;
}

/* Runs a command line with stdout and stderr; ends the program if it is wrong. as_is:
 * files are opened as they are, and spools beside them left alone. */
static int cli_run(int argc, char **argv, bool as_is)
{
	struct report_input input = {0};
	enum exit_status status;
	struct request cli;

	command_keep_memory();
	cli_parse(argc, argv, &cli);
	cli.as_is = as_is;
	input.options = &cli.options;
	input.open = open_asked;
	input.request = &cli;
	status = run(&cli, &input);
	if (input.error.size)
		command_fail_lines(status, strbuf_text(&input.error));
	return status;
}

int main(int argc, char **argv)
{
	static const struct mcp_commands commands = {cli_command_count, cli_command,
						     cli_find_report, cli_options_fill,
						     cli_run};

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	mcp_commands = &commands;
	return cli_run(argc, argv, false);
}
