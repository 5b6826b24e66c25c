/* SPDX-License-Identifier: MIT */
/*
 * Says why a recording is empty or partial, and what to do about it; for runs
 * sql/parts/examined.sql does. Must not print, or run the program that it examines.
 */
#include "analyzer/reports/doctor/parts.h"

#include "analyzer/reports/bottlenecks/parts.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTS "/var/lib/dpkg/info"

/* The C library's files, by names that have been stable for ten years. */
static bool is_c_library(const char *base)
{
	static const char *const names[] = {
		"libc.so.6",  "libm.so.6",	"libpthread.so.0", "libdl.so.2",
		"librt.so.1", "libresolv.so.2", "libmvec.so.1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(base, names[i]) == 0)
			return true;
	return strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "libnss_", 7) == 0;
}

/* Compares paths; dpkg's lists may say /lib where it is a link to /usr/lib now, or the
 * reverse. */
static bool is_same(const char *line, const char *path)
{
	if (strncmp(line, "/usr/", 5) == 0)
		line += 4;
	if (strncmp(path, "/usr/", 5) == 0)
		path += 4;
	return strcmp(line, path) == 0;
}

static bool lists_file(const char *list, const char *path)
{
	FILE *file = fopen(list, "re");
	bool found = false;
	char line[4096];

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = is_same(line, path);
	}
	if (file)
		fclose(file);
	return found;
}

/* Finds the package from "NAME.list" or "NAME:ARCHITECTURE.list". */
static bool find_in_lists(struct strbuf *ret, const char *path)
{
	DIR *directory = opendir(LISTS);
	struct dirent *entry;
	char list[512];
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || strcmp(end, ".list") != 0)
			continue;
		snprintf(list, sizeof(list), LISTS "/%s", entry->d_name);
		found = lists_file(list, path);
		if (found)
			strbuf_printf(ret, "%.*s-dbgsym",
				      (int)strcspn(entry->d_name, ":."), entry->d_name);
	}
	if (directory)
		closedir(directory);
	return found;
}

/* Finds the package with the debug information of a file. Reads dpkg's lists, as dpkg -S
 * does: 30 ms for 900 packages. False: no package has it. */
static bool find_package(struct strbuf *ret, const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *whole = NULL;

	if (slash && is_c_library(slash + 1)) {
		strbuf_puts(ret, "libc6-dbg");
		return true;
	}
	if (find_in_lists(ret, path))
		return true;
	/* most libraries are opened through a link */
	whole = realpath(path, NULL);
	return whole && strcmp(whole, path) != 0 && find_in_lists(ret, whole);
}

static struct cell package_of(void *context, const struct cell *values)
{
	struct ask *ask = context;

	strbuf_reset(&ask->text);
	if (values[0].kind != CELL_TEXT || !find_package(&ask->text, values[0].text))
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT, .text = strbuf_text(&ask->text)};
}

SECTION_CODE(packages)
{
	(void)doc, (void)rows;
	rundb_function(ask->input->db, "package_of", 1, package_of, ask);
}

SECTION_CODE(executables)
{
	struct rundb_insert *faulty = rundb_insert_begin(ask->input->db, "faulty");

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct cell *path = table_cell(rows, i, "executable");

		if (doctor_program_notes(doc, path->text, true) > 0)
			rundb_insert_row(faulty, path);
	}
	rundb_insert_end(faulty);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	if (!input->db && !input->options->program)
		command_fail(STATUS_USAGE,
			     "doctor needs a database, or --program with a program");
	if (input->options->program)
		doctor_program(input, doc);
	if (!input->db)
		return STATUS_OK;
	bottlenecks_judge(input, doc);
	return engine_build(&report_examined, input, doc);
}

const struct report report_doctor = {
	.name = "doctor",
	.summary = "why a recording is empty or partial, and what to do",
	.description =
		"With a database: explains everything that makes the run incomplete or "
		"inexact, which functions were not timed call by call, what recording "
		"cost, and which rules were skipped. With --program: "
		"tells whether the shim can record "
		"that program (hooks compiled in, dynamic, not setuid, malloc of the C "
		"library), without running it.",
	.example = "prof-analyze doctor --program ./app",
	.takes = TAKES_RUN | TAKES_PROGRAM | TAKES_NO_DATABASE,
	.build = build,
};
