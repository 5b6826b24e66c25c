/* SPDX-License-Identifier: MIT */
/*
 * Assigns the words that are no options: command, databases, arguments. Must not know
 * what a report does: its struct report says what it takes.
 */
#include "analyzer/cli/words.h"

#include "common/base/command.h"
#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const struct report report_top;
extern const struct report report_mcp;
extern const struct report report_push;
extern const struct report report_fleet;

static const struct report *const live_commands[] = {&report_top, &report_push,
						     &report_fleet, &report_mcp};

#define LIVE_COUNT (sizeof(live_commands) / sizeof(live_commands[0]))

size_t cli_command_count(void)
{
	return report_registry_count + LIVE_COUNT;
}

const struct report *cli_command(size_t index)
{
	return index < report_registry_count
		       ? report_registry[index]
		       : live_commands[index - report_registry_count];
}

void cli_refuse(const char *format, ...)
{
	struct strbuf clean = {0};
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		abort(); /* no memory */
	va_end(arguments);
	utf8_clean(&clean, text);
	strbuf_printf(&clean, "\nTry '%s --help'.", program_invocation_short_name);
	command_fail_lines(STATUS_USAGE, strbuf_text(&clean));
}

/* Not "--" itself, which would end the options. */
char cli_side_mark[] = "\1--";

const struct report *cli_find_report(const char *name)
{
	for (size_t i = 0; i < cli_command_count(); i++)
		if (strcmp(cli_command(i)->name, name) == 0)
			return cli_command(i);
	return NULL;
}

bool cli_writes_one_format(const struct report *report)
{
	return report->takes & TAKES_FLAME;
}

bool cli_names_format(const struct report *report)
{
	return cli_writes_one_format(report) && !report->format;
}

static const struct exporter *find_exporter(const char *name, bool is_picture)
{
	for (size_t i = 0; i < exporter_registry_count; i++)
		if (exporter_registry[i]->is_picture == is_picture &&
		    strcmp(exporter_registry[i]->name, name) == 0)
			return exporter_registry[i];
	return NULL;
}

static bool is_format_of_reports(const char *name)
{
	return strcmp(name, "json") == 0 || strcmp(name, "csv") == 0;
}

void cli_choose_exporter(struct request *cli)
{
	struct strbuf names = {0};

	if (!cli_writes_one_format(cli->report))
		return;
	if (cli->report->format) {
		cli->exporter = find_exporter(cli->report->format, true);
		return;
	}
	cli->exporter =
		find_exporter(strcmp(cli->options.argument, "perfetto") == 0
				      ? "chrome" /* which it reads, see its file */
				      : cli->options.argument,
			      false);
	for (size_t i = 0; report_exports[i]; i++)
		if (strcmp(report_exports[i]->name, cli->options.argument) == 0) {
			cli->options.lines = report_exports[i];
			cli->exporter = &exporter_lines;
			return;
		}
	if (cli->exporter) {
		cli->options.profile = cli->exporter->takes_profile;
		cli->options.timeline = cli->exporter->takes_timeline;
		return;
	}
	if (is_format_of_reports(cli->options.argument))
		cli_refuse("%s: the call paths in %s are those of the command tree: "
			   "prof-analyze tree %s --format %s",
			   cli->report->name, cli->options.argument, cli->database,
			   cli->options.argument);
	for (size_t i = 0; i < exporter_registry_count; i++)
		if (!exporter_registry[i]->is_picture)
			strbuf_printf(&names, "%s%s", names.size ? ", " : "",
				      exporter_registry[i]->name);
	for (size_t i = 0; report_exports[i]; i++)
		strbuf_printf(&names, ", %s", report_exports[i]->name);
	cli_refuse("%s: there is no format '%s'; there are: %s", cli->report->name,
		   cli->options.argument, strbuf_text(&names));
}

static bool is_file(const char *name)
{
	struct stat status;

	return stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

static bool ends_in_db(const char *name)
{
	size_t size = strlen(name);

	return size > 3 && strcmp(name + size - 3, ".db") == 0;
}

static bool looks_like_database(const char *name)
{
	return is_file(name) || ends_in_db(name);
}

/* Whether a first word is neither command nor file: probably a mistyped command. */
static bool is_mistyped_command(const char *word)
{
	struct stat status;

	return !strpbrk(word, "./") && stat(word, &status) < 0;
}

static _Noreturn void unknown_command(const char *word)
{
	const char **names = xcalloc(cli_command_count(), sizeof(*names));
	const char *nearest;

	for (size_t i = 0; i < cli_command_count(); i++)
		names[i] = cli_command(i)->name;
	nearest = nearest_word(word, names, cli_command_count());
	cli_refuse("'%s' is neither a command nor a file%s%s%s", word,
		   nearest ? "; did you mean '" : "", nearest ? nearest : "",
		   nearest ? "'?" : "");
}

static void assign_sides(char *const *arguments, size_t count, struct request *ret)
{
	bool has_mark = false;

	ret->databases = xcalloc(count + 1, sizeof(*ret->databases));
	if (count && (ret->report->takes & TAKES_MANY)) {
		ret->options.argument = *arguments++;
		count--;
	}
	for (size_t i = 0; i < count; i++) {
		if (arguments[i] == cli_side_mark) {
			has_mark = true;
			ret->before_databases = ret->database_count;
		} else {
			ret->databases[ret->database_count++] = arguments[i];
		}
	}
	ret->database = ret->databases[0];
	if (!ret->database_count)
		cli_refuse("%s needs %sa database, such as: %s", ret->report->name,
			   ret->report->takes & TAKES_MANY ? "a URL and " : "",
			   ret->report->example);
	if (has_mark &&
	    (!ret->before_databases || ret->before_databases == ret->database_count))
		cli_refuse("%s needs a database on both sides of --", ret->report->name);
}

void cli_mark_sides(int argc, char **argv)
{
	bool has_sides = false;

	for (int i = 1; i < argc; i++) {
		const struct report *report = cli_find_report(argv[i]);

		if (strcmp(argv[i], "--") == 0) {
			if (has_sides)
				argv[i] = cli_side_mark;
			return;
		}
		has_sides |= report && (report->takes & TAKES_SIDES);
	}
}

/* A verb, an archive and the files for it. */
static void assign_files(char *const *arguments, size_t count, struct request *ret)
{
	struct report_options *options = &ret->options;

	if (count < 2)
		cli_refuse("%s needs %s %s, such as: %s", ret->report->name,
			   ret->report->argument, ret->report->other_argument,
			   ret->report->example);
	options->argument = arguments[0];
	options->archive = arguments[1];
	ret->databases = xcalloc(count, sizeof(*ret->databases));
	for (size_t i = 2; i < count; i++)
		ret->databases[ret->database_count++] = arguments[i];
	options->files = ret->databases;
	options->file_count = ret->database_count;
}

static bool takes_only_words(const struct report *report)
{
	return report->takes & TAKES_ONLY_WORDS;
}

/* "one database", "one database and one FUNC", "one database, A and B"; owned by
 * caller. */
static char *wanted_words(const struct report *report, const char *article)
{
	const char *word = report->argument, *other = report->other_argument;

	if (takes_only_words(report))
		return other ? xasprintf("%s %s and %s %s", article, word, article, other)
			     : xasprintf("%s %s", article, word);
	if (other)
		return xasprintf("%s database, %s and %s", article, word, other);
	return word ? xasprintf("%s database and %s%s", article,
				strcmp(article, "one") == 0 ? "one " : "", word)
		    : xasprintf("%s database", article);
}

/* The database may be anywhere: it is the first word that looks like one, else the first
 * word. */
static void assign_words(char *const *arguments, size_t count, struct request *ret)
{
	const char **words[] = {&ret->options.argument, &ret->options.other_argument};
	size_t database = 0, word = 0;

	if (takes_only_words(ret->report)) {
		ret->options.argument = count > 0 ? arguments[0] : NULL;
		ret->options.other_argument = count > 1 ? arguments[1] : NULL;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (looks_like_database(arguments[i])) {
			database = i;
			break;
		}
	ret->database = arguments[database];
	for (size_t i = 0; i < count; i++)
		if (i != database)
			*words[word++] = arguments[i];
}

void cli_assign(char *const *arguments, size_t count, struct request *ret)
{
	const struct report *report = count ? cli_find_report(arguments[0]) : NULL;
	size_t wanted, least;

	if (!report && count && is_mistyped_command(arguments[0]))
		unknown_command(arguments[0]);
	arguments += report != NULL;
	count -= report != NULL;
	ret->report = report = report ? report : cli_find_report("report");
	if (report->takes & (TAKES_SIDES | TAKES_MANY)) {
		assign_sides(arguments, count, ret);
		return;
	}
	if (report->takes & TAKES_FILES) {
		assign_files(arguments, count, ret);
		return;
	}
	least = !takes_only_words(report);
	wanted = least + (report->argument != NULL) + (report->other_argument != NULL);
	if (count > wanted)
		cli_refuse("%s takes %s; '%s' is one too many", report->name,
			   wanted_words(report, "one"), arguments[wanted]);
	if (count == 0 && (report->takes & TAKES_NO_DATABASE) &&
	    !takes_only_words(report))
		return;
	if (count < (report->takes & TAKES_MAYBE ? least : wanted))
		cli_refuse("%s needs %s, such as: %s", report->name,
			   wanted_words(report, "a"), report->example);
	assign_words(arguments, count, ret);
}
