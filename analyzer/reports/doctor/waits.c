/* SPDX-License-Identifier: MIT */
/* What told, in the processes of the run, that a thread had lost its CPU. */
#include "analyzer/reports/doctor/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "doctor.sql.h"

/* In the order in which they are told. */
static const struct way {
	const char *name, *text; /* the column, and how they were seen */
} ways[] = {
	{"rseq", "by restartable sequences in "},
	{"perf", "by perf events in "},
	{"unseen", "not at all in "},
	{"off", "not looked for (PROFSHIM_WAITS=off) in "},
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void add_ways(struct doc *doc, const int64_t *counts)
{
	struct strbuf text = {0};
	const char *between = "";

	strbuf_puts(&text, "Switches of threads were seen ");
	for (size_t i = 0; i < WAYS; i++) {
		if (!counts[i])
			continue;
		strbuf_puts(&text, between);
		strbuf_puts(&text, ways[i].text);
		units_count(&text, counts[i]);
		strbuf_puts(&text, counts[i] == 1 ? " process" : " processes");
		between = ", ";
	}
	strbuf_putc(&text, '.');
	doc_note(doc, "switches", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

enum exit_status doctor_waits(struct report_input *input, struct doc *doc)
{
	struct cursor *cursor = report_query(input, doctor_sql_switches);

	while (cursor_next(cursor) > 0) {
		int64_t counts[WAYS], all = 0;

		for (size_t i = 0; i < WAYS; i++)
			all += counts[i] = cursor_integer(cursor, ways[i].name);
		if (all)
			add_ways(doc, counts);
	}
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}
