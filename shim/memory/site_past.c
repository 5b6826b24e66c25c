/* SPDX-License-Identifier: MIT */
/* What sites do for the snapshots that have been taken. */
#include "shim/memory/site_past.h"

#include "common/history.h"
#include "shim/core/process.h"

/* Chains of free_ages by (site, born, freed). 256 Ki heads: with all 2 M entries taken a
 * chain has 8. */
#define AGE_HEADS (1u << 18)

/* Far more than a sound history has in a chain: its entries are no circle. */
#define AGE_STEPS 4096

/* Where the history's arrays are, of which the file has a copy that others can write.
 * Made when the history is mapped; the same for all processes of a file. */
static struct segment_history layout;

static int begin_history(void *start, uint32_t slot)
{
	struct segment_history *history = start;
	int result = process_commit(history, slot, 0, sizeof(*history));

	if (result == 0)
		history_layout(history, process_facts.file->slot_size, process->slot);
	return result;
}

/* Maps the history, and makes it when make is set. Under the process lock. */
static struct segment_history *map_history(int make)
{
	uint32_t *number = &process->segment->history_slot;

	/* relaxed: shared_slot_map() looks again */
	if (!make && !__atomic_load_n(number, __ATOMIC_RELAXED))
		return NULL;
	return shared_slot_map(number, SEGMENT_SLOT_HISTORY, begin_history);
}

struct segment_history *site_past_history(int make)
{
	/* acquire: pairs with the release below */
	struct segment_history *history =
		__atomic_load_n(&process->history, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (history || !process_lock(&mask))
		return history;
	history = process->history;
	if (!history) {
		history = map_history(make);
		if (!layout.magic)
			history_layout(&layout, process_facts.file->slot_size, 0);
		__atomic_store_n(&process->history, history, __ATOMIC_RELEASE);
	}
	process_unlock(&mask);
	return history;
}

/* What is missing from here on: the snapshots after the site's or block's last one. */
static void is_incomplete(struct segment_history *history, uint32_t number)
{
	uint32_t expected = 0;

	/* the first one is kept, which is not always the lowest: readers drop a few more
	 * or less of a recording that is out of room, and count them */
	if (history)
		__atomic_compare_exchange_n(&history->incomplete_from, &expected, number,
					    0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int site_past_commit(void *data, uint64_t offset, uint64_t size)
{
	return process_commit(data, process->segment->history_slot, offset, size);
}

/* The next free entry of an array that many threads append to, or NULL: no room. */
static void *append(struct segment_history *history, enum array_number number,
		    uint32_t *ret_index)
{
	struct segment_array *array = arrays_in(history, number);
	const struct segment_array *at = arrays_in(&layout, number);
	/* relaxed: a number is all that is taken */
	uint32_t index = __atomic_fetch_add(&array->count, 1, __ATOMIC_RELAXED);
	int result = 0;
	uint64_t mask;

	*ret_index = index;
	/* acquire: pairs with the release in arrays_grow() */
	if (index >= at->capacity ||
	    index >= __atomic_load_n(&array->committed, __ATOMIC_ACQUIRE)) {
		if (index >= at->capacity || !process_lock(&mask))
			return NULL;
		result = arrays_grow(number, at, &array->committed, index + 1,
				     site_past_commit, history);
		process_unlock(&mask);
	}
	return result < 0 ? NULL
			  : (char *)arrays_entries(history, at) +
				    (uint64_t)index * array_kinds[number].entry_bytes;
}

void cold site_past_keep(struct segment_site *site, uint32_t index, uint32_t interval)
{
	struct segment_history *history;
	struct segment_site_past *past;
	uint32_t unused;

	if (site->alloc_count) {
		history = site_past_history(0);
		past = history ? append(history, ARRAY_SITE_PASTS, &unused) : NULL;
		if (past) {
			past->first = (uint16_t)(site->interval + 1);
			past->last = (uint16_t)interval;
			past->alloc_count = site->alloc_count;
			past->alloc_bytes = site->alloc_bytes;
			past->free_count = site->free_count;
			past->free_bytes = site->free_bytes;
			/* release: an entry with its site is whole */
			__atomic_store_n(&past->site, index, __ATOMIC_RELEASE);
		} else {
			is_incomplete(history, site->interval + 1);
		}
	}
	site->interval = interval;
}

static uint32_t *age_heads(void)
{
	uint32_t *heads = __atomic_load_n(&process->age_heads, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (heads || !process_lock(&mask))
		return heads;
	if (!process->age_heads) {
		heads = process_map(AGE_HEADS * sizeof(*heads), 1);
		__atomic_store_n(&process->age_heads, heads, __ATOMIC_RELEASE);
		process_count(SEGMENT_COUNTER_TOOL_BYTES, AGE_HEADS * sizeof(*heads));
	}
	heads = process->age_heads;
	process_unlock(&mask);
	return heads;
}

static uint32_t hash_age(uint32_t site, uint32_t born, uint32_t freed)
{
	uint64_t key = (uint64_t)site << 24 | born << 12 | freed;

	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 46) & (AGE_HEADS - 1);
}

/* Two threads never add the same entry: it is the site's, which the caller has to itself.
 * Other sites' may come into the chain meanwhile. Index 0 is given away unused. */
static struct segment_free_age *find_age(struct segment_history *history, uint32_t *head,
					 uint32_t site, uint32_t born, uint32_t freed)
{
	struct segment_free_age *ages = arrays_entries(history, &layout.free_ages);
	uint32_t first = __atomic_load_n(head, __ATOMIC_ACQUIRE), index, steps = 0;
	struct segment_free_age *age;

	for (index = first; index; index = ages[index].next) {
		if (index >= layout.free_ages.capacity || steps++ == AGE_STEPS)
			return NULL;
		age = &ages[index];
		if (age->site == site && age->born == born && age->freed == freed)
			return age;
	}
	do {
		age = append(history, ARRAY_FREE_AGES, &index);
	} while (age && index == 0);
	if (!age)
		return NULL;
	age->born = (uint16_t)born;
	age->freed = (uint16_t)freed;
	do {
		age->next = first;
	} while (!__atomic_compare_exchange_n(head, &first, index, 0, __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
	__atomic_store_n(&age->site, site, __ATOMIC_RELEASE);
	return age;
}

void cold site_past_add_free(const struct shadow_block *block, uint32_t interval, int add)
{
	struct segment_history *history = site_past_history(0);
	uint32_t *heads = history ? age_heads() : NULL;
	struct segment_free_age *age =
		heads ? find_age(history,
				 &heads[hash_age(block->site, block->interval, interval)],
				 block->site, block->interval, interval)
		      : NULL;

	if (age) {
		age->free_count += (uint64_t)(int64_t)add;
		age->free_bytes += block->size_bytes * (uint64_t)(int64_t)add;
	} else {
		is_incomplete(history, block->interval + 1);
	}
}
