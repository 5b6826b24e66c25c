/* SPDX-License-Identifier: MIT */
/*
 * The page: its head with the policy that lets nothing in but its own style and script,
 * the way around, and the sections. Must not write a style attribute: the policy forbids
 * them.
 */
#include "analyzer/render/html/html.h"

#include "page.css.h"
#include "page.js.h"

#include <string.h>

static void put_head(struct html_page *page)
{
	fprintf(page->out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri "
		"'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
		"dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
		"<title>profshim ",
		page_css_hash, page_js_hash);
	html_put(page, page->doc->report);
	fprintf(page->out, "</title>\n<style>%s</style>\n</head>\n", page_css);
}

static bool is_shown(const struct section *section)
{
	if (section->flags & SECTION_PAGE)
		return section->kind != SECTION_TABLE || section->table->row_count > 0;
	if (section->kind == SECTION_LANES)
		return html_has_lanes(section);
	return !(section->flags & SECTION_MACHINE);
}

static bool has_heading(const struct section *section)
{
	return is_shown(section) && section->title && section->kind != SECTION_PLOT;
}

static bool has_tree(const struct doc *doc)
{
	return doc->profile && doc->profile->tree->node_count;
}

/* The sections that answer a report; others keep the document's order. */
static const char *const answer[] = {
	"trust_line",	   "summary",	      "where",
	"critical_bound",  "findings",	      "nothing_stands_out",
	"functions",	   "rare_slow_calls", "slow_calls",
	"explorer",	   "lanes",	      "memory",
	"allocation_sites"};

#define ANSWERS (sizeof(answer) / sizeof(answer[0]))

/* Text goes below what is drawn. */
static size_t place_of(const struct section *section)
{
	for (size_t i = 0; i < ANSWERS; i++)
		if (strcmp(section->name, answer[i]) == 0)
			return i;
	return ANSWERS + (section->kind == SECTION_NOTE);
}

static bool has_findings(const struct doc *doc)
{
	for (size_t i = 0; i < doc->section_count; i++)
		if (doc->sections[i].kind == SECTION_FINDINGS &&
		    is_shown(&doc->sections[i]))
			return true;
	return false;
}

/* Sections about one function are folded on a page with findings. */
static bool is_folded(const struct html_page *page, const struct section *section)
{
	return section->about && has_findings(page->doc);
}

/* Calls put() with each section in the order of the page, and with NULL for the tree. */
static void each_section(struct html_page *page,
			 void (*put)(struct html_page *, const struct section *))
{
	const struct doc *doc = page->doc;
	bool is_ordered = has_tree(doc) && has_findings(doc);

	for (size_t place = 0; place < (is_ordered ? ANSWERS + 2 : 1); place++) {
		for (size_t i = 0; i < doc->section_count; i++)
			if (is_shown(&doc->sections[i]) &&
			    (!is_ordered || place_of(&doc->sections[i]) == place))
				put(page, &doc->sections[i]);
		if (has_tree(doc) &&
		    (!is_ordered ||
		     (place < ANSWERS && strcmp(answer[place], "explorer") == 0)))
			put(page, NULL);
	}
}

static void put_way(struct html_page *page, const struct section *section)
{
	if (!section) {
		fputs("<li><a href=\"#explorer\">Call tree</a></li>\n", page->out);
	} else if (has_heading(section) && !is_folded(page, section)) {
		fputs("<li><a href=\"#", page->out);
		html_put_id(page, section);
		fputs("\">", page->out);
		html_put(page, section->title);
		fputs("</a></li>\n", page->out);
	}
}

static void put_ways(struct html_page *page)
{
	fputs("<details class=\"menu\"><summary>Sections</summary>"
	      "<nav aria-label=\"Sections\"><ul>\n",
	      page->out);
	each_section(page, put_way);
	if (page->doc->source)
		fputs("<li><a href=\"#source\">Source</a></li>\n", page->out);
	fputs("</ul></nav></details>\n", page->out);
}

static void put_note(struct html_page *page, const struct section *section)
{
	static const char *const classes[] = {"note", "note good", "note warning"};

	if (section->flags & SECTION_VERBATIM) {
		html_put_element(page, "pre", NULL, section->text);
		return;
	}
	fprintf(page->out, "<p class=\"%s\">", classes[section->level]);
	if (section->level == NOTE_WARNING)
		fputs("<b>Note:</b> ", page->out);
	html_put(page, section->text);
	if (section->advice) {
		fputs("<br>", page->out);
		html_put_element(page, "span", "advice", section->advice);
	}
	fputs("</p>\n", page->out);
}

static void put_content(struct html_page *page, const struct section *section)
{
	switch (section->kind) {
	case SECTION_NOTE:
		put_note(page, section);
		break;
	case SECTION_VALUES:
		html_put_values(page, section);
		break;
	case SECTION_TABLE:
		html_put_table(page, section);
		break;
	case SECTION_PLOT:
		html_put_plot(page, section);
		break;
	case SECTION_FINDINGS:
		html_put_findings(page, section);
		break;
	case SECTION_LANES:
		html_put_lanes(page, section);
		break;
	}
}

/* Writes a folded section; it opens when a link leads into it. */
static void put_folded(struct html_page *page, const struct section *section)
{
	fputs("<details><summary>", page->out);
	html_put_element(page, "h2", NULL, section->title);
	fputs("</summary><div id=\"", page->out);
	html_put_id(page, section);
	fputs("\">\n", page->out);
	put_content(page, section);
	fputs("</div></details>", page->out);
}

static void put_tree(struct html_page *page)
{
	fputs("<section id=\"explorer\">\n<h2>Call tree</h2>\n", page->out);
	html_put_needs_script(page, "The call tree");
	fputs("</section>\n", page->out);
}

static void put_section(struct html_page *page, const struct section *section)
{
	if (!section) {
		put_tree(page);
		return;
	}
	fputs("<section data-name=\"", page->out);
	html_put(page, section->name);
	if (is_folded(page, section)) {
		fputs("\">\n", page->out);
		put_folded(page, section);
	} else {
		fputs("\" id=\"", page->out);
		html_put_id(page, section);
		fputs("\">\n", page->out);
		if (has_heading(section))
			html_put_element(page, "h2", NULL, section->title);
		put_content(page, section);
	}
	fputs("</section>\n", page->out);
}

/* The range of time that can be chosen, for the scripts; 0 to 0: none. */
static void put_main(struct html_page *page)
{
	const struct doc *doc = page->doc;
	int64_t begin_ns = 0, end_ns = 0;

	if (doc->profile && !doc->profile->is_comparison)
		end_ns = doc->profile->wall_ns;
	for (size_t i = 0; i < doc->section_count; i++)
		if (doc->sections[i].kind == SECTION_LANES &&
		    html_has_lanes(&doc->sections[i])) {
			begin_ns = doc->sections[i].lanes->from_ns;
			end_ns = doc->sections[i].lanes->to_ns;
		}
	fprintf(page->out,
		"</header>\n<main id=\"main\" data-begin=\"%lld\" "
		"data-end=\"%lld\">\n",
		(long long)begin_ns, (long long)end_ns);
}

static void render(const struct doc *doc, const struct render_context *context)
{
	struct html_page page = {context->out, doc, shorten_utf8};

	page.style.names = doc->names;
	put_head(&page);
	fputs("<body>\n<a class=\"skip\" href=\"#main\">To the report</a>\n"
	      "<header><h1>profshim ",
	      page.out);
	html_put(&page, doc->report);
	fputs("</h1>\n", page.out);
	put_ways(&page);
	put_main(&page);
	each_section(&page, put_section);
	if (doc->source)
		html_put_source(&page);
	fputs("</main>\n", page.out);
	if (has_tree(doc))
		html_put_data(&page);
	fprintf(page.out, "\n<script>%s</script>\n</body>\n</html>\n", page_js);
}

const struct renderer renderer_html = {.name = "html", .is_page = true, .render = render};
