/* SPDX-License-Identifier: MIT */
/*
 * The report exclude-list: functions whose hooks cost more than they tell, and the flags
 * that leave them out of the next build. Must not choose: choose.c does.
 */
#include "analyzer/reports/exclude/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/trust/trust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BY_FUNCTION "-finstrument-functions-exclude-function-list="
#define CLANG "-finstrument-functions-after-inlining"
#define BY_FILE "-finstrument-functions-exclude-file-list="

/* Each word once, and none that has another one in it. */
static bool is_needed(const struct exclusion *exclusion, size_t at, bool of_files)
{
	const struct candidate *list = exclusion->list;
	const char *word = of_files ? list[at].by_file : list[at].word;

	for (size_t i = 0; word && i < exclusion->chosen_count; i++) {
		const char *other = of_files ? list[i].by_file : list[i].word;

		if (i == at || !other || !strstr(word, other))
			continue;
		if (strcmp(word, other) != 0 || i < at)
			return false;
	}
	return word != NULL;
}

/* The flag as a shell takes it; nothing without a word. */
static void put_flag(struct strbuf *flags, const struct exclusion *exclusion,
		     const char *flag, bool of_files)
{
	struct strbuf words = {0};
	bool is_quoted;

	for (size_t i = 0; i < exclusion->chosen_count; i++)
		if (is_needed(exclusion, i, of_files))
			strbuf_printf(&words, "%s%s", words.size ? "," : "",
				      of_files ? exclusion->list[i].by_file
					       : exclusion->list[i].word);
	is_quoted = strpbrk(strbuf_text(&words), "{}<>=!*&|() ~") != NULL;
	if (words.size)
		strbuf_printf(flags, "%s%s%s%s%s", flags->size ? " " : "",
			      is_quoted ? "'" : "", flag, strbuf_text(&words),
			      is_quoted ? "'" : "");
	strbuf_free(&words);
}

static const struct column columns[] = {
	{"saved_ns", "saved", COLUMN_NSEC, COLUMN_KEEP},
	{"saved_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"saved_percent", "of hooks", COLUMN_PERCENT, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"self_ns", "self", COLUMN_NSEC, COLUMN_KEEP},
	{"self_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"by", "by", COLUMN_TEXT, COLUMN_KEEP},
	{"word", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"file", "where", COLUMN_LOCATION, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"reason", NULL, COLUMN_TEXT, COLUMN_MACHINE},
};

static void add_row(struct exclusion *exclusion, struct table *table,
		    const struct candidate *one)
{
	double all_ns = hooks_total(&exclusion->facts->hooks).ns;
	struct cell *row = table_add_row(table);

	row[0] = cell_integer(whole_number(one->saved.ns));
	row[1] = cell_integer(whole_number(one->saved.error_ns));
	row[2] = cell_real(units_share(one->saved.ns, all_ns));
	row[3] = cell_integer(one->calls);
	row[4] = cell_integer(one->self_ns);
	row[5] = cell_integer(one->self_error_ns);
	row[6] = table_text(table, one->word ? "name" : one->by_file ? "file" : "hand");
	row[7] = table_text(table, one->word ? one->word : one->by_file);
	row[8] = table_text(table, one->name);
	row[9] = table_text(table, one->file);
	row[9].line = one->line;
	row[10] = cell_integer(one->function_id);
	row[11] = table_text(table, one->reason);
	if (one->reason)
		table->columns[11].flags = COLUMN_DETAIL;
}

static void add_table(struct exclusion *exclusion)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct strbuf footer = {0};
	struct section *section;

	for (size_t i = 0; i < exclusion->chosen_count; i++) {
		struct candidate *one = &exclusion->list[i];

		exclude_find_word(exclusion, one);
		add_row(exclusion, table, one);
		if (one->reason)
			continue;
		exclusion->calls += (double)one->calls;
		exclusion->saved.ns += one->saved.ns;
		exclusion->saved.error_ns += one->saved.error_ns;
	}
	section = doc_table(exclusion->doc, "functions",
			    "Functions whose hooks cost more than they tell", table);
	section->flags = SECTION_MAIN | (exclusion->chosen_count ? 0 : SECTION_MACHINE);
	section->total_row_count =
		exclusion->chosen_count + (size_t)exclusion->left_out_count;
	if (exclusion->left_out_count > 0) {
		units_count(&footer, (int64_t)exclusion->chosen_count);
		strbuf_puts(&footer, " of ");
		units_counted(&footer, (int64_t)section->total_row_count, "function");
		strbuf_puts(&footer, "; --limit 0 shows all");
		section->footer = doc_copy(exclusion->doc, strbuf_text(&footer));
	}
	strbuf_free(&footer);
}

/* What would be left of the recording's overhead. */
static void add_effect(struct exclusion *exclusion)
{
	double recorded_ns = (double)exclusion->facts->recorded_ns;
	double hooks_ns = hooks_total(&exclusion->facts->hooks).ns;
	double left_ns = fmax(0, hooks_ns - exclusion->saved.ns);
	double after = units_share(left_ns, recorded_ns - exclusion->saved.ns);
	struct section *section = doc_values(exclusion->doc, "effect", NULL);
	struct strbuf text = {0};

	trust_put_percent(&text, run_facts_hooks(exclusion->facts));
	strbuf_puts(&text, " of the recorded time now, about ");
	units_percent(&text, fmin(100, after));
	strbuf_puts(&text, " without these");
	doc_add_human(exclusion->doc, section, "hooks", strbuf_text(&text));
	strbuf_reset(&text);
	units_count(&text, whole_number(exclusion->calls));
	strbuf_puts(&text, " that would not be counted any more, ");
	units_percent(&text,
		      units_share(exclusion->calls, (double)exclusion->facts->calls));
	strbuf_puts(&text, " of all");
	doc_add_human(exclusion->doc, section, "calls", strbuf_text(&text));
	strbuf_free(&text);
	doc_add_machine(section, "calls", COLUMN_COUNT,
			cell_integer(whole_number(exclusion->calls)));
	doc_add_machine(section, "saved_ns", COLUMN_NSEC,
			cell_integer(whole_number(exclusion->saved.ns)));
	doc_add_machine(section, "saved_error_ns", COLUMN_NSEC,
			cell_integer(whole_number(exclusion->saved.error_ns)));
	doc_add_machine(section, "hook_percent", COLUMN_PERCENT,
			cell_real(run_facts_hooks(exclusion->facts).ns));
	doc_add_machine(section, "hook_percent_after", COLUMN_PERCENT,
			cell_real(fmin(100, after)));
}

/* What a script wants. */
static void add_flags(struct exclusion *exclusion)
{
	struct section *section = doc_values(exclusion->doc, "flags", NULL);
	struct strbuf gcc = {0};

	put_flag(&gcc, exclusion, BY_FUNCTION, false);
	put_flag(&gcc, exclusion, BY_FILE, true);
	exclusion->gcc = doc_copy(exclusion->doc, strbuf_text(&gcc));
	section->flags = SECTION_MACHINE;
	doc_add_text(exclusion->doc, section, "gcc", NULL, exclusion->gcc);
	doc_add_text(exclusion->doc, section, "clang", NULL, CLANG);
	strbuf_free(&gcc);
}

static void add_notes(struct exclusion *exclusion)
{
	if (*exclusion->gcc) {
		doc_note(exclusion->doc, "gcc", NOTE_PLAIN,
			 "gcc looks for these words anywhere in names with namespace and "
			 "class; what did not run is not looked at here:",
			 NULL);
		doc_note(exclusion->doc, "gcc_flags", NOTE_PLAIN, exclusion->gcc, NULL)
			->flags = SECTION_VERBATIM;
	}
	doc_note(exclusion->doc, "clang", NOTE_PLAIN,
		 "clang has no such list: in place of -finstrument-functions, " CLANG
		 " leaves out what it inlines; "
		 "__attribute__((no_instrument_function)) leaves out a function, with "
		 "gcc, "
		 "too.",
		 NULL);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	struct exclusion exclusion = {.input = input, .doc = doc, .facts = &facts};
	enum exit_status status;

	if (input->options->program)
		return exclude_program(input, doc);
	if (!input->db)
		return report_fail(input, STATUS_USAGE,
				   "exclude-list needs a database, or --program with a "
				   "program");
	status = report_open(input, doc, &facts);
	if (status)
		return status;
	if (!facts.calls) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	if (exclude_load(&exclusion) < 0) {
		free(exclusion.list);
		return STATUS_FAILED;
	}
	exclude_choose(&exclusion);
	add_table(&exclusion);
	add_flags(&exclusion);
	if (exclusion.chosen_count) {
		add_effect(&exclusion);
		add_notes(&exclusion);
	} else {
		doc_note(doc, "nothing_to_exclude", NOTE_GOOD,
			 "No function is worth leaving out: the hooks of none took a "
			 "share of what all took (--min-share) and as long as it did.",
			 NULL);
	}
	free(exclusion.list);
	return STATUS_OK;
}

const struct report report_exclude_list = {
	.name = "exclude-list",
	.summary = "flags for the next build, without tiny functions",
	.description =
		"With a database: functions whose hooks cost more than they tell: each "
		"call takes less "
		"than "
		"its hooks do, or how long is not known, and all of them --min-share of "
		"what "
		"the hooks took (0.5 %), the most expensive first, --limit of them. Not "
		"those that allocate, nor the one with most self time. For gcc the flags "
		"with their names, or files where "
		"a name would take another function of the run along. Their time is "
		"their "
		"callers' then, and their calls are not counted. With --program: how "
		"that "
		"program was built, from its file (compiler, flags, hooks, how many of "
		"them "
		"are of system headers), and the lines to build it with, of the "
		"compiler, "
		"CMake, Meson and Autotools.",
	.example = "prof-analyze exclude-list run.db --limit 10",
	.takes =
		TAKES_RUN | TAKES_LIMIT | TAKES_SHARE | TAKES_PROGRAM | TAKES_NO_DATABASE,
	.build = build,
};
