/* SPDX-License-Identifier: MIT */
/* Finds the node that a recursive call is merged into, and moves its time there. */
#include "shim/lane/recursion.h"

uint32_t recursion_find(const struct lane_context *context, uint32_t node, uint64_t key)
{
	while (node > LANE_ROOT && context->nodes[node].key != key)
		node = context->nodes[node].parent;
	return node > LANE_ROOT ? node : 0;
}

uint64_t recursion_leave(struct segment_frame *bottom, struct segment_frame *frame,
			 uint32_t current, uint64_t now)
{
	uint64_t ticks = now - frame->start_ticks;

	if ((int64_t)ticks < 0)
		return 0;
	/* as far as the call that was made from that node, or from one merged into it */
	for (; frame > bottom && frame->parent_node != current; frame--)
		frame[-1].start_ticks += ticks;
	return ticks;
}
