/* SPDX-License-Identifier: MIT */
/*
 * What is worth fixing, worst first. Must not print; look for anything itself: rules do.
 */
#include "analyzer/reports/bottlenecks/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/trust/facts.h"

#include "found.sql.h"

#define PEOPLE_FINDINGS 10

/* Says how many were left out, and on one page what the codes at the ends of lines
 * mean. */
static void add_footer(struct doc *doc, struct section *section, bool has_codes)
{
	const struct findings *findings = section->findings;
	bool is_brief = section->flags & SECTION_BRIEF;
	ended_by(strbuf_free) struct strbuf text = {0};

	if (section->shown_count < findings->count) {
		units_count(&text, (int64_t)section->shown_count);
		strbuf_puts(&text, " of ");
		units_counted(&text, (int64_t)findings->count, "finding");
		strbuf_puts(&text, is_brief ? " shown; " : " shown; --limit 0 shows all");
	}
	if (is_brief && has_codes && section->shown_count)
		strbuf_printf(&text, "%s: the rule, see ", findings->list[0].rule->id);
	if (is_brief && (text.size || section->shown_count < findings->count))
		strbuf_puts(&text, "'prof-analyze bottlenecks'");
	section->footer = text.size ? doc_copy(doc, strbuf_text(&text)) : NULL;
}

static enum severity least_of(const struct report_input *input)
{
	return input->options->limit >= 0 || input->options->machine ? SEVERITY_INFO
								     : SEVERITY_LOW;
}

/* How many findings --fail-on counts. */
static size_t count_failing(const struct report_input *input,
			    const struct findings *findings)
{
	enum severity severity = SEVERITY_HIGH;
	size_t count = 0;

	if (!input->options->fail_on)
		return 0;
	severity_parse(input->options->fail_on, &severity);
	for (size_t i = 0; i < findings->count; i++)
		count += findings->list[i].severity >= severity;
	return count;
}

static void keep_counts(struct report_input *input, const struct bottlenecks *bottlenecks,
			size_t shown, size_t failing)
{
	const struct findings *findings = &bottlenecks->findings;
	struct rundb_insert *found = rundb_fill(input->db, "found", found_sql_found);

	rundb_insert_row(
		found,
		(struct cell[]){
			cell_integer((int64_t)findings->count),
			cell_integer((int64_t)shown),
			cell_integer((int64_t)bottlenecks->left_out_count),
			cell_text(bottlenecks->unjudged),
			cell_text(input->options->fail_on),
			cell_integer((int64_t)failing),
			cell_integer(findings->count ? findings->list[0].severity : 0),
		});
	rundb_insert_end(found);
}

enum exit_status bottlenecks_add_findings(struct report_input *input, struct doc *doc,
					  struct bottlenecks *bottlenecks, size_t limit,
					  unsigned flags)
{
	struct findings *findings = &bottlenecks->findings;
	size_t count = findings->count, shown = 0;
	size_t failing = count_failing(input, findings);
	struct section *section;

	while (shown < (limit ? limit : count) && shown < count &&
	       findings->list[shown].severity >= least_of(input))
		shown++;
	keep_counts(input, bottlenecks, shown, failing);
	section = doc_findings(doc, "findings", "Findings, worst first", findings, shown);
	section->flags = flags | (shown ? 0 : SECTION_MACHINE);
	add_footer(doc, section, !input->options->page);
	engine_add_brief(&report_found, input, doc, 0);
	return failing ? STATUS_REGRESSION : STATUS_OK;
}

void bottlenecks_judge(struct report_input *input, struct doc *doc)
{
	struct bottlenecks bottlenecks = {0};

	run_facts_load(input);
	bottlenecks_run(input, doc, &bottlenecks);
	keep_counts(input, &bottlenecks, 0, 0);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	const char *word = input->options->fail_on;
	unsigned flags = SECTION_MAIN | (input->options->show_sql ? SECTION_SQL : 0) |
			 (word ? SECTION_GATE : 0);
	struct bottlenecks bottlenecks = {0};
	enum exit_status status;
	enum severity severity;

	if (word && severity_parse(word, &severity) < 0)
		command_fail(STATUS_USAGE,
			     "--fail-on: '%s' is no severity; there are info, low, "
			     "medium, high and critical",
			     word);
	if (input->options->list_rules) {
		bottlenecks_list_rules(input, doc);
		return STATUS_OK;
	}
	if (!input->db)
		command_fail(STATUS_USAGE, "bottlenecks needs a database, such as: %s",
			     report_bottlenecks.example);
	report_open(input, doc);
	if (run_facts_empty(&input->facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	bottlenecks_run(input, doc, &bottlenecks);
	status = bottlenecks_add_findings(input, doc, &bottlenecks,
					  report_limit(input, PEOPLE_FINDINGS), flags);
	engine_run(&report_found_rules, input, doc);
	if (bottlenecks.findings.count)
		engine_run(&report_counted, input, doc);
	return status;
}

const struct report report_bottlenecks = {
	.name = "bottlenecks",
	.summary = "what is worth fixing, worst first",
	.description =
		"Rules applied to the run. Each finding says what is wrong, what to try "
		"(most useful first), the most a fix could save, the call path, the "
		"evidence with the limit that was crossed, and the command that checks a "
		"fix. The score is 100 (1 - e^(-4 I)) times 0.5, 0.75 "
		"or "
		"1 by confidence, where I is the share of the run's time, or of its "
		"peak, "
		"that is at stake, times the rule's limit 'weight'; critical from 63, "
		"high from 33, medium from 11, low "
		"from 3.9. A rule whose data was not recorded is listed as not measured. "
		"Findings that nest on one path are merged into the innermost. --focus "
		"and --ignore look at the function that a finding is about, or at the "
		"name of its steps, --focus also at what was merged into it; --fail-on "
		"judges what they let through. Formats also: sarif.",
	.example = "prof-analyze bottlenecks run.db --fail-on high",
	.takes = TAKES_RUN | TAKES_NO_DATABASE | TAKES_LIMIT | TAKES_RULES |
		 TAKES_INLINED | TAKES_FILTER | TAKES_FINDINGS | TAKES_SUPPRESSIONS,
	.build = build,
};
