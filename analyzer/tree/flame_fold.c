/* SPDX-License-Identifier: MIT */
/* Boxes that are nobody's code as one. Must not lose what a box has by itself. */
#include "analyzer/tree/flame.h"

#include "common/base/xalloc.h"
#include "analyzer/tree/frames.h"

#include <stdlib.h>

static void add(int64_t *sum, int64_t amount)
{
	if (__builtin_add_overflow(*sum, amount, sum))
		*sum = INT64_MAX;
}

static struct frames_node *list_nodes(const struct flame *flame)
{
	struct frames_node *nodes = xcalloc(flame->count, sizeof(*nodes));

	for (size_t i = 1; i < flame->count; i++) {
		const struct flame_box *box = &flame->boxes[i];

		nodes[i - 1] = (struct frames_node){
			.parent = box->parent == FLAME_WHOLE ? FRAMES_NONE
							     : box->parent - 1,
			.function = box->function,
			.name = box->name,
			.is_library = box->is_library,
			.is_libc = box->is_libc,
		};
	}
	return nodes;
}

/* Adds what a box has by itself; is_inside: it stands below. */
static void merge(struct flame_box *into, const struct flame_box *box, bool is_inside)
{
	add(&into->self, box->self);
	add(&into->self_before, box->self_before);
	add(&into->self_error, box->self_error);
	if (!is_inside) {
		add(&into->total_error, box->total_error);
		add(&into->total_error_before, box->total_error_before);
	}
	into->presence |= box->presence;
	into->is_unwound = into->is_unwound && box->is_unwound;
	into->is_wait = into->is_wait && box->is_wait;
	if (!into->recording)
		into->recording = box->recording;
}

static void label_box(struct flame *flame, struct flame_box *box, const char *label)
{
	box->name = flame_copy(flame, label);
	box->file = NULL;
	box->line = 0;
	box->is_unwound = false;
	box->is_folded = true;
}

/* Boxes that are left move up, callers before callees as they were. */
static void move_up(struct flame *flame, const struct frames_node *nodes,
		    const struct frames *frames)
{
	uint32_t *numbers = xcalloc(flame->count, sizeof(*numbers));
	size_t kept = 1;

	for (size_t i = 1; i < flame->count; i++) {
		struct flame_box box = flame->boxes[i];
		uint32_t into = frames->into[i - 1] + 1;

		box.parent = numbers[box.parent];
		if (into != i) {
			numbers[i] = numbers[into];
			merge(&flame->boxes[numbers[i]], &box,
			      frames_is_inside(frames, nodes, i - 1));
			continue;
		}
		numbers[i] = (uint32_t)kept;
		flame->boxes[kept++] = box;
		if (frames->labels[i - 1])
			label_box(flame, &flame->boxes[kept - 1], frames->labels[i - 1]);
	}
	flame->count = kept;
	free(numbers);
}

void flame_fold(struct flame *flame, unsigned what)
{
	struct frames_node *nodes = list_nodes(flame);
	struct frames frames = frames_fold(nodes, flame->count - 1, what);

	if (frames.any) {
		flame->folded_count = frames.merged_count;
		flame->is_library_folded = (what & FRAMES_LIBRARY) != 0;
		move_up(flame, nodes, &frames);
	}
	frames_done(&frames);
	free(nodes);
}
