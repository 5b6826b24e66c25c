/* SPDX-License-Identifier: MIT */
/* What sites do for the snapshots that have been taken. */
#include "shim/memory/site_past.h"

#include "common/book.h"
#include "shim/core/process.h"
#include "shim/core/shared_slot.h"

/* Chains of free_ages by (site, born, freed). 256 Ki heads: with all 2 M entries taken a
 * chain has 8. */
#define AGE_HEADS (1u << 18)

/* Far more than a sound book has in a chain: its entries are no circle. */
#define AGE_STEPS 4096

/* Where the book's arrays are, of which the file has a copy that others can write. Made
 * when the book is mapped; the same for all processes of a file. */
static struct segment_book layout;

static int begin_book(void *start, uint32_t slot)
{
	struct segment_book *book = start;
	int result = process_commit(book, slot, 0, sizeof(*book));

	if (result == 0)
		book_layout(book, process_facts.file->slot_size, process->slot);
	return result;
}

/* Maps the book, and makes it when make is set. Under the process lock. */
static struct segment_book *map_book(int make)
{
	uint32_t *number = &process->segment->book_slot;

	/* relaxed: shared_slot_map() looks again */
	if (!make && !__atomic_load_n(number, __ATOMIC_RELAXED))
		return NULL;
	return shared_slot_map(number, SEGMENT_SLOT_BOOK, begin_book);
}

struct segment_book *site_past_book(int make)
{
	/* acquire: pairs with the release below */
	struct segment_book *book = __atomic_load_n(&process->book, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (book || !process_lock(&mask))
		return book;
	book = process->book;
	if (!book) {
		book = map_book(make);
		if (!layout.magic)
			book_layout(&layout, process_facts.file->slot_size, 0);
		__atomic_store_n(&process->book, book, __ATOMIC_RELEASE);
	}
	process_unlock(&mask);
	return book;
}

/* What is missing from here on: the snapshots after the site's or block's last one. */
static void is_incomplete(struct segment_book *book, uint32_t number)
{
	uint32_t expected = 0;

	/* the first one is kept, which is not always the lowest: readers drop a few more
	 * or less of a recording that is out of room, and count them */
	if (book)
		__atomic_compare_exchange_n(&book->incomplete_from, &expected, number, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int site_past_commit(void *data, uint64_t offset, uint64_t size)
{
	return process_commit(data, process->segment->book_slot, offset, size);
}

/* The next free entry of an array that many threads append to, or NULL: no room. */
static void *append(struct segment_book *book, enum array_number number,
		    uint32_t *ret_index)
{
	struct segment_array *array = arrays_in(book, number);
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
				     site_past_commit, book);
		process_unlock(&mask);
	}
	return result < 0 ? NULL
			  : (char *)arrays_entries(book, at) +
				    (uint64_t)index * array_kinds[number].entry_bytes;
}

void cold site_past_keep(struct segment_site *site, uint32_t index, uint32_t interval)
{
	struct segment_book *book;
	struct segment_site_past *past;
	uint32_t unused;

	if (site->alloc_count) {
		book = site_past_book(0);
		past = book ? append(book, ARRAY_SITE_PASTS, &unused) : NULL;
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
			is_incomplete(book, site->interval + 1);
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
static struct segment_free_age *find_age(struct segment_book *book, uint32_t *head,
					 uint32_t site, uint32_t born, uint32_t freed)
{
	struct segment_free_age *ages = arrays_entries(book, &layout.free_ages);
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
		age = append(book, ARRAY_FREE_AGES, &index);
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
	struct segment_book *book = site_past_book(0);
	uint32_t *heads = book ? age_heads() : NULL;
	struct segment_free_age *age =
		heads ? find_age(book,
				 &heads[hash_age(block->site, block->interval, interval)],
				 block->site, block->interval, interval)
		      : NULL;

	if (age) {
		age->free_count += (uint64_t)(int64_t)add;
		age->free_bytes += block->size_bytes * (uint64_t)(int64_t)add;
	} else {
		is_incomplete(book, block->interval + 1);
	}
}
