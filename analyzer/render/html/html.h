/* SPDX-License-Identifier: MIT */
/* Shared by the files of the HTML page. */
#pragma once

#include "analyzer/model/shorten.h"
#include "analyzer/render/render.h"

#include "common/base/text.h"

struct html_page {
	FILE *out;
	const struct doc *doc;
	struct shorten_style style; /* with the document's names */
};

/* Writes untrusted text as text or as an attribute value in double quotes. */
void html_put(struct html_page *page, const char *text);
/* Writes <TAG class="CLASS">text</TAG>; class may be NULL. Nothing for an empty text. */
void html_put_element(struct html_page *page, const char *tag, const char *class,
		      const char *text);

/* Writes the id of a section, for links to it. */
void html_put_id(struct html_page *page, const struct section *section);
/* Writes a link to the section about this function, or nothing if there is none. */
void html_put_about(struct html_page *page, int64_t function_id);

/* table.c: SECTION_TABLE. */
void html_put_table(struct html_page *page, const struct section *section);
/* values.c: SECTION_VALUES, with parts of a whole as a bar; SECTION_PLOT. */
void html_put_values(struct html_page *page, const struct section *section);
void html_put_plot(struct html_page *page, const struct section *section);
/* data.c: the call tree of the document's profile, for the script. */
void html_put_data(struct html_page *page);
/* Writes a note where the script would draw. */
void html_put_needs_script(struct html_page *page, const char *subject);
/* lanes.c: SECTION_LANES. has: whether there is a stretch of time to draw. */
bool html_has_lanes(const struct section *section);
void html_put_lanes(struct html_page *page, const struct section *section);
/* source.c: the lines of the document's source. */
void html_put_source(struct html_page *page);
/* findings.c: SECTION_FINDINGS. */
void html_put_findings(struct html_page *page, const struct section *section);
