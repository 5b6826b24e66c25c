/* SPDX-License-Identifier: MIT */
/*
 * Findings in Markdown: a heading and a list for each. Must not let a name become
 * markup.
 */
#include "analyzer/render/findings.h"

#include "analyzer/render/md_text.h"
#include "analyzer/rules/rule.h"

#define NAME_WIDTH 100
#define PATH_WIDTH 240

static void put_text(FILE *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "- **%s**: ", label);
	md_put_escaped(out, text);
	fputc('\n', out);
}

static void put_code(FILE *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "- **%s**: ", label);
	md_put_code(out, text, false);
	fputc('\n', out);
}

static void put_head(FILE *out, const struct shorten_style *style, size_t rank,
		     const struct finding *finding)
{
	struct strbuf name = {0};

	fprintf(out, "#### %zu. %s %.0f: ", rank, severity_word(finding->severity),
		finding->score);
	fprintf(out, "%s %s", finding->rule->id, finding->rule->slug);
	if (finding_name(finding)) {
		shorten_name(&name, finding_name(finding), NAME_WIDTH, style);
		fputs(!finding->function   ? " of step "
		      : finding->is_region ? " of region "
					   : " of ",
		      out);
		md_put_code(out, strbuf_text(&name), false);
	}
	fputs("\n\n", out);
	strbuf_free(&name);
}

static void put_path(FILE *out, const struct shorten_style *style, const char *label,
		     const char *chain)
{
	struct strbuf text = {0};

	if (chain && *chain)
		shorten_chain(&text, chain, PATH_WIDTH, 1, style);
	put_code(out, label, strbuf_text(&text));
	strbuf_free(&text);
}

static void put_finding(FILE *out, const struct shorten_style *style,
			const struct section *section, size_t index)
{
	const struct finding *finding = &section->findings->list[index];
	bool brief = section->flags & SECTION_BRIEF;
	struct strbuf text = {0};

	put_head(out, style, index + 1, finding);
	put_text(out, "what", finding->rule->title);
	put_code(out, "where", finding->where);
	put_text(out, "confidence", confidence_word(finding->confidence));
	finding_put_evidence(&text, finding);
	put_text(out, "evidence", strbuf_text(&text));
	put_path(out, style, "path", finding->chain);
	put_path(out, style, "through", finding->through);
	put_text(out, "why", finding->why);
	for (size_t i = 0; finding->advice[i] && (i == 0 || !brief); i++) {
		fprintf(out, "%s%zu. ", i ? "  " : "- **try**:\n  ", i + 1);
		md_put_escaped(out, finding->advice[i]);
		fputc('\n', out);
	}
	strbuf_reset(&text);
	strbuf_puts(&text, "up to ");
	finding_put_saving(&text, section->findings, finding);
	put_text(out, "saving", text.size > 6 ? strbuf_text(&text) : NULL);
	if (!brief)
		put_code(out, "verify", finding->verify);
	if (section->flags & SECTION_SQL)
		put_code(out, "sql", finding->sql);
	strbuf_reset(&text);
	finding_put_also(&text, finding);
	put_text(out, "also on this path", strbuf_text(&text));
	strbuf_free(&text);
}

void md_findings(FILE *out, const struct shorten_style *style,
		 const struct section *section)
{
	for (size_t i = 0; i < section->shown_count; i++) {
		if (i)
			fputc('\n', out);
		put_finding(out, style, section, i);
	}
	if (section->footer) {
		fputs(section->shown_count ? "\n*" : "*", out);
		md_put_escaped(out, section->footer);
		fputs("*\n", out);
	}
}
