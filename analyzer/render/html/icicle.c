/* SPDX-License-Identifier: MIT */
/*
 * The call tree as it stands without scripts and on paper: an icicle of its largest
 * frames, as wide as they weigh. Must not draw what is too narrow to be seen, and says
 * how much that is.
 */
#include "analyzer/render/html/html.h"

#include "analyzer/model/units.h"
#include "common/base/xalloc.h"
#include "common/quantities.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 1000.0
#define ROW 18
#define LETTER 7.0
#define LEAST_WIDTH 2.0 /* 0.2 % */
#define LEVELS_MOST 60

struct drawing {
	struct html_page *page;
	const struct profile *profile;
	int64_t *totals; /* by node */
	double *lefts;	 /* where the next child of a node begins; last: the next root */
	double whole;
	enum profile_metric metric;
	size_t left_out_count;
	double left_out;
};

static void put_amount(const struct drawing *drawing, struct strbuf *text, int64_t amount)
{
	if (drawing->metric == PROFILE_WALL)
		units_nsec(text, amount);
	else
		units_bytes(text, amount);
	strbuf_puts(text, ", ");
	units_percent(text, units_share((double)amount, drawing->whole));
}

static void put_frame(struct drawing *drawing, uint32_t at, double left, double width)
{
	struct html_page *page = drawing->page;
	const struct calltree_node *node = &drawing->profile->tree->nodes[at];
	const struct calltree_function *function =
		&drawing->profile->tree->functions[node->function];
	size_t letters = width > 6 ? (size_t)((width - 6) / LETTER) : 0;
	unsigned y = (node->depth - 1) * ROW;
	struct strbuf text = {0};

	strbuf_printf(&text, "%s: ", function->name);
	put_amount(drawing, &text, drawing->totals[at]);
	fprintf(page->out, "<g class=\"k%d\"><title>",
		function->is_libc || function->is_library
			? 1
			: (int)(node->function % 3) + 2);
	html_put(page, strbuf_text(&text));
	fprintf(page->out,
		"</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"%s/>",
		left, y, width, ROW - 1,
		node->recording && !drawing->profile->is_comparison
			? " class=\"estimate\""
			: "");
	if (letters > 2) {
		strbuf_reset(&text);
		shorten_name(&text, function->name, letters, &page->style);
		fprintf(page->out, "<text x=\"%.2f\" y=\"%u\">", left + 3, y + 13);
		html_put(page, strbuf_text(&text));
		fputs("</text>", page->out);
	}
	fputs("</g>\n", page->out);
	strbuf_free(&text);
}

/* The nodes stand depth first: a callee is placed when all before it are. */
static void put_frames(struct drawing *drawing)
{
	const struct profile *profile = drawing->profile;

	for (uint32_t i = 0; i < profile->tree->node_count; i++) {
		const struct calltree_node *node = &profile->tree->nodes[i];
		size_t above = node->parent == PROFILE_NONE ? profile->tree->node_count
							    : node->parent;
		double width = (double)drawing->totals[i] / drawing->whole * WIDTH;
		double left = drawing->lefts[above];

		drawing->lefts[i] = left;
		drawing->lefts[above] += fmax(width, 0);
		if (width >= LEAST_WIDTH && node->depth <= LEVELS_MOST) {
			put_frame(drawing, i, left, width);
		} else if (node->parent == PROFILE_NONE ||
			   (double)drawing->totals[above] / drawing->whole * WIDTH >=
				   LEAST_WIDTH) {
			drawing->left_out_count++;
			drawing->left_out += fmax((double)drawing->totals[i], 0);
		}
	}
}

static void sum_up(struct drawing *drawing)
{
	const struct profile *profile = drawing->profile;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		if (sample->values[drawing->metric] > 0)
			quantity_add(&drawing->totals[sample->node],
				     sample->values[drawing->metric]);
	}
	for (uint32_t i = (uint32_t)profile->tree->node_count; i-- > 0;) {
		uint32_t parent = profile->tree->nodes[i].parent;

		if (parent != PROFILE_NONE)
			quantity_add(&drawing->totals[parent], drawing->totals[i]);
		else
			drawing->whole += (double)drawing->totals[i];
	}
}

static void put_foot(struct drawing *drawing)
{
	struct strbuf text = {0};

	if (!drawing->left_out_count)
		return;
	strbuf_puts(&text, "Narrower than 0.2% or too deep to be drawn: ");
	units_counted(&text, (int64_t)drawing->left_out_count, "frame");
	strbuf_puts(&text, " with what they call, together ");
	units_percent(&text, units_share(drawing->left_out, drawing->whole));
	html_put_element(drawing->page, "p", "foot", strbuf_text(&text));
	strbuf_free(&text);
}

void html_put_icicle(struct html_page *page)
{
	const struct profile *profile = page->doc->profile;
	struct drawing drawing = {
		.page = page,
		.profile = profile,
		.metric = profile->sums[PROFILE_WALL] > 0 ? PROFILE_WALL : PROFILE_BYTES};
	uint32_t levels = profile->depth < LEVELS_MOST ? profile->depth : LEVELS_MOST;

	drawing.totals = xcalloc(profile->tree->node_count + 1, sizeof(*drawing.totals));
	drawing.lefts = xcalloc(profile->tree->node_count + 1, sizeof(*drawing.lefts));
	sum_up(&drawing);
	fprintf(page->out,
		"<div id=\"still\"><p>%s by call path, callers above their "
		"callees:</p>\n",
		drawing.metric == PROFILE_WALL ? "Time" : "Bytes allocated");
	if (drawing.whole > 0) {
		fprintf(page->out,
			"<svg class=\"icicle\" viewBox=\"0 0 %g %u\" role=\"img\" "
			"aria-label=\"Icicle of the call tree; the tables have its "
			"numbers\">\n",
			WIDTH, levels * ROW);
		put_frames(&drawing);
		fputs("</svg>\n", page->out);
	}
	put_foot(&drawing);
	fputs("</div>\n", page->out);
	free(drawing.totals);
	free(drawing.lefts);
}
