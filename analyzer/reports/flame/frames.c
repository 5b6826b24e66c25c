/* SPDX-License-Identifier: MIT */
/* The boxes of a tree, and the title above them. */
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
	struct strbuf title = {0};
	va_list arguments;
	char *rest;

	va_start(arguments, format);
	if (vasprintf(&rest, format, arguments) < 0)
		rest = xstrdup("");
	va_end(arguments);
	if (flame->metric == FLAME_TIME)
		strbuf_puts(&title, "Time");
	else
		strbuf_printf(&title, "%c%s%s", toupper(quantity->phrase[0]),
			      quantity->phrase + 1,
			      quantity->unit == QUANTITY_COUNT ? "s" : "");
	strbuf_printf(&title, " by %s%s", by, rest);
	flame->title = flame_copy(flame, strbuf_text(&title));
	strbuf_free(&title);
	free(rest);
}

struct flame *flame_of_tree(const struct calltree *tree, unsigned metric,
			    bool is_difference)
{
	int place = quantity_place(QUANTITY_OF_TREE, flame_quantity(metric));
	struct flame *flame = flame_new(metric, is_difference);
	struct calltree *folded = calltree_fold(tree);
	uint32_t *numbers = xcalloc(folded->node_count + 1, sizeof(*numbers));

	for (size_t i = 0; i < folded->order_count; i++) {
		uint32_t at = folded->order[i];
		const struct calltree_node *node = &folded->nodes[at];
		const struct calltree_function *function =
			node->function == CALLTREE_NONE
				? NULL
				: &tree->functions[node->function];
		struct flame_box *box;

		numbers[at] = (uint32_t)flame->count;
		box = flame_add(flame,
				node->parent == CALLTREE_NONE ? FLAME_WHOLE
							      : numbers[node->parent],
				flame_copy(flame, calltree_name(folded, at)));
		box->function = node->function;
		box->is_library = function && function->is_library && !function->is_libc;
		box->is_libc = function && function->is_libc;
		box->is_unwound = node->is_frame;
		box->is_wait = node->self_blocked_ns > node->self_ns / 2;
		box->self = node->quantities[place];
		box->self_before = is_difference ? node->before : 0;
		box->presence = (box->self > 0 ? FLAME_AFTER : 0) |
				(box->self_before > 0 ? FLAME_BEFORE : 0);
		if ((metric == FLAME_TIME || metric == FLAME_SELF) && !is_difference) {
			box->self_error = node->self_error_ns;
			box->total_error = node->total_error_ns;
		}
		if (node->recording)
			box->recording = calltree_recording_word(node);
		if (function && function->file) {
			box->file = flame_copy(flame, function->file);
			box->line = function->line;
		}
	}
	free(numbers);
	calltree_free(folded);
	return flame;
}
