/* SPDX-License-Identifier: MIT */
/* The list of formats, and the way to them. */
#include "analyzer/render/render.h"

#include "analyzer/document/plain.h"

extern const struct renderer renderer_csv;
extern const struct renderer renderer_html;
extern const struct renderer renderer_json;
extern const struct renderer renderer_junit;
extern const struct renderer renderer_md;
extern const struct renderer renderer_sarif;
extern const struct renderer renderer_text;

const struct renderer *const renderer_registry[] = {
	&renderer_text, &renderer_json,	 &renderer_csv,	 &renderer_md,
	&renderer_html, &renderer_junit, &renderer_sarif};
const size_t renderer_registry_count =
	sizeof(renderer_registry) / sizeof(renderer_registry[0]);

void render_document(const struct renderer *renderer, struct doc *doc,
		     const struct render_context *context)
{
	if (!renderer->for_machines)
		doc_make_plain(doc);
	renderer->render(doc, context);
}
