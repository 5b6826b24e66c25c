/* SPDX-License-Identifier: MIT */
/* What the files of the HTML page share. */
#pragma once

#include "analyzer/model/shorten.h"
#include "analyzer/render/render.h"

#include "common/base/strbuf.h"

struct html_page {
	FILE *out;
	const struct doc *doc;
	struct shorten_style style; /* with the document's names */
};

/* Text of unknown origin, as text or as the value of an attribute in double quotes. */
void html_put(struct html_page *page, const char *text);
/* <TAG class="CLASS">text</TAG>; class NULL: none; text NULL or empty: nothing. */
void html_put_element(struct html_page *page, const char *tag, const char *class,
		      const char *text);

/* Of a section by its name, for links. */
void html_put_id(struct html_page *page, const struct section *section);
/* A link to the section that is all about this function; nothing when there is
 * none. */
void html_put_about(struct html_page *page, int64_t function_id);

/* table.c: SECTION_TABLE. */
void html_put_table(struct html_page *page, const struct section *section);
/* values.c: SECTION_VALUES, those that are parts of a whole as a bar; SECTION_PLOT. */
void html_put_values(struct html_page *page, const struct section *section);
void html_put_plot(struct html_page *page, const struct section *section);
/* data.c: the call tree of the document's profile, which the script draws. */
void html_put_data(struct html_page *page);
/* What stands where the script would draw. */
void html_put_needs_script(struct html_page *page, const char *subject);
/* lanes.c: SECTION_LANES; has: there is a stretch of time to draw. */
bool html_has_lanes(const struct section *section);
void html_put_lanes(struct html_page *page, const struct section *section);
/* source.c: the lines of the document's source. */
void html_put_source(struct html_page *page);
/* findings.c: SECTION_FINDINGS. */
void html_put_findings(struct html_page *page, const struct section *section);
