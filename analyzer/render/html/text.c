/* SPDX-License-Identifier: MIT */
/* Escaping for HTML: that for XML does, and takes out what would steer the reader. */
#include "analyzer/render/html/html.h"

#include "common/base/xml.h"

void html_put(struct html_page *page, const char *text)
{
	struct strbuf escaped = {0};

	xml_escape(&escaped, text);
	fputs(strbuf_text(&escaped), page->out);
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
