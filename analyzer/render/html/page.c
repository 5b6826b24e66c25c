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
		return section->table->row_count > 0;
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

static void put_way(struct html_page *page, const char *name)
{
	fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>\n", name,
		strcmp(name, "source") == 0 ? "Source" : "Call tree");
}

/* In the order in which the sections stand. */
static void put_ways(struct html_page *page)
{
	const struct doc *doc = page->doc;
	bool tree_comes = has_tree(doc);

	fputs("<nav aria-label=\"Sections\"><ul>\n", page->out);
	for (size_t i = 0; i < doc->section_count; i++) {
		if (has_heading(&doc->sections[i])) {
			fprintf(page->out, "<li><a href=\"#s%zu\">", i);
			html_put(page, doc->sections[i].title);
			fputs("</a></li>\n", page->out);
		}
		if (tree_comes && is_shown(&doc->sections[i]) &&
		    doc->sections[i].kind == SECTION_FINDINGS) {
			put_way(page, "explorer");
			tree_comes = false;
		}
	}
	if (tree_comes)
		put_way(page, "explorer");
	if (doc->source)
		put_way(page, "source");
	fputs("</ul></nav>\n", page->out);
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

static void put_section(struct html_page *page, size_t index)
{
	const struct section *section = &page->doc->sections[index];

	fprintf(page->out, "<section id=\"s%zu\" data-name=\"", index);
	html_put(page, section->name);
	fputs("\">\n", page->out);
	if (has_heading(section)) {
		html_put_element(page, "h2", NULL, section->title);
		fputc('\n', page->out);
	}
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
	fputs("</section>\n", page->out);
}

static void put_tree(struct html_page *page)
{
	fputs("<section id=\"explorer\">\n<h2>Call tree</h2>\n", page->out);
	html_put_needs_script(page, "The call tree");
	fputs("</section>\n", page->out);
}

/* The tree stands behind the findings; where there are none the tables are the answer. */
static void put_sections(struct html_page *page)
{
	const struct doc *doc = page->doc;
	bool tree_comes = has_tree(doc);

	for (size_t i = 0; i < doc->section_count; i++) {
		if (!is_shown(&doc->sections[i]))
			continue;
		put_section(page, i);
		if (tree_comes && doc->sections[i].kind == SECTION_FINDINGS) {
			put_tree(page);
			tree_comes = false;
		}
	}
	if (tree_comes)
		put_tree(page);
}

/* What time can be chosen of, for the scripts; 0 to 0: of nothing. */
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
	put_sections(&page);
	if (doc->source)
		html_put_source(&page);
	fputs("</main>\n", page.out);
	if (has_tree(doc))
		html_put_data(&page);
	fprintf(page.out, "\n<script>%s</script>\n</body>\n</html>\n", page_js);
}

const struct renderer renderer_html = {.name = "html", .is_page = true, .render = render};
