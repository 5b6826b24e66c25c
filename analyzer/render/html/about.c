/* SPDX-License-Identifier: MIT */
/* Links from a function to the section that is all about it. */
#include "analyzer/render/html/html.h"

void html_put_about(struct html_page *page, int64_t function_id)
{
	for (size_t i = 0; function_id && i < page->doc->section_count; i++)
		if (page->doc->sections[i].about == function_id) {
			fprintf(page->out, " <a href=\"#s%zu\">its slow calls</a>", i);
			return;
		}
}
