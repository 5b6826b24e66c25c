/* SPDX-License-Identifier: MIT */
/*
 * Finds the place of each node of a lane in the merged tree. Must not follow an index
 * before it was compared with its count.
 */
#include "collector/merge/place.h"

#include "common/base/xalloc.h"

/* Is it a frame found by unwinding? False for a call site in the function's own code. */
static int place_is_frame(const struct segment_node *node)
{
	return place_is_return_address(node) && !segment_key_is_call_site(node->key);
}

/* The call site of a function or libc call, as a return address key; 0: not known. */
static uint64_t call_site_of(const struct lane_walk *walk, uint32_t index)
{
	const struct read_lane_data *data = &walk->data;

	return index < data->call_site_count && data->call_sites[index].key &&
			       (place_is_function(&data->nodes[index]) ||
				segment_key_is_libc(data->nodes[index].key))
		       ? data->call_sites[index].key | SEGMENT_KEY_RETURN_ADDRESS
		       : 0;
}

/* The innermost place that is not a library's, or IDENTIFY_NONE. */
static uint32_t user_place(const struct identify *identify, uint32_t first,
			   uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		if (!identify->functions[identify->places[i].function].is_library)
			return i;
	}
	return IDENTIFY_NONE;
}

/* The first place (index in identify->places) at the return address of an unwound frame
 * or level; callees of that node were called there. IDENTIFY_NONE: not known. */
static uint32_t place_below(struct lane_walk *walk, uint32_t node)
{
	uint64_t key = walk->data.nodes[node].key, address;
	uint32_t count, module;

	if (segment_key_is_level(key)) {
		module = modules_locate(walk->modules, key, &address);
		if (identify_known(&walk->merge->identify, module, address - 1) !=
		    IDENTIFY_NONE)
			return IDENTIFY_NONE; /* an entry, no call site */
	} else if (!place_is_frame(&walk->data.nodes[node])) {
		return IDENTIFY_NONE;
	}
	return identify_places(&walk->merge->identify, walk->modules, key, &count);
}

/* How many of the functions at an address are inlined into the function of `path`, the
 * innermost with a frame. All of them when that function is not among them. */
static uint32_t count_inside(const struct lane_walk *walk, uint32_t path, uint32_t first,
			     uint32_t count)
{
	const struct merge *merge = walk->merge;

	for (uint32_t i = 0; path && i < count; i++) {
		if (merge->identify.places[first + i].function ==
		    merge->paths[path].function)
			return i;
	}
	return count;
}

/* Adds a level for a function that is counted without frames. Others have frames of their
 * own or no hooks. */
static void add_level(struct lane_walk *walk, struct node_place *place, uint32_t function,
		      uint32_t call)
{
	struct merge *merge = walk->merge;

	if (map_get(&merge->mode_map, walk->process_index, function, 0) == MAP_NONE ||
	    !merge_has_room(merge, place->path, function, MERGE_FUNCTION))
		return;
	place->path = merge_child_path(merge, place->path, function, MERGE_FUNCTION);
	place->call =
		merge_note_own_call(merge, place->path, call, call != IDENTIFY_NONE);
	if (merge->paths[place->path].recording < SEGMENT_RECORDING_COUNTED)
		merge->paths[place->path].recording = SEGMENT_RECORDING_COUNTED;
}

/* Adds levels for an address in the function of the node above: copies without frames
 * that are inlined there, or a part of a function that lies elsewhere. */
static void place_inlined(struct lane_walk *walk, struct node_place *place,
			  uint32_t first, uint32_t count)
{
	uint32_t begin = place->path, inside = count_inside(walk, begin, first, count);
	uint32_t call = inside < count ? first + inside : IDENTIFY_NONE;

	for (uint32_t i = first + inside; i-- > first; call = i)
		add_level(walk, place, walk->merge->identify.places[i].function, call);
}

static void place_return_address(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct node_place *parent = &walk->nodes[node->parent];
	struct node_place *place = &walk->nodes[index];
	struct identify *identify = &walk->merge->identify;
	uint32_t count, around = parent->around;
	uint32_t first = identify_places(identify, walk->modules, node->key, &count);

	place->user = user_place(identify, first, count);
	if (place->user == IDENTIFY_NONE)
		place->user = parent->user;
	place->call = parent->call;
	if (around == LANE_ROOT || place_is_frame(&walk->data.nodes[node->parent])) {
		place->path = parent->path;
		if (!merge_frames(walk->merge, &place->path, first, count,
				  place_below(walk, node->parent)))
			count_add(&walk->merge->folded_call_count, 1);
		return;
	}
	place->path = parent->path;
	place_inlined(walk, place, first, count);
}

/* Adds a level; its key is the entry of a counted function or a return address. */
static void place_level(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];
	struct identify *identify = &walk->merge->identify;
	uint32_t begin = walk->nodes[place->around].path;
	uint32_t module, function, first, count, call = place_below(walk, node->parent);
	uint64_t address;

	module = modules_locate(walk->modules, node->key, &address);
	function = identify_known(identify, module, address - 1);
	if (function != IDENTIFY_NONE) {
		add_level(walk, place, function, call);
		return;
	}
	first = identify_places(identify, walk->modules, node->key, &count);
	if (place->around == node->parent)
		count = count_inside(walk, begin, first, count);
	for (uint32_t i = first + count; i-- > first; call = i)
		add_level(walk, place, identify->places[i].function, call);
}

/* Notes the levels by which a node was reached. */
static void place_arrival(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index], *to;
	uint64_t number = node->call_count;

	if (number >= walk->data.node_count && number < UINT32_MAX &&
	    place_is_cut(walk, (uint32_t)number))
		return;
	to = number < walk->data.node_count ? &walk->data.nodes[number] : NULL;
	if (number <= index || !to || !place_is_function(to) ||
	    !(to->unfinished & SEGMENT_NODE_DETOUR) || walk->nodes[number].owner ||
	    to->parent != walk->nodes[index].around ||
	    segment_key_address(to->key) != segment_key_address(node->key)) {
		walk->merge->damaged_count++;
		return;
	}
	walk->nodes[number].owner = node->parent;
}

static void place_level_or_arrival(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];
	const struct node_place *parent = &walk->nodes[node->parent];

	place->user = parent->user;
	place->path = parent->path;
	place->around = segment_key_is_level(walk->data.nodes[node->parent].key)
				? parent->around
				: node->parent;
	if (node->call_count)
		place_arrival(walk, index);
	else
		place_level(walk, index);
}

static void note_call(struct lane_walk *walk, uint32_t index, uint64_t key)
{
	struct node_place *place = &walk->nodes[index];
	uint32_t first, count;

	if (!key)
		return;
	first = identify_places(&walk->merge->identify, walk->modules, key, &count);
	place->call = merge_note_call(walk->merge, place->path, first, count);
}

/* A call site: where the function around it, or one that called that, was called from.
 * Code inside that function is nearer to the allocation, so it takes precedence. */
static void place_call_site(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];
	uint32_t count, first;

	place->path = walk->nodes[node->parent].path;
	place->user = walk->nodes[node->parent].user;
	place->call = walk->nodes[node->parent].call;
	if (place_is_function(&walk->data.nodes[node->parent]))
		note_call(walk, index, node->key);
	if (place->user != IDENTIFY_NONE)
		return;
	first = identify_places(&walk->merge->identify, walk->modules, node->key, &count);
	place->user = user_place(&walk->merge->identify, first, count);
}

/* Folds a node for which there is no room: its calls are counted, its time stays with the
 * caller, and its sites are the nearest ancestor's. */
static void fold_node(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];

	place->path = place->owner = walk->nodes[node->parent].path;
	place->user = walk->nodes[node->parent].user;
	place->is_folded = 1;
	if (node->call_count && !place_is_return_address(node))
		walk->merge->paths[place->path].has_folded = 1;
	count_add(&walk->merge->folded_call_count,
		  node->call_count ? node->call_count : 1);
}

static enum merge_kind kind_of(uint64_t key)
{
	if (!segment_key_is_region(key))
		return MERGE_FUNCTION;
	if (!segment_key_is_libc(key))
		return MERGE_REGION;
	return identify_libc_kind(key) == LIBC_CALL_WAIT ? MERGE_WAIT : MERGE_IO;
}

enum demangle_variant place_variant(const struct lane_walk *walk, uint32_t node)
{
	return identify_variant(&walk->merge->identify, walk->modules,
				walk->data.nodes[node].key);
}

/* Is this constructor or destructor entered for the same object as the node above? Per
 * object a variant calls each of those behind it at most once, and none before it; a
 * destructor that destroys others of its kind calls the first again, or itself. */
static int is_nested(const struct lane_walk *walk, uint32_t index, uint32_t function)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct segment_node *caller = &walk->data.nodes[node->parent];
	const struct node_place *above = &walk->nodes[node->parent];

	return walk->merge->identify.functions[function].variant != DEMANGLE_ONLY &&
	       node->parent > LANE_ROOT && place_is_function(caller) &&
	       walk->merge->paths[above->path].function == function &&
	       node->call_count <= caller->call_count &&
	       place_variant(walk, node->parent) != DEMANGLE_ONLY &&
	       place_variant(walk, node->parent) < place_variant(walk, index);
}

/* The path that a call of libc is below. Its stack was not walked, but where the first of
 * the calls was made is known: maybe in a function without frames. */
static uint32_t libc_caller(struct lane_walk *walk, uint32_t index, uint32_t parent)
{
	struct node_place caller = {.path = parent};
	uint64_t key = call_site_of(walk, index);
	uint32_t first, count;

	if (!key)
		return parent;
	first = identify_places(&walk->merge->identify, walk->modules, key, &count);
	place_inlined(walk, &caller, first, count);
	return caller.path;
}

static void place_function(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	struct node_place *place = &walk->nodes[index];
	enum merge_kind kind = kind_of(node->key);
	uint32_t owner = walk->nodes[node->parent].path;
	uint32_t parent = walk->nodes[place->owner ? place->owner : node->parent].path;
	uint32_t function =
		identify_function(&walk->merge->identify, walk->modules, node->key);

	if (kind == MERGE_WAIT || kind == MERGE_IO)
		parent = libc_caller(walk, index, parent);
	/* the last level is the function itself: a copy inlined there */
	if (parent != owner && walk->merge->paths[parent].function == function)
		parent = walk->merge->paths[parent].parent;
	place->user = IDENTIFY_NONE;
	place->owner = owner;
	place->is_nested = parent == owner && is_nested(walk, index, function);
	if (place->is_nested)
		place->path = parent;
	else if (merge_has_room(walk->merge, parent, function, kind))
		place->path = merge_child_path(walk->merge, parent, function, kind);
	else
		fold_node(walk, index);
	if (!place->is_nested && !place->is_folded)
		note_call(walk, index, call_site_of(walk, index));
}

static void place_node(struct lane_walk *walk, uint32_t index)
{
	const struct segment_node *node = &walk->data.nodes[index];
	const struct merge *merge = walk->merge;

	if (walk->nodes[node->parent].is_folded ||
	    merge->identify.function_count >= merge->path_limit ||
	    merge->identify.place_count >= merge->path_limit)
		fold_node(walk, index);
	else if (segment_key_is_level(node->key))
		place_level_or_arrival(walk, index);
	else if (segment_key_is_call_site(node->key))
		place_call_site(walk, index);
	else if (place_is_return_address(node))
		place_return_address(walk, index);
	else
		place_function(walk, index);
}

/* Parents come before their children. That alone keeps damaged trees free of cycles. */
void place_nodes(struct lane_walk *walk)
{
	uint32_t count = walk->data.node_count;

	walk->nodes = xcalloc(count, sizeof(*walk->nodes));
	if (count > LANE_ROOT)
		walk->nodes[LANE_ROOT] = (struct node_place){
			.user = IDENTIFY_NONE, .around = LANE_ROOT, .is_placed = 1};
	for (uint32_t i = LANE_ROOT + 1; i < count; i++) {
		identify_wish(&walk->merge->identify, walk->modules,
			      walk->data.nodes[i].key);
		identify_wish(&walk->merge->identify, walk->modules,
			      call_site_of(walk, i));
	}
	for (uint32_t i = LANE_ROOT + 1; i < count; i++) {
		const struct segment_node *node = &walk->data.nodes[i];

		if (node->parent >= i || !walk->nodes[node->parent].is_placed) {
			walk->merge->damaged_count++;
			continue;
		}
		place_node(walk, i);
		walk->nodes[i].is_placed = 1;
		if (segment_key_is_level(node->key))
			continue;
		walk->nodes[i].around =
			segment_key_is_region(node->key) ||
					segment_key_is_call_site(node->key)
				? walk->nodes[node->parent].around
				: i;
	}
}
