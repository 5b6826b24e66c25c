/* SPDX-License-Identifier: MIT */
/* Makes boxes from a folded and filtered tree, and the title above them. */
#include "analyzer/reports/flame/parts.h"

#include "common/base/xalloc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

unsigned flame_metric_or(const struct report_input *input, unsigned usual)
{
	return input->options->metric ? flame_metric_find(input->options->metric) : usual;
}

void flame_set_subject(struct flame *flame, const char *subject)
{
	flame->subject = flame_copy(flame, subject);
}

void flame_set_title(struct flame *flame, const char *format, ...)
{
	const struct quantity *quantity = &quantities[flame_quantity(flame->metric)];
	const char *by =
		flame->metric == FLAME_SELF ? "function and its callers" : "call path";
	ended_by(strbuf_free) struct strbuf title = {0};
	va_list arguments;
	auto_free char *rest = NULL;

	va_start(arguments, format);
	if (vasprintf(&rest, format, arguments) < 0)
		rest = xstrdup("");
	va_end(arguments);
	if (flame->metric == FLAME_TIME || flame->metric == FLAME_CPU)
		strbuf_puts(&title, flame->metric == FLAME_CPU ? "CPU time" : "Time");
	else
		strbuf_printf(&title, "%c%s%s", toupper(quantity->phrase[0]),
			      quantity->phrase + 1,
			      quantity->unit == QUANTITY_COUNT ? "s" : "");
	strbuf_printf(&title, " by %s%s", by, rest);
	flame->title = flame_copy(flame, strbuf_text(&title));
}

/* --ignore removes subtrees; --focus removes paths without a matching function. */
static void apply_filter(const struct filter *filter, struct calltree *tree,
			 unsigned metric)
{
	int place = quantity_place(QUANTITY_OF_TREE, flame_quantity(metric));
	auto_free bool *passes = filter_paths(filter, tree, false);

	for (size_t i = 0; i < tree->node_count; i++) {
		if (passes[i])
			continue;
		tree->nodes[i].quantities[place] = 0;
		tree->nodes[i].before = 0;
	}
}

struct flame *flame_make(const struct report_input *input, struct calltree *tree,
			 unsigned metric, bool is_difference, unsigned folds,
			 uint32_t **ret_places)
{
	size_t count = tree->order_count, function_count = tree->function_count;
	uint32_t *places = NULL;
	struct flame *flame;

	if (filter_is_active(&input->filter))
		apply_filter(&input->filter, tree, metric);
	if (folds || ret_places) {
		struct calltree *folded = calltree_fold_frames(tree, folds, &places);

		calltree_free(tree);
		tree = folded;
	}
	flame = flame_of_tree(tree, metric, is_difference);
	flame->folded_count = count - tree->node_count;
	flame->is_library_folded =
		(folds & CALLTREE_LIBRARY) && tree->function_count > function_count;
	if (ret_places)
		*ret_places = places;
	else
		free(places);
	return flame;
}

struct flame *flame_make_folded(const struct report_input *input, struct calltree *tree,
				unsigned metric, bool is_difference, unsigned folds)
{
	struct calltree *folded = calltree_fold(tree);

	calltree_free(tree);
	free(calltree_settle(folded)); /* largest first */
	return flame_make(input, folded, metric, is_difference, folds, NULL);
}
