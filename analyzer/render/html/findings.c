/* SPDX-License-Identifier: MIT */
/* Findings: how bad, what, where and what to try, in two lines each; the rest unfolds. */
#include "analyzer/render/html/html.h"

#include "analyzer/render/findings.h"

#define NAME_WIDTH 160
#define PATH_WIDTH 640
#define BRIEF_WIDTH 60
#define OPEN_MOST 3 /* the others are folded */

static void put_fact(void *context, const struct fact *fact)
{
	struct html_page *page = context;
	ended_by(strbuf_free) struct strbuf path = {0};

	if (fact->number < 2)
		fprintf(page->out, "<dt>%s</dt>", fact->label);
	if (fact->kind == FACT_CHAIN)
		shorten_chain(&path, fact->text, PATH_WIDTH, 1, &page->style);
	fputs("<dd>", page->out);
	html_put_element(page,
			 fact->kind == FACT_CHAIN || fact->kind == FACT_CODE ? "code"
									     : "span",
			 NULL, path.size ? strbuf_text(&path) : fact->text);
	fputs("</dd>\n", page->out);
}

static void put_heading(struct html_page *page, size_t rank,
			const struct finding *finding)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	fprintf(page->out, "<h3>%zu <span class=\"severity %s\">%s</span> ", rank,
		severity_word(finding->severity), severity_word(finding->severity));
	finding_put_name(&text, finding, NAME_WIDTH, &page->style);
	if (text.size) {
		html_put_element(page, "code", NULL, strbuf_text(&text));
		fputs(": ", page->out);
	}
	html_put(page, finding->says ? finding->says : "");
	fputs("</h3>\n", page->out);
}

/* The first line; then the first advice, the bound, and the path. */
static void put_brief(struct html_page *page, const struct findings *findings,
		      size_t rank, const struct finding *finding)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	put_heading(page, rank, finding);
	finding_put_answer(&text, findings, finding);
	fputs("<span class=\"brief\">", page->out);
	html_put(page, strbuf_text(&text));
	strbuf_reset(&text);
	if (finding->chain && *finding->chain) {
		shorten_chain_end(&text, finding->chain, BRIEF_WIDTH, &page->style);
		fputs(" \u00b7 ", page->out);
		html_put_element(page, "code", NULL, strbuf_text(&text));
	}
	fputs("</span>", page->out);
}

static void put_finding(struct html_page *page, const struct section *section,
			size_t index)
{
	const struct finding *finding = &section->findings->list[index];

	/* the script writes here what it knows about a range of time */
	fprintf(page->out,
		"<article class=\"finding\" data-function=\"%lld\" data-step=\"",
		(long long)finding->function_id);
	html_put(page, finding->step ? finding->step : "");
	fputs("\"><details><summary>\n", page->out);
	put_brief(page, section->findings, index + 1, finding);
	fputs("</summary>\n<dl>\n", page->out);
	finding_each_fact(section, finding, put_fact, page);
	fputs("</dl>", page->out);
	html_put_about(page, finding->function_id);
	fputs("</details></article>\n", page->out);
}

void html_put_findings(struct html_page *page, const struct section *section)
{
	size_t count = section->shown_count;

	for (size_t i = 0; i < count; i++) {
		if (i == OPEN_MOST)
			fprintf(page->out, "<details><summary>%zu more</summary>\n",
				count - i);
		put_finding(page, section, i);
	}
	fputs(count > OPEN_MOST ? "</details>\n" : "", page->out);
	html_put_element(page, "p", "foot", section->footer);
}
