/* SPDX-License-Identifier: MIT */
/* Findings for people at a terminal. Must not be wider than the terminal. */
#include "analyzer/render/findings.h"

#include "common/base/utf8.h"
#include "analyzer/rules/rule.h"

#include <ctype.h>

#define LABEL_COLUMN 3
#define TEXT_COLUMN 13
#define NAME_LEAST 16
#define NAME_INDENT 3
#define PATH_LINES 3

static void put_line(const struct text_style *style, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(style->out, "%*s%s%-*s%s", LABEL_COLUMN, "", style->dim,
		TEXT_COLUMN - LABEL_COLUMN, label, style->off);
	text_wrap(style, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void put_path(const struct text_style *style, const char *label, const char *chain)
{
	struct strbuf text = {0};
	const char *at;

	if (!chain || !*chain)
		return;
	shorten_chain(&text, chain, style->width - TEXT_COLUMN, PATH_LINES,
		      style->shorten);
	fprintf(style->out, "%*s%s%-*s%s", LABEL_COLUMN, "", style->dim,
		TEXT_COLUMN - LABEL_COLUMN, label, style->off);
	for (at = strbuf_text(&text); *at; at++) {
		fputc(*at, style->out);
		if (*at == '\n')
			fprintf(style->out, "%*s", TEXT_COLUMN, "");
	}
	fputc('\n', style->out);
	strbuf_free(&text);
}

static void put_advice(const struct text_style *style, const struct finding *finding,
		       bool brief)
{
	for (size_t i = 0; finding->advice[i] && (i == 0 || !brief); i++) {
		fprintf(style->out, "%*s%s%-*s%s%zu. ", LABEL_COLUMN, "", style->dim,
			TEXT_COLUMN - LABEL_COLUMN, i ? "" : "try", style->off, i + 1);
		text_wrap(style, finding->advice[i], TEXT_COLUMN + 3, TEXT_COLUMN + 3);
	}
}

static const char *color(const struct text_style *style, enum severity severity)
{
	return severity >= SEVERITY_HIGH ? style->warning : style->bold;
}

/* "parse", "region 'parse'", "step 'frame'" or "(the run)" */
static void put_name(struct strbuf *buffer, const struct finding *finding)
{
	bool is_plain =
		!finding_name(finding) || (finding->function && !finding->is_region);

	if (!is_plain)
		strbuf_puts(buffer, finding->function ? "region '" : "step '");
	strbuf_puts(buffer, finding_name(finding) ? finding_name(finding) : "(the run)");
	if (!is_plain)
		strbuf_putc(buffer, '\'');
}

/* "#2 HIGH 47  T3 chatty-edge  lookup_key            confidence high" */
static void put_head(const struct text_style *style, size_t rank,
		     const struct finding *finding)
{
	struct strbuf head = {0}, name = {0}, tail = {0};
	size_t used, room;

	strbuf_printf(&head, "#%zu ", rank);
	for (const char *c = severity_word(finding->severity); *c; c++)
		strbuf_putc(&head, (char)toupper((unsigned char)*c));
	strbuf_printf(&head, " %.0f  %s %s", finding->score, finding->rule->id,
		      finding->rule->slug);
	strbuf_printf(&tail, "confidence %s", confidence_word(finding->confidence));
	used = head.size + 2 + tail.size + 2;
	if (style->width < used + NAME_LEAST) { /* narrow: the word alone */
		strbuf_reset(&tail);
		strbuf_puts(&tail, confidence_word(finding->confidence));
		used = head.size + 2 + tail.size + 2;
	}
	put_name(&name, finding);
	fprintf(style->out, "%s%s%s  ", color(style, finding->severity),
		strbuf_text(&head), style->off);
	strbuf_reset(&head);
	if (style->width < used + NAME_LEAST) { /* narrower still: a line of its own */
		fprintf(style->out, "%s%s%s\n", style->dim, strbuf_text(&tail),
			style->off);
		shorten_name(&head, strbuf_text(&name), style->width - NAME_INDENT,
			     style->shorten);
		fprintf(style->out, "%*s%s\n", NAME_INDENT, "", strbuf_text(&head));
	} else {
		room = style->width - used;
		shorten_name(&head, strbuf_text(&name), room, style->shorten);
		used = utf8_width(strbuf_text(&head));
		fprintf(style->out, "%s%*s  %s%s%s\n", strbuf_text(&head),
			(int)(used < room ? room - used : 0), "", style->dim,
			strbuf_text(&tail), style->off);
	}
	strbuf_free(&head);
	strbuf_free(&name);
	strbuf_free(&tail);
}

static void put_what(const struct text_style *style, const struct finding *finding)
{
	struct strbuf text = {0};

	strbuf_puts(&text, finding->rule->title);
	if (finding->where)
		strbuf_printf(&text, ", %s", finding->where);
	put_line(style, "what", strbuf_text(&text));
	strbuf_free(&text);
}

static void put_finding(const struct text_style *style, const struct section *section,
			size_t index)
{
	const struct finding *finding = &section->findings->list[index];
	bool brief = section->flags & SECTION_BRIEF;
	struct strbuf text = {0};

	put_head(style, index + 1, finding);
	if (!brief)
		put_what(style, finding);
	finding_put_evidence(&text, finding);
	put_line(style, "evidence", strbuf_text(&text));
	put_path(style, "path", finding->chain);
	put_path(style, "through", finding->through);
	if (!brief)
		put_line(style, "why", finding->why);
	put_advice(style, finding, brief);
	strbuf_reset(&text);
	finding_put_saving(&text, section->findings, finding);
	if (text.size) {
		struct strbuf saving = {0};

		strbuf_printf(&saving, "up to %s", strbuf_text(&text));
		put_line(style, "saving", strbuf_text(&saving));
		strbuf_free(&saving);
	}
	if (!brief)
		put_line(style, "verify", finding->verify);
	if (section->flags & SECTION_SQL)
		put_line(style, "sql", finding->sql);
	strbuf_reset(&text);
	finding_put_also(&text, finding);
	if (!brief)
		put_line(style, "also", strbuf_text(&text));
	strbuf_free(&text);
}

void text_findings(const struct text_style *style, const struct section *section)
{
	for (size_t i = 0; i < section->shown_count; i++) {
		if (i)
			fputc('\n', style->out);
		put_finding(style, section, i);
	}
	if (section->footer)
		text_wrap(style, section->footer, 0, 0);
}
