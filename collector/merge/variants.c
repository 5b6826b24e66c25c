/* SPDX-License-Identifier: MIT */
/* Which nodes are entered for the object of the node above, and how often. */
#include "collector/merge/variants.h"

#include <stdlib.h>

#include "common/base/array.h"

static struct variant_count *count_of(struct variant_list *list, uint32_t function,
				      enum demangle_variant variant)
{
	bool is_new;
	uint32_t index = map_number(&list->map, function, variant, 0, &is_new);

	if (is_new) {
		list->all = array_room(list->all, index, sizeof(*list->all));
		list->all[index] =
			(struct variant_count){.function = function, .variant = variant};
		list->count = index + 1;
	}
	return &list->all[index];
}

static void add_node(struct lane_walk *walk, uint32_t index, struct variant_list *list)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct node_place *place = &walk->nodes[index];
	uint32_t function = walk->merge->paths[place->path].function;
	struct variant_count *count;

	if (!walk->merge->identify.functions[function].variant)
		return;
	count = count_of(list, function, place_variant(walk, index));
	merge_add(&count->entry_count, node->call_count);
	if (!place->is_nested)
		return;
	merge_add(&count->nested_count, node->call_count);
	count = count_of(list, function, place_variant(walk, node->parent));
	merge_add(&count->caller_count, node->call_count);
}

void variants_find(struct lane_walk *walk, struct variant_list *ret)
{
	*ret = (struct variant_list){.count = 0};
	for (uint32_t i = LANE_ROOT + 1; i < walk->data.node_count; i++) {
		const struct node_place *place = &walk->nodes[i];

		if (place->is_placed && !place->is_folded && place->path &&
		    place_is_function(&walk->data.nodes[i]))
			add_node(walk, i, ret);
	}
}

const struct variant_count *variants_at(const struct variant_list *list,
					uint32_t function, enum demangle_variant variant)
{
	uint32_t index = map_get(&list->map, function, variant, 0);

	return index == MAP_NONE ? NULL : &list->all[index];
}

void variants_done(struct variant_list *list)
{
	free(list->all);
	map_done(&list->map);
	*list = (struct variant_list){.count = 0};
}
