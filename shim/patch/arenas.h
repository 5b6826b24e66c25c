/* SPDX-License-Identifier: MIT */
/* Arenas: memory for stubs near the code that calls them, and what unwinders are told of
 * it. Runs on: see each function. */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#include "shim/core/own_memory.h"

/*
 * Memory for code of ours, in reach of the objects whose functions it is for. Runs on:
 * arenas_of(), arenas_in() and arenas_start(): any thread and context, no lock; the rest:
 * under the process lock. A forked child has them all. We never unmap one: a thread may
 * be in it.
 *
 * WHERE. Emulators, preloaders and images of Lisp map at addresses that they have
 * chosen, and a program that is linked to one may use all around it. What none can count
 * on is where the kernel's own choice may lie: below objects whose place is random; and,
 * of a program that is linked to its address, between its end and its heap, which begins
 * at random behind it. Behind the beginning of the heap is no place, either: it grows.
 */

/* A page for what all functions have in common, then pages with the code of each, then
 * those with the sites that it compares. The second page, and those this far behind it,
 * have pads (stubs.h). */
#define ARENA_BYTES (64u * 4096u)
#define ARENA_PADS_BYTES (16u * 4096u)
#define ARENA_LIMIT 1024u

/* The constructor, of a program that is linked to its address: finds out how much room
 * there is behind it. Where the heap begins right there, it begins 8 MiB later. */
void arenas_begin(const struct extent *program);

/* Where the heap has been made to begin; below it may be arenas. 0: where it was. */
uintptr_t arenas_heap(void);

/* One that is in reach of this place and has this part of all functions: if there is, of
 * the object that calls the hook by way of this place; or, where it need not be, another.
 * ARENA_LIMIT: there is none. */
uint32_t arenas_find(uintptr_t site, uint32_t part, uintptr_t hook, int has_to_be);
#define ARENA_ANY_PART UINT32_MAX

/* Memory for one, zeroed, that can be read, for an object that begins at this address.
 * NULL: there is none in reach, or no more arenas can be had. */
uint8_t *arenas_map(uintptr_t site, uintptr_t object, uintptr_t hook);

/* It is an image (arena_image_*), and has this part. */
void arenas_add(uint8_t *start, uint32_t part, uintptr_t hook);

/* Whose it is, by its index. */
uintptr_t arenas_hook(uint32_t index);

/* Where one begins that has a part in [low, high); 0: none. */
uintptr_t arenas_in(uintptr_t low, uintptr_t high);

/* The program is about to map something else over this one, to which nothing leads any
 * more: it is none of ours from here on. */
void arenas_give_up(uintptr_t start);

/* The part of the functions that the arena with this index has. */
uint32_t arenas_part(uint32_t index);

/* Where an arena begins: by its index; the one that this address is in. 0: none. */
uintptr_t arenas_start(uint32_t index);
uintptr_t arenas_of(uintptr_t address);

/*
 * An arena's first bytes: an ELF image that says how to unwind through it, as the loader
 * would tell it of an object. No code of an arena uses the stack, so one rule holds for
 * all of it. Runs on: any thread and context; an arena once it is written stays.
 */

#define ARENA_IMAGE_BYTES 384u

/* Of an arena of this size that begins there, and can be written. */
void arena_image_write(uint8_t *start, uint64_t size);

/* What _dl_find_object() would say of it. */
void arena_image_find(uintptr_t start, struct dl_find_object *ret);

/* What dl_iterate_phdr() would: all but how many objects have come and gone. */
void arena_image_tell(uintptr_t start, struct dl_phdr_info *ret);
