/* SPDX-License-Identifier: MIT */
/*
 * Flame graphs: sums, and which box stands where. Must not recurse: recorded stacks
 * may be deeper than ours.
 */
#include "analyzer/tree/flame.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"

#include <stdlib.h>
#include <string.h>

const char *flame_metric_name(unsigned metric)
{
	if (metric == FLAME_TIME)
		return "time";
	return metric < QUANTITY_NUMBERS && *quantities[metric].metric
		       ? quantities[metric].metric
		       : NULL;
}

unsigned flame_metric_find(const char *name)
{
	unsigned metric = 0;

	if (strcmp(name, "wall") == 0)
		return FLAME_TIME;
	while (metric < FLAME_NO_METRIC && (!flame_metric_name(metric) ||
					    strcmp(flame_metric_name(metric), name) != 0))
		metric++;
	return metric;
}

size_t flame_metric_list(const char *ret[FLAME_NO_METRIC])
{
	size_t count = 0;

	ret[count++] = flame_metric_name(FLAME_TIME);
	for (unsigned metric = 0; metric < FLAME_TIME; metric++)
		if (flame_metric_name(metric))
			ret[count++] = flame_metric_name(metric);
	return count;
}

enum quantity_number flame_quantity(unsigned metric)
{
	return metric == FLAME_TIME ? QUANTITY_self_ns : (enum quantity_number)metric;
}

bool flame_is_memory(unsigned metric)
{
	return quantity_is_in(QUANTITY_OF_SITE, flame_quantity(metric));
}

void flame_put_amount(struct strbuf *buffer, unsigned metric, int64_t amount)
{
	const struct quantity *quantity = &quantities[flame_quantity(metric)];

	if (quantity->unit == QUANTITY_NSEC)
		units_nsec(buffer, amount);
	else if (quantity->unit == QUANTITY_COUNT)
		units_counted(buffer, amount, quantity->phrase);
	else
		units_bytes(buffer, amount);
}

struct flame *flame_new(unsigned metric, bool is_difference)
{
	struct flame *flame = xcalloc(1, sizeof(*flame));

	flame->metric = metric;
	flame->is_difference = is_difference;
	flame_add(flame, FLAME_NONE, "all");
	return flame;
}

struct flame_box *flame_add(struct flame *flame, uint32_t parent, const char *name)
{
	struct flame_box *box = &ARRAY_ADD(flame->boxes, flame->count);

	*box = (struct flame_box){.name = name, .parent = parent};
	return box;
}

struct flame *flame_of_tree(struct calltree *tree, unsigned metric, bool is_difference)
{
	int place = quantity_place(QUANTITY_OF_TREE, flame_quantity(metric));
	struct flame *flame = flame_new(metric, is_difference);
	bool has_errors = !is_difference && (metric == FLAME_TIME ||
					     metric == FLAME_SELF || metric == FLAME_CPU);

	flame->tree = tree;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t parent =
			node->parent == CALLTREE_NONE ? FLAME_WHOLE : node->parent + 1;
		struct flame_box *box = flame_add(flame, parent, calltree_name(tree, i));

		if (node->function != CALLTREE_NONE) {
			const struct calltree_function *function =
				&tree->functions[node->function];

			box->file = function->file;
			box->line = function->file ? function->line : 0;
			box->is_library = function->is_library && !function->is_libc;
			box->group = function->component ? function->component
				     : box->is_library || !function->file
					     ? function->module
					     : function->file;
			box->is_folded =
				function->function_id == CALLTREE_FOLDED_FUNCTION;
		}
		box->is_unwound = node->is_frame;
		box->is_wait =
			node->self_blocked_ns > (node->self_ns - node->self_ready_ns) / 2;
		box->self = place < 0 ? 0 : node->quantities[place];
		box->self_before = is_difference ? node->before : 0;
		box->presence = (box->self > 0 ? FLAME_AFTER : 0) |
				(box->self_before > 0 ? FLAME_BEFORE : 0);
		box->self_error = has_errors ? node->self_error_ns : 0;
		box->total_error = has_errors ? node->total_error_ns : 0;
		box->recording = node->recording ? calltree_recording_word(node) : NULL;
	}
	return flame;
}

const char *flame_copy(struct flame *flame, const char *text)
{
	return arena_copy(&flame->texts, text, strlen(text));
}

/* Negative numbers of damaged files count as 0. */
void flame_sum(struct flame *flame)
{
	for (size_t i = 0; i < flame->count; i++) {
		struct flame_box *box = &flame->boxes[i];

		box->self = box->self > 0 ? box->self : 0;
		box->self_before = box->self_before > 0 ? box->self_before : 0;
		box->total = box->self;
		box->total_before = box->self_before;
	}
	for (size_t i = flame->count; i-- > 1;) {
		const struct flame_box *box = &flame->boxes[i];
		struct flame_box *parent = &flame->boxes[box->parent];

		quantity_add(&parent->total, box->total);
		quantity_add(&parent->total_before, box->total_before);
		parent->presence |= box->presence;
		if (box->parent == FLAME_WHOLE) {
			quantity_add(&parent->total_error, box->total_error);
			quantity_add(&parent->total_error_before,
				     box->total_error_before);
		}
	}
}

static void choose_shown(struct flame *flame)
{
	double whole = (double)flame->boxes[FLAME_WHOLE].total;

	flame->boxes[FLAME_WHOLE].is_shown = true;
	for (size_t i = 1; i < flame->count; i++) {
		struct flame_box *box = &flame->boxes[i];
		bool has_parent = flame->boxes[box->parent].is_shown;

		box->is_shown =
			has_parent && box->total > 0 &&
			units_share((double)box->total, whole) >= flame->least_percent;
		if (box->is_shown || box->total <= 0)
			continue;
		flame->left_out_count++;
		if (has_parent)
			quantity_add(&flame->left_out, box->total);
	}
}

static int heaviest_first(const void *left, const void *right, void *context)
{
	const struct flame *flame = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct flame_box *x = &flame->boxes[a], *y = &flame->boxes[b];
	int order = (x->total < y->total) - (x->total > y->total);

	if (order == 0)
		order = strcmp(x->name, y->name);
	return order ? order : (a > b) - (a < b);
}

/* Shown boxes by caller: the callees of box i are list[first[i]] to list[first[i + 1] -
 * 1]. */
struct callees {
	uint32_t *first, *list;
};

static struct callees find_callees(struct flame *flame)
{
	struct callees callees = {xcalloc(flame->count + 2, sizeof(uint32_t)),
				  xcalloc(flame->count + 1, sizeof(uint32_t))};
	uint32_t *first = callees.first;

	for (size_t i = 1; i < flame->count; i++)
		if (flame->boxes[i].is_shown)
			first[flame->boxes[i].parent + 2]++;
	for (size_t i = 2; i < flame->count + 2; i++)
		first[i] += first[i - 1];
	/* first[i + 1] runs from where the list of i starts to where it ends. */
	for (uint32_t i = 1; i < flame->count; i++)
		if (flame->boxes[i].is_shown)
			callees.list[first[flame->boxes[i].parent + 1]++] = i;
	for (size_t i = 0; i < flame->count; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(callees.list + first[i], first[i + 1] - first[i],
				sizeof(uint32_t), heaviest_first, flame);
	return callees;
}

/* Places the callees of a box side by side and pushes them; the leftmost is popped
 * first. */
static size_t push_callees(struct flame *flame, const struct callees *callees,
			   uint32_t at, uint32_t *stack, size_t depth)
{
	double whole = (double)flame->boxes[FLAME_WHOLE].total;
	double left = flame->boxes[at].left;
	uint32_t first = callees->first[at], end = callees->first[at + 1];

	for (uint32_t i = first; i < end; i++) {
		struct flame_box *box = &flame->boxes[callees->list[i]];

		box->level = flame->boxes[at].level + 1;
		box->left = left;
		box->width = (double)box->total / whole;
		left += box->width;
	}
	for (uint32_t i = end; i > first; i--)
		stack[depth++] = callees->list[i - 1];
	return depth;
}

static void place(struct flame *flame)
{
	struct callees callees = find_callees(flame);
	uint32_t *stack = xreallocarray(NULL, flame->count + 1, sizeof(*stack));
	size_t depth = 0;

	flame->order = xreallocarray(NULL, flame->count, sizeof(*flame->order));
	flame->boxes[FLAME_WHOLE].width = 1;
	for (stack[depth++] = FLAME_WHOLE; depth > 0;) {
		uint32_t at = stack[--depth];

		flame->order[flame->shown_count++] = at;
		if (flame->boxes[at].level >= flame->level_count)
			flame->level_count = flame->boxes[at].level + 1;
		depth = push_callees(flame, &callees, at, stack, depth);
	}
	free(stack);
	free(callees.first);
	free(callees.list);
}

/* A path that exists after, but has nothing of the metric there, counts as gone, too: it
 * has no width. */
static bool is_gone(const struct flame_box *box)
{
	return box->total_before > 0 && box->total == 0;
}

static int most_gone_first(const void *left, const void *right, void *context)
{
	const struct flame *flame = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t x = flame->boxes[a].total_before, y = flame->boxes[b].total_before;
	int order = (x < y) - (x > y);

	return order ? order : (a > b) - (a < b);
}

static void list_gone(struct flame *flame)
{
	for (uint32_t i = 1; i < flame->count; i++) {
		const struct flame_box *box = &flame->boxes[i];

		if (!is_gone(box) ||
		    (box->parent != FLAME_WHOLE && is_gone(&flame->boxes[box->parent])))
			continue;
		ARRAY_ADD(flame->gone, flame->gone_count) = i;
	}
	if (flame->gone_count)
		qsort_r(flame->gone, flame->gone_count, sizeof(*flame->gone),
			most_gone_first, flame);
}

void flame_lay_out(struct flame *flame, double least_percent)
{
	flame->least_percent = least_percent;
	choose_shown(flame);
	place(flame);
	if (flame->is_difference)
		list_gone(flame);
}
