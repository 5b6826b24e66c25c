/* SPDX-License-Identifier: MIT */
/*
 * `prof-analyze import`: stores another program's profile as a run, and says what of it
 * is there now and what is not.
 */
#include "common/base/utf8.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "collector/imports/import.h"

#include <errno.h>

static void add_sentence(struct doc *doc, const char *name, enum note_level level,
			 struct strbuf *text)
{
	doc_note(doc, name, level, strbuf_text(text), NULL);
	strbuf_reset(text);
}

static void put_counted(struct strbuf *text, uint64_t count, const char *noun)
{
	units_counted(text, (int64_t)count, noun);
}

static void add_stored(struct doc *doc, const char *output,
		       const struct import_told *told)
{
	struct strbuf text = {0};

	put_counted(&text, told->stack_count, "stack");
	strbuf_puts(&text, " of ");
	put_counted(&text, told->function_count, "function");
	strbuf_puts(&text, ", ");
	put_counted(&text, told->path_count, "call path");
	strbuf_printf(&text, ": run %lld of ", (long long)told->run_id);
	utf8_clean(&text, output);
	strbuf_putc(&text, '.');
	add_sentence(doc, "imported", NOTE_GOOD, &text);
	strbuf_free(&text);
}

static void add_missing(struct doc *doc, const struct import_told *told)
{
	struct strbuf text = {0};

	if (told->is_sampled) {
		strbuf_puts(&text, "Samples, not counts: how often functions were called "
				   "is not known, and times carry the error of chance.");
		add_sentence(doc, "sampled", NOTE_PLAIN, &text);
	}
	if (told->ignored_types[0]) {
		strbuf_puts(&text, "Left out, for there is no place for it: ");
		utf8_clean(&text, told->ignored_types);
		strbuf_putc(&text, '.');
		add_sentence(doc, "types_left_out", NOTE_WARNING, &text);
	}
	if (told->label_count) {
		put_counted(&text, told->label_count, "label");
		strbuf_puts(&text, " of samples left out.");
		add_sentence(doc, "labels_left_out", NOTE_PLAIN, &text);
	}
	if (told->folded_count) {
		put_counted(&text, told->folded_count, "frame");
		strbuf_puts(&text, " beyond two million call paths: added to the nearest "
				   "caller.");
		add_sentence(doc, "folded", NOTE_WARNING, &text);
	}
	strbuf_free(&text);
}

static void add_values(struct doc *doc, const struct import_told *told)
{
	struct section *section = doc_values(doc, "import", NULL);

	section->flags = SECTION_MACHINE;
	doc_add(section, "run_id", NULL, COLUMN_ANY, cell_integer(told->run_id));
	doc_add(section, "stack_count", NULL, COLUMN_COUNT,
		cell_integer((int64_t)told->stack_count));
	doc_add(section, "function_count", NULL, COLUMN_COUNT,
		cell_integer((int64_t)told->function_count));
	doc_add(section, "path_count", NULL, COLUMN_COUNT,
		cell_integer((int64_t)told->path_count));
	doc_add(section, "label_count", NULL, COLUMN_COUNT,
		cell_integer((int64_t)told->label_count));
	doc_add(section, "folded_count", NULL, COLUMN_COUNT,
		cell_integer((int64_t)told->folded_count));
	doc_add(section, "sampled", NULL, COLUMN_FLAG, cell_integer(told->is_sampled));
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	const struct report_options *options = input->options;
	struct import_request request = {.format = options->argument,
					 .input = options->other_argument,
					 .output = options->output,
					 .label = options->label,
					 .unit = options->unit};
	struct import_told told;
	char error[1024] = "";
	int result;

	if (!options->output)
		return report_fail(input, STATUS_USAGE,
				   "import needs the database that the run goes into: "
				   "-o run.db");
	result = import_profile(&request, &told, error, sizeof(error));
	if (result < 0)
		return report_fail(input,
				   result == -EINVAL ? STATUS_USAGE : STATUS_FAILED, "%s",
				   error);
	add_values(doc, &told);
	add_stored(doc, options->output, &told);
	add_missing(doc, &told);
	return STATUS_OK;
}

const struct report report_import = {
	.name = "import",
	.argument = "FORMAT",
	.other_argument = "FILE",
	.summary = "another program's profile, stored as a run",
	.description =
		"Stores a profile that another program wrote as a run of the database "
		"that --output names, which is made when it is not there. FORMAT is "
		"folded (perf script | stackcollapse-perf.pl, inferno, py-spy; --unit "
		"says what the numbers are) or pprof (gzipped or not). FILE - is the "
		"standard input.\n\n"
		"What such a profile does not tell is not known of the run: how often "
		"functions were called, waits, single calls. Times of samples carry the "
		"error of chance.",
	.example = "prof-analyze import pprof cpu.pb.gz -o run.db",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS | TAKES_IMPORT,
	.build = build,
};
