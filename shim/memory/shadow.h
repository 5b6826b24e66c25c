/* SPDX-License-Identifier: MIT */
/*
 * The shadow map: for every live heap block one 64-bit word that says which site
 * allocated it, how large, and in which snapshot interval. Must not lock or call libc. A
 * block's word belongs to whoever owns the block between malloc and free, so plain loads
 * and stores suffice.
 *
 * A directory covers the 47-bit address space; each entry is a region that holds a word
 * per SHADOW_GRAIN bytes of 64 MiB of heap, mapped on first use, private (a forked
 * child inherits the words with the blocks). The word: site 24 bits, size 28, interval
 * 12. A block too large for 28 bits covers many grains: its second word holds the size.
 * 0 is no block.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/attributes.h"

#define SHADOW_REGION_SHIFT 26 /* 64 MiB of heap per region */
#define SHADOW_REGIONS (1ull << (47 - SHADOW_REGION_SHIFT))
#define SHADOW_SITE_LIMIT (1u << 24)
#define SHADOW_SITE_TOOL (SHADOW_SITE_LIMIT - 1) /* a block of our own */
#define SHADOW_SIZE_LARGE ((1ull << 28) - 1)

struct shadow_block {
	uint32_t site; /* 0: unknown block */
	uint32_t interval;
	uint64_t size_bytes;
};

extern hidden uint64_t **shadow_directory;     /* NULL: allocations are not tracked */
extern hidden unsigned int shadow_grain_shift; /* 4: the allocator aligns to 16; or 3 */

/* Reserves the directory. grain_shift as above. 0, or -errno. Boot, once. */
int shadow_begin(unsigned int grain_shift);

/* Maps the region of an address. NULL: no memory, or not a heap address. */
uint64_t *shadow_region_slow(uintptr_t address);

/* Maps what the heap may grow into next, as far as there is room. */
void shadow_reserve(void);

/* The word of an address, NULL when the region was never used (make: is mapped). */
static inline uint64_t *shadow_word(uintptr_t address, int make)
{
	uint64_t *region;

	if (unlikely(address >> 47 || !shadow_directory))
		return NULL;
	/* acquire: pairs with the release in shadow_region_slow() */
	region = __atomic_load_n(&shadow_directory[address >> SHADOW_REGION_SHIFT],
				 __ATOMIC_ACQUIRE);
	if (unlikely(!region)) {
		region = make ? shadow_region_slow(address) : NULL;
		if (!region)
			return NULL;
	}
	return &region[(address & ((1ull << SHADOW_REGION_SHIFT) - 1)) >>
		       shadow_grain_shift];
}

/* Makes room for a block. Returns its word, where not 0 means that a free was missed;
 * NULL: no memory, the block cannot be tracked. */
static inline uint64_t *shadow_room(uintptr_t address, uint64_t size_bytes)
{
	uint64_t *word = shadow_word(address, 1);

	if (unlikely(size_bytes >= SHADOW_SIZE_LARGE)) {
		uint64_t *second = shadow_word(address + (1ull << shadow_grain_shift), 1);

		if (!second)
			return NULL;
		*second = size_bytes;
	}
	return word;
}

/* Enters a block into the room made for it. */
static inline void shadow_enter(uint64_t *word, uint32_t site, uint64_t size_bytes,
				uint32_t interval)
{
	uint64_t size = size_bytes < SHADOW_SIZE_LARGE ? size_bytes : SHADOW_SIZE_LARGE;

	*word = (uint64_t)site | size << 24 | (uint64_t)interval << 52;
}

/* Both. Returns the word that stood there; UINT64_MAX: no memory. */
static inline uint64_t shadow_put(uintptr_t address, uint32_t site, uint64_t size_bytes,
				  uint32_t interval)
{
	uint64_t *word = shadow_room(address, size_bytes), old;

	if (unlikely(!word))
		return UINT64_MAX;
	old = *word;
	shadow_enter(word, site, size_bytes, interval);
	return old;
}

/* What a word says. size_bytes is SHADOW_SIZE_LARGE where the second word has it. */
static inline struct shadow_block shadow_block_of(uint64_t word)
{
	return (struct shadow_block){
		.site = (uint32_t)(word & (SHADOW_SITE_LIMIT - 1)),
		.interval = (uint32_t)(word >> 52),
		.size_bytes = (word >> 24) & SHADOW_SIZE_LARGE,
	};
}

/* The live block that an address lies in, which begins less than `reach` bytes before it,
 * and where. 0: there is none. */
int shadow_around(uintptr_t address, uintptr_t reach, uintptr_t *ret_start,
		  struct shadow_block *ret);

/* Takes a block out. site 0: it was not there. */
static inline struct shadow_block shadow_take(uintptr_t address)
{
	uint64_t *word = shadow_word(address, 0);
	struct shadow_block block = {0};

	if (unlikely(!word || !*word))
		return block;
	block = shadow_block_of(*word);
	*word = 0;
	if (unlikely(block.size_bytes == SHADOW_SIZE_LARGE)) {
		word = shadow_word(address + (1ull << shadow_grain_shift), 0);
		if (word) {
			block.size_bytes = *word;
			*word = 0;
		}
	}
	return block;
}
