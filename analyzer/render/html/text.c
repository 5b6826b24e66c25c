/* SPDX-License-Identifier: MIT */
/* Texts and links. Escaping for XML does, and takes out what would steer the reader. */
#include "analyzer/render/html/html.h"

#include <string.h>

#include "common/base/text.h"

void html_put(struct html_page *page, const char *text)
{
	struct strbuf own = {0}, escaped = {0};

	shorten_signs(&own, text, &page->style);
	xml_escape(&escaped, strbuf_text(&own));
	fputs(strbuf_text(&escaped), page->out);
	strbuf_free(&own);
	strbuf_free(&escaped);
}

void html_put_element(struct html_page *page, const char *tag, const char *class,
		      const char *text)
{
	if (!text || !*text)
		return;
	fprintf(page->out, "<%s", tag);
	if (class)
		fprintf(page->out, " class=\"%s\"", class);
	fputc('>', page->out);
	html_put(page, text);
	fprintf(page->out, "</%s>", tag);
}

void html_put_needs_script(struct html_page *page, const char *subject)
{
	fprintf(page->out,
		"<noscript><p class=\"foot\">%s: drawn by the page's script. Without it "
		"the tables are all.</p></noscript>\n",
		subject);
}

void html_put_id(struct html_page *page, const struct section *section)
{
	size_t before = 0;

	for (const struct section *one = page->doc->sections; one < section; one++)
		before += strcmp(one->name, section->name) == 0;
	html_put(page, section->name);
	if (before)
		fprintf(page->out, "-%zu", before + 1);
}

void html_put_about(struct html_page *page, int64_t function_id)
{
	for (size_t i = 0; function_id && i < page->doc->section_count; i++)
		if (page->doc->sections[i].about == function_id) {
			fputs(" <a href=\"#", page->out);
			html_put_id(page, &page->doc->sections[i]);
			fputs("\">its slow calls</a>", page->out);
			return;
		}
}
