/* SPDX-License-Identifier: MIT */
/* Cases: which place, and which parts when there are too many. */
#include "shim/study/keep.h"

#include "common/arrays.h"
#include "shim/core/process.h"

struct segment_case *keep_cases(const struct lane_context *context,
				const struct segment_study *study)
{
	const struct segment_lane *lane = context->lane;
	const struct segment_study *first = arrays_entries(lane, &lane->studies);
	struct segment_case *cases = arrays_entries(lane, &lane->cases);

	return cases + (study - first) * SEGMENT_STUDY_CASES;
}

struct segment_case *keep_slow_place(struct segment_case *cases, uint64_t ticks)
{
	struct segment_case *least = cases;

	for (uint32_t i = 0; i < SEGMENT_STUDY_SLOWEST; i++) {
		if (!cases[i].serial)
			return &cases[i];
		if (cases[i].own_ticks < least->own_ticks)
			least = &cases[i];
	}
	return ticks > least->own_ticks ? least : NULL;
}

/* How much there is to say of a part, as a power of two. A site has no time of its own:
 * an allocation is taken for so many ticks, as are so many bytes that are touched. */
#define ALLOC_TICKS 64u
#define TICK_BYTES 16u
#define WEIGHTS 64u

static uint32_t weight_of(const struct segment_case_part *part)
{
	uint64_t weight = part->ticks + part->alloc_count * ALLOC_TICKS +
			  part->alloc_bytes / TICK_BYTES;

	return 63u - (uint32_t)__builtin_clzll(weight | 1);
}

/* Those of this weight and more are all kept; *ret_more of the next lower one. */
static uint32_t lowest_weight(const struct subtree_parts *parts, uint32_t *ret_more)
{
	uint32_t counts[WEIGHTS] = {0}, sum = 0, weight = WEIGHTS;

	for (uint32_t i = 0; i < parts->count; i++)
		counts[weight_of(&parts->all[i])]++;
	while (weight && sum + counts[weight - 1] <= SEGMENT_CASE_PARTS)
		sum += counts[--weight];
	*ret_more = weight ? SEGMENT_CASE_PARTS - sum : 0;
	return weight;
}

static uint32_t copy_parts(struct segment_case_part *to,
			   const struct subtree_parts *parts)
{
	uint32_t more, lowest = lowest_weight(parts, &more), count = 0;

	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t weight = weight_of(&parts->all[i]);

		if (weight >= lowest)
			to[count++] = parts->all[i];
		else if (weight + 1 == lowest && more && more--)
			to[count++] = parts->all[i];
	}
	return count;
}

/* Of nanoseconds. */
static uint64_t ticks_of(uint64_t ns)
{
	return (uint64_t)((double)ns * process_facts.run->ticks_per_second / 1e9);
}

static uint64_t own_ticks(const struct keep_call *call, const struct subtree_parts *parts)
{
	uint64_t ready_ns =
		parts->ready_ns > call->ready_ns ? parts->ready_ns : call->ready_ns;
	uint64_t ready_ticks = ticks_of(ready_ns);

	return call->ticks > ready_ticks ? call->ticks - ready_ticks : 0;
}

/* Stores of one thread are seen in their order, by whoever maps the same page. */
void keep_write(struct segment_case *to, const struct keep_call *call,
		const struct subtree_parts *parts)
{
	uint32_t serial = to->serial | 1;

	__atomic_store_n(&to->serial, serial, __ATOMIC_RELEASE);
	__asm__ volatile("" : : : "memory");
	to->begin_ticks = call->begin_ticks;
	to->ticks = call->ticks;
	to->own_ticks = own_ticks(call, parts);
	to->number = call->number;
	to->beside_call_count = call->beside_call_count;
	to->beside_ticks = call->beside_ticks;
	to->node = call->node;
	to->thread = call->thread;
	to->is_slow = 0;
	to->part_count = copy_parts(to->parts, parts);
	to->folded_count = parts->count - to->part_count + (uint32_t)parts->folded_count;
	/* release: the reader of an even number finds all of it */
	__atomic_store_n(&to->serial, serial + 1, __ATOMIC_RELEASE);
}

void keep_slow(struct segment_study *study, struct segment_case *place,
	       const struct keep_call *call, const struct subtree_parts *parts)
{
	if (place->serial && own_ticks(call, parts) <= place->own_ticks) {
		study->ready_count++;
		study->ready_ticks += call->ticks - own_ticks(call, parts);
		return;
	}
	keep_write(place, call, parts);
	place->is_slow = 1;
}
