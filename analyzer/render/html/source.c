/* SPDX-License-Identifier: MIT */
/*
 * Sources: for each file its lines, and below a line what was measured on it, so that
 * they are read one after the other on any width and aloud. Must not need scripts.
 */
#include "analyzer/render/html/html.h"

#include "analyzer/model/units.h"

#define NAME_WIDTH 160
#define OPEN_MOST 2

static void put_time(struct strbuf *text, const struct source_mark *mark)
{
	if (!mark->has_time) {
		strbuf_puts(text, "time not known");
		return;
	}
	if (!units_is_known((double)mark->self_ns, (double)mark->self_error_ns)) {
		units_nsec_error(text, mark->self_ns, mark->self_error_ns, " ±");
		strbuf_puts(text, " of its own (unknown, at most this much)");
		return;
	}
	units_nsec_error(text, mark->self_ns, mark->self_error_ns, " ±");
	strbuf_puts(text, " of its own");
}

static void put_mark(struct html_page *page, const struct source_mark *mark)
{
	bool is_estimate = mark->function && mark->has_time && mark->self_error_ns > 0;
	ended_by(strbuf_free) struct strbuf text = {0};

	if (mark->function) {
		shorten_name(&text, mark->function, NAME_WIDTH, &page->style);
		strbuf_puts(&text, ": ");
		put_time(&text, mark);
		strbuf_puts(&text, ", ");
		units_counted(&text, mark->calls, "call");
	} else {
		units_bytes(&text, mark->alloc_bytes);
		strbuf_puts(&text, " in ");
		units_counted(&text, mark->alloc_count, "allocation");
	}
	html_put_element(page, "span", is_estimate ? "cost estimate" : "cost",
			 strbuf_text(&text));
}

static void put_lines(struct html_page *page, const struct source_file *file)
{
	uint32_t last = 0;
	size_t mark = 0;

	for (size_t i = 0; i < file->line_count; i++) {
		const struct source_line *line = &file->lines[i];

		if (!i || line->number != last + 1)
			fprintf(page->out, "%s<ol class=\"lines\">\n",
				i ? "</ol>\n" : "");
		fprintf(page->out, "<li value=\"%u\"><code>", line->number);
		html_put(page, line->text);
		fputs("</code>", page->out);
		for (; mark < file->mark_count && file->marks[mark].line <= line->number;
		     mark++)
			if (file->marks[mark].line == line->number)
				put_mark(page, &file->marks[mark]);
		fputs("</li>\n", page->out);
		last = line->number;
	}
	fputs("</ol>\n", page->out);
	if (mark < file->mark_count)
		html_put_element(page, "p", "foot",
				 "The file is shorter than when it was recorded.");
}

static void put_file(struct html_page *page, const struct source_file *file, bool is_open)
{
	fprintf(page->out, "<details class=\"source\"%s><summary>",
		is_open ? " open" : "");
	html_put_element(page, "code", NULL, file->found);
	fputs("</summary>\n<p class=\"foot\">Recorded as ", page->out);
	html_put_element(page, "code", NULL, file->recorded);
	fputs(".", page->out);
	if (file->is_newer)
		fputs(" <b>Note:</b> the file was changed after the run began.",
		      page->out);
	fputs("</p>\n", page->out);
	put_lines(page, file);
	fputs("</details>\n", page->out);
}

static void put_missing(struct html_page *page, const struct source_view *view,
			size_t count)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_puts(&text, "Not shown: ");
	units_counted(&text, (int64_t)count, "file");
	fputs("<details class=\"source\"><summary>", page->out);
	html_put(page, strbuf_text(&text));
	fputs("</summary><ul>\n", page->out);
	for (size_t i = 0; i < view->file_count; i++) {
		const struct source_file *file = &view->files[i];

		if (!file->trouble)
			continue;
		fputs("<li>", page->out);
		html_put_element(page, "code", NULL, file->recorded);
		fputs(": ", page->out);
		if (file->found) {
			html_put_element(page, "code", NULL, file->found);
			fputs(" is ", page->out);
		}
		html_put(page, file->trouble);
		fputs("</li>\n", page->out);
	}
	fputs("</ul></details>\n", page->out);
}

void html_put_source(struct html_page *page)
{
	const struct source_view *view = page->doc->source;
	size_t missing = 0;

	fputs("<section id=\"source\">\n<h2>Source</h2>\n", page->out);
	html_put_element(page, "p", "foot", view->about);
	fputc('\n', page->out);
	for (size_t i = 0; i < view->file_count; i++)
		if (view->files[i].trouble)
			missing++;
		else
			put_file(page, &view->files[i], i - missing < OPEN_MOST);
	if (missing)
		put_missing(page, view, missing);
	fputs("</section>\n", page->out);
}
