/* SPDX-License-Identifier: MIT */
/*
 * Which files have functions without a name, worst first, and why. Must not blame a file
 * for what is as it should be.
 */
#include "analyzer/reports/doctor/parts.h"

#include "common/base/utf8.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/doctor/package.h"

#include "doctor.sql.h"

#include <string.h>

#define SHOWN_LIMIT 10
#define PACKAGE_LIMIT 4

static const struct reason {
	const char *trouble; /* NULL: none, the file was read */
	const char *text, *advice;
} reasons[] = {
	{NULL, "it is stripped",
	 "Do not strip it before the run has ended, or keep its separate debug file "
	 "where "
	 "elfutils looks (/usr/lib/debug/.build-id)."},
	{"gone", "there was no such file when the run was stored",
	 "Keep it until the run has ended. In a container or chroot the collector must "
	 "see "
	 "it at the same path."},
	{"changed", "another file lay at its path when the run was stored",
	 "Do not build or install it anew before the run has ended."},
	{"unreadable", "it could not be read when the run was stored",
	 "Record as a user who may read it; it may also be damaged."},
	{"unknown", "its path is not known, or it had been deleted and has no build-id",
	 "Link it with a build-id (-Wl,--build-id), and keep it until the run has "
	 "ended."},
	{"limit", "reading it took too long, or failed",
	 "Names of functions are there without debug information, too (strip -g)."},
};

static const struct reason *find_reason(const char *trouble)
{
	for (size_t i = 1; trouble && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reasons[i].trouble, trouble) == 0)
			return &reasons[i];
	return &reasons[0];
}

/* What has been said, and what there was no room for. */
struct tally {
	size_t shown, left_out;
	int64_t left_out_functions, system_functions;
	size_t system_files;
	struct strbuf places;	/* of the system's functions */
	struct strbuf packages; /* with ", " between them */
	size_t package_count;
};

static void add_unnamed(struct doc *doc, const char *path, const char *trouble,
			int64_t count)
{
	const struct reason *reason = find_reason(trouble);
	struct strbuf text = {0}, package = {0}, advice = {0};

	units_counted(&text, count, "function");
	strbuf_puts(&text, count == 1 ? " has no name: " : " have no name: ");
	if (!path) {
		strbuf_puts(&text, "no file is mapped there, as with code that the "
				   "program made itself.");
		doc_note(doc, "no_symbols", NOTE_PLAIN, strbuf_text(&text), NULL);
	} else {
		strbuf_puts(&text, "in ");
		utf8_clean(&text, *path ? path : "a file without a path");
		strbuf_printf(&text, "; %s.", reason->text);
		strbuf_puts(&advice, reason->advice);
		if (reason == &reasons[0] && strncmp(path, "/usr/", 5) == 0 &&
		    doctor_package(&package, path))
			strbuf_printf(&advice, " Its names are in the package %s.",
				      strbuf_text(&package));
		doc_note(doc, "no_symbols", NOTE_PLAIN, strbuf_text(&text),
			 strbuf_text(&advice));
	}
	strbuf_free(&advice);
	strbuf_free(&package);
	strbuf_free(&text);
}

/* A list of words; each once. */
static void add_package(struct tally *tally, const char *path)
{
	struct strbuf name = {0};
	const char *known;

	if (tally->package_count < PACKAGE_LIMIT && doctor_package(&name, path)) {
		known = strstr(strbuf_text(&tally->packages), strbuf_text(&name));
		if (!known) {
			strbuf_printf(&tally->packages, "%s%s",
				      tally->package_count ? ", " : "",
				      strbuf_text(&name));
			tally->package_count++;
		}
	}
	strbuf_free(&name);
}

static void add_system(struct tally *tally, const char *path, int64_t count)
{
	tally->system_functions += count;
	if (tally->system_files++ >= SHOWN_LIMIT)
		return;
	strbuf_puts(&tally->places, tally->system_files > 1 ? ", " : "");
	units_count(&tally->places, count);
	strbuf_puts(&tally->places, " in ");
	utf8_clean(&tally->places, path);
	add_package(tally, path);
}

static void add_file(struct doc *doc, struct cursor *cursor, struct tally *tally)
{
	const char *path = cursor_text(cursor, "path"),
		   *trouble = cursor_text(cursor, "trouble");
	int64_t unnamed = cursor_integer(cursor, "nameless_count"),
		near = cursor_integer(cursor, "near_count");

	if (near)
		add_system(tally, path ? path : "", near);
	if (!unnamed)
		return;
	if (tally->shown >= SHOWN_LIMIT) {
		tally->left_out++;
		tally->left_out_functions += unnamed;
		return;
	}
	tally->shown++;
	add_unnamed(doc, path, trouble, unnamed);
}

static void add_left_out(struct doc *doc, const struct tally *tally)
{
	struct strbuf text = {0};

	if (!tally->left_out)
		return;
	units_counted(&text, tally->left_out_functions, "more function");
	strbuf_puts(&text, " without a name: in ");
	units_counted(&text, (int64_t)tally->left_out, "other file");
	strbuf_putc(&text, '.');
	doc_note(doc, "no_symbols", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static void add_system_note(struct doc *doc, const struct tally *tally)
{
	struct strbuf text = {0}, advice = {0};

	if (!tally->system_functions)
		return;
	units_counted(&text, tally->system_functions, "function");
	strbuf_printf(
		&text,
		" of the system's libraries, which are without symbols, %s named by "
		"an exported function that is near: ",
		tally->system_functions == 1 ? "is" : "are");
	strbuf_puts(&text, strbuf_text(&tally->places));
	strbuf_puts(&text, tally->system_files > SHOWN_LIMIT ? ", and others." : ".");
	strbuf_puts(&advice, "Nothing is wrong: their numbers are exact. ");
	if (tally->package_count)
		strbuf_printf(&advice,
			      "To see their names, install %s (as Debian and Ubuntu call "
			      "%s) and record again.",
			      strbuf_text(&tally->packages),
			      tally->package_count == 1 ? "it" : "them");
	else
		strbuf_puts(&advice, "To see their names, install the debug symbols of "
				     "these libraries and record again.");
	doc_note(doc, "system_functions", NOTE_PLAIN, strbuf_text(&text),
		 strbuf_text(&advice));
	strbuf_free(&advice);
	strbuf_free(&text);
}

enum exit_status doctor_modules(struct report_input *input, struct doc *doc,
				size_t *count)
{
	struct tally tally = {.shown = 0};
	struct cursor *cursor = report_query(input, doctor_sql_modules);

	while (cursor_next(cursor) > 0)
		add_file(doc, cursor, &tally);
	add_left_out(doc, &tally);
	add_system_note(doc, &tally);
	*count += tally.shown;
	strbuf_free(&tally.places);
	strbuf_free(&tally.packages);
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}
