/* SPDX-License-Identifier: MIT */
/*
 * How functions were recorded, when not call by call, and what the budget says to it.
 * Must not show what was recorded call by call all the time.
 */
#include "analyzer/reports/trust/trust.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "trust.sql.h"

static const struct column columns[] = {
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"counted_calls", "counted", COLUMN_COUNT, COLUMN_KEEP},
	{"recording", "timed", COLUMN_TEXT, COLUMN_KEEP},
	{"least", "at least", COLUMN_TEXT, COLUMN_MACHINE},
	{"reason", "why", COLUMN_TEXT, COLUMN_KEEP},
	{"since_ns", "since", COLUMN_NSEC, COLUMN_KEEP},
	{"changes", "changes", COLUMN_COUNT, 0},
	{"site_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"early_site_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"pid", "PID", COLUMN_ID, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static void note_budget(struct doc *doc, const struct run_facts *facts)
{
	const struct hooks *hooks = &facts->hooks;
	struct hooks_cost all = hooks_total(hooks), counting = hooks_counting(hooks);
	double own_ns = trust_own_ns(facts);
	bool is_exceeded = trust_is_over_budget(facts, all);
	struct strbuf text = {0};

	if (!hooks->has_budget)
		return;
	strbuf_printf(&text,
		      "The budget was %g %% of the CPU time without hooks; recording ",
		      hooks->budget_percent);
	strbuf_puts(&text, is_exceeded ? "took about " : "took, as far as is known, ");
	units_percent(&text, units_share(all.ns, own_ns));
	if (trust_is_over_budget(facts, counting)) {
		strbuf_puts(&text, ", counting alone ");
		units_percent(&text, units_share(counting.ns, own_ns));
	}
	strbuf_putc(&text, '.');
	doc_note(doc, "budget", is_exceeded ? NOTE_WARNING : NOTE_PLAIN,
		 strbuf_text(&text),
		 is_exceeded
			 ? "'prof-analyze exclude-list' prints flags for the next build "
			   "without what is called most; PROFSHIM_SKIP leaves it out "
			   "of the next run."
			 : NULL);
	strbuf_free(&text);
}

enum exit_status trust_add_recordings(struct report_input *input, struct doc *doc,
				      const struct run_facts *facts, size_t limit)
{
	struct table *table = report_table(input, trust_sql_recordings, columns,
					   sizeof(columns) / sizeof(columns[0]));
	struct section *section;
	bool is_empty;

	if (!table)
		return STATUS_FAILED;
	is_empty = table->row_count == 0;
	section = report_add_table(doc, "recordings", "Functions not timed call by call",
				   table, limit, "function", "counted_calls",
				   "the counted calls");
	section->flags = is_empty ? SECTION_MACHINE : 0;
	note_budget(doc, facts);
	return STATUS_OK;
}
