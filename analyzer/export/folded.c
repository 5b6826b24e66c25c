/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as flamegraph.pl, inferno, speedscope and others read them:
 * "main;parse;next_token 1234", one line for each call path that has something of its
 * own; of a difference two numbers, before and after. Must not leave ; or a line break
 * in a name; write other than whole numbers.
 */
#include "analyzer/export/export.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_name(struct strbuf *line, const char *name)
{
	size_t start = line->size;

	utf8_clean(line, name);
	for (size_t i = start; i < line->size; i++)
		if (line->data[i] == ';')
			line->data[i] = ':';
}

/* chain: has room for all boxes of the flame. */
static void put_stack(struct strbuf *line, const struct flame *flame, uint32_t at,
		      uint32_t *chain)
{
	size_t depth = 0;

	for (; at != FLAME_WHOLE; at = flame->boxes[at].parent)
		chain[depth++] = at;
	while (depth-- > 0) {
		put_name(line, flame->boxes[chain[depth]].name);
		if (depth)
			strbuf_putc(line, ';');
	}
}

static void write_stacks(const struct doc *doc, const struct export_context *context)
{
	const struct flame *flame = doc->flame;
	ended_by(strbuf_free) struct strbuf line = {0};
	auto_free uint32_t *chain = NULL;

	if (!flame)
		return;
	chain = xreallocarray(NULL, flame->count, sizeof(*chain));
	for (uint32_t i = 1; i < flame->count; i++) {
		const struct flame_box *box = &flame->boxes[i];

		if (!box->self && !box->self_before)
			continue;
		strbuf_reset(&line);
		put_stack(&line, flame, i, chain);
		if (flame->is_difference)
			strbuf_printf(&line, " %" PRId64, box->self_before);
		strbuf_printf(&line, " %" PRId64 "\n", box->self);
		fwrite(line.data, 1, line.size, context->out);
	}
}

const struct exporter exporter_folded = {
	.name = "folded",
	.summary = "stacks with a number, for flamegraph.pl, inferno, speedscope",
	.write = write_stacks,
};
