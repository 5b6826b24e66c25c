/* SPDX-License-Identifier: MIT */
/* Findings: how bad, what, where and what to try, in two lines each; the rest unfolds. */
#include "analyzer/render/html/html.h"

#include "analyzer/render/findings.h"
#include "analyzer/rules/rule.h"

#define NAME_WIDTH 160
#define PATH_WIDTH 640
#define BRIEF_WIDTH 60
#define OPEN_MOST 3 /* the others are folded */

static void put_fact(struct html_page *page, const char *label, const char *text,
		     bool is_code)
{
	if (!text || !*text)
		return;
	fprintf(page->out, "<dt>%s</dt><dd>", label);
	html_put_element(page, is_code ? "code" : "span", NULL, text);
	fputs("</dd>\n", page->out);
}

static void put_heading(struct html_page *page, size_t rank,
			const struct finding *finding)
{
	struct strbuf name = {0};

	fprintf(page->out, "<h3><span class=\"severity %s\">%s %.0f</span> %zu. ",
		severity_word(finding->severity), severity_word(finding->severity),
		finding->score, rank);
	html_put(page, finding->rule->title);
	if (finding_name(finding)) {
		shorten_name(&name, finding_name(finding), NAME_WIDTH, &page->style);
		fputs(!finding->function   ? ": step "
		      : finding->is_region ? ": region "
					   : ": ",
		      page->out);
		html_put_element(page, "code", NULL, strbuf_text(&name));
	}
	fputs("</h3>\n", page->out);
	strbuf_free(&name);
}

/* The first line, and below it the path to where it is and what to try first. */
static void put_brief(struct html_page *page, const struct findings *findings,
		      size_t rank, const struct finding *finding)
{
	struct strbuf text = {0};

	put_heading(page, rank, finding);
	finding_put_saving(&text, findings, finding);
	html_put_element(page, "span", "saving", strbuf_text(&text));
	strbuf_reset(&text);
	if (finding->chain && *finding->chain)
		shorten_chain(&text, finding->chain, BRIEF_WIDTH, 1, &page->style);
	fputs("<span class=\"brief\">", page->out);
	html_put_element(page, "code", NULL, strbuf_text(&text));
	fputs(text.size && finding->advice[0] ? " \u00b7 " : "", page->out);
	html_put(page, finding->advice[0] ? finding->advice[0] : "");
	fputs("</span>", page->out);
	strbuf_free(&text);
}

static void put_path(struct html_page *page, const char *label, const char *chain)
{
	struct strbuf text = {0};

	if (chain && *chain)
		shorten_chain(&text, chain, PATH_WIDTH, 1, &page->style);
	put_fact(page, label, strbuf_text(&text), true);
	strbuf_free(&text);
}

static void put_advice(struct html_page *page, const struct finding *finding)
{
	if (!finding->advice[0])
		return;
	fputs("<dt>try</dt><dd><ol>", page->out);
	for (size_t i = 0; finding->advice[i]; i++)
		html_put_element(page, "li", NULL, finding->advice[i]);
	fputs("</ol></dd>\n", page->out);
}

/* What is for those who look closer. */
static void put_rest(struct html_page *page, const struct finding *finding)
{
	struct strbuf text = {0};

	strbuf_printf(&text, "%s %s", finding->rule->id, finding->rule->slug);
	put_fact(page, "rule", strbuf_text(&text), false);
	put_path(page, "through", finding->through);
	put_fact(page, "why", finding->why, false);
	put_fact(page, "verify", finding->verify, true);
	put_fact(page, "sql", finding->sql, true);
	strbuf_reset(&text);
	finding_put_also(&text, finding);
	put_fact(page, "also on this path", strbuf_text(&text), false);
	strbuf_free(&text);
}

static void put_finding(struct html_page *page, const struct section *section,
			size_t index)
{
	const struct finding *finding = &section->findings->list[index];
	struct strbuf text = {0};

	/* for the script: what of a range of time is told below it */
	fprintf(page->out,
		"<article class=\"finding\" data-function=\"%lld\" data-step=\"",
		(long long)finding->function_id);
	html_put(page, finding->step ? finding->step : "");
	fputs("\"><details><summary>\n", page->out);
	put_brief(page, section->findings, index + 1, finding);
	fputs("</summary>\n<dl>\n", page->out);
	finding_put_evidence(&text, finding);
	put_fact(page, "evidence", strbuf_text(&text), false);
	put_fact(page, "where", finding->where, true);
	put_path(page, "path", finding->chain);
	put_advice(page, finding);
	put_fact(page, "confidence", confidence_word(finding->confidence), false);
	put_rest(page, finding);
	fputs("</dl>", page->out);
	html_put_about(page, finding->function_id);
	fputs("</details></article>\n", page->out);
	strbuf_free(&text);
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
