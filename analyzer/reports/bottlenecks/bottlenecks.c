/* SPDX-License-Identifier: MIT */
/*
 * What is worth fixing, worst first. Must not print; look for anything itself: rules do.
 */
#include "analyzer/reports/bottlenecks/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#define PEOPLE_FINDINGS 10

static bool are_suppressed(const struct bottlenecks *bottlenecks)
{
	for (size_t i = 0; i < bottlenecks->suppressions.count; i++)
		if (bottlenecks->suppressions.list[i].count)
			return true;
	return false;
}

static void add_filtered(struct doc *doc, const struct bottlenecks *bottlenecks)
{
	struct strbuf text = {0};

	units_counted(&text, (int64_t)bottlenecks->filtered_count, "finding");
	strbuf_printf(&text, " about something else %s left out (--focus, --ignore).",
		      bottlenecks->filtered_count == 1 ? "is" : "are");
	doc_note(doc, "filtered_findings", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

/* Says why there is nothing to show. */
static void add_nothing(struct doc *doc, const struct bottlenecks *bottlenecks)
{
	size_t count = bottlenecks->findings.count;
	struct strbuf text = {0};

	if (count) {
		strbuf_puts(&text, "Nothing found that would be worth a fix; ");
		units_counted(&text, (int64_t)count, "finding");
		strbuf_puts(&text, " of severity info: "
				   "'prof-analyze bottlenecks --limit 0' shows all.");
	} else if (are_suppressed(bottlenecks)) {
		strbuf_puts(&text, "Nothing found that is not suppressed.");
	} else {
		strbuf_puts(&text,
			    "Nothing found: no limit was crossed where there was data.");
	}
	if (bottlenecks->unknown_count && !bottlenecks->unjudged) {
		strbuf_puts(&text, " Rules about time had no data of ");
		units_counted(&text, bottlenecks->unknown_count, "function");
		strbuf_puts(&text, " whose times are not known.");
	}
	doc_note(doc, "no_findings", NOTE_GOOD, strbuf_text(&text), NULL)->flags =
		SECTION_HUMAN;
	strbuf_free(&text);
}

/* Who reads that nothing was found must not take these for fast. */
static void add_unjudged(struct doc *doc, const char *reason)
{
	struct strbuf text = {0};

	strbuf_puts(&text, "Not judged by rules about time: ");
	strbuf_puts(&text, reason);
	strbuf_puts(&text, ". How often they were called is exact.");
	doc_note(doc, "not_judged", NOTE_WARNING, strbuf_text(&text),
		 "A longer run has more samples; 'prof-analyze doctor' says what keeps "
		 "them away. A build with fewer hooks needs fewer: 'prof-analyze "
		 "exclude-list' says which and how.");
	strbuf_free(&text);
}

void bottlenecks_add_findings(struct doc *doc, struct bottlenecks *bottlenecks,
			      size_t limit, enum severity least, unsigned flags)
{
	size_t count = bottlenecks->findings.count, shown = 0;
	struct strbuf footer = {0};
	struct section *section;

	bottlenecks_add_quality(doc, &bottlenecks->quality);
	if (bottlenecks->unjudged)
		add_unjudged(doc, bottlenecks->unjudged);
	if (bottlenecks->filtered_count)
		add_filtered(doc, bottlenecks);
	while (shown < (limit ? limit : count) && shown < count &&
	       bottlenecks->findings.list[shown].severity >= least)
		shown++;
	if (!shown) {
		if (count || !bottlenecks->filtered_count)
			add_nothing(doc, bottlenecks);
		flags |= SECTION_MACHINE;
	}
	section = doc_findings(doc, "findings", "Findings, worst first",
			       &bottlenecks->findings, shown);
	section->flags = flags;
	if (section->shown_count == count)
		return;
	units_count(&footer, (int64_t)section->shown_count);
	strbuf_puts(&footer, " of ");
	units_counted(&footer, (int64_t)count, "finding");
	strbuf_printf(&footer, " shown; %s",
		      flags & SECTION_BRIEF ? "'prof-analyze bottlenecks' shows more"
					    : "--limit 0 shows all");
	section->footer = doc_copy(doc, strbuf_text(&footer));
	strbuf_free(&footer);
}

enum severity bottlenecks_least(const struct report_input *input)
{
	return input->options->limit >= 0 || input->options->machine ? SEVERITY_INFO
								     : SEVERITY_LOW;
}

extern const struct report report_bottlenecks;

static enum exit_status fail_on(struct report_input *input, enum severity *ret)
{
	const char *word = input->options->fail_on;

	if (word && severity_parse(word, ret) < 0)
		return report_fail(input, STATUS_USAGE,
				   "--fail-on: '%s' is no severity; there are info, low, "
				   "medium, high and critical",
				   word);
	return STATUS_OK;
}

/* --fail-on: are there findings as severe as that? */
static enum exit_status judge(const struct report_input *input, struct doc *doc,
			      const struct findings *findings, enum severity severity)
{
	struct strbuf text = {0};
	int64_t count = 0;

	if (!input->options->fail_on)
		return STATUS_OK;
	for (size_t i = 0; i < findings->count; i++)
		count += findings->list[i].severity >= severity;
	units_counted(&text, count, "finding");
	strbuf_printf(&text, " of severity %s%s (--fail-on %s)", severity_word(severity),
		      severity < SEVERITY_CRITICAL ? " or above" : "",
		      severity_word(severity));
	doc_note(doc, "gate", count ? NOTE_WARNING : NOTE_GOOD, strbuf_text(&text), NULL);
	strbuf_free(&text);
	return count ? STATUS_REGRESSION : STATUS_OK;
}

static enum exit_status fill(struct report_input *input, struct doc *doc,
			     struct bottlenecks *bottlenecks, enum severity severity)
{
	unsigned flags = SECTION_MAIN | (input->options->show_sql ? SECTION_SQL : 0) |
			 (input->options->fail_on ? SECTION_GATE : 0);
	enum exit_status status = judge(input, doc, &bottlenecks->findings, severity);

	bottlenecks_add_findings(doc, bottlenecks, report_limit(input, PEOPLE_FINDINGS),
				 bottlenecks_least(input), flags);
	bottlenecks_add_suppressed(doc, bottlenecks);
	bottlenecks_add_rules(doc, bottlenecks);
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct bottlenecks bottlenecks = {0};
	enum severity severity = SEVERITY_HIGH;
	struct run_facts facts;
	struct calltree *tree;
	enum exit_status status = fail_on(input, &severity);

	if (status)
		return status;
	if (input->options->list_rules)
		return bottlenecks_list_rules(input, doc);
	if (!input->db)
		return report_fail(input, STATUS_USAGE,
				   "bottlenecks needs a database, such as: %s",
				   report_bottlenecks.example);
	status = report_open(input, doc, &facts);
	if (status)
		return status;
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	tree = report_tree_load(input);
	if (!tree)
		return STATUS_FAILED;
	status = bottlenecks_run(input, &facts, tree, &bottlenecks);
	if (status == STATUS_OK)
		status = fill(input, doc, &bottlenecks, severity);
	if (bottlenecks.findings.count)
		report_counted_note(doc, &facts);
	bottlenecks_free(&bottlenecks);
	calltree_free(tree);
	return status;
}

const struct report report_bottlenecks = {
	.name = "bottlenecks",
	.summary = "what is worth fixing, worst first",
	.description =
		"Rules applied to the run. Each finding has its evidence with the limit "
		"that was crossed, the call path, what could be saved at best, advice "
		"with the most useful first, and the command that tells whether a fix "
		"helped. The score is 100 (1 - e^(-4 I)) times 0.5, 0.75 or 1 by "
		"confidence, where I is the share of the run's time, or of its peak, "
		"that could be won; critical from 63, high from 33, medium from 11, low "
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
