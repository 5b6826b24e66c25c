/* SPDX-License-Identifier: MIT */
/* Arenas: memory for stubs near the code that calls them, and what unwinders need to know
 * about it. Runs on: see each part. */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#include "shim/core/own_memory.h"

/*
 * Memory for our code, in reach of the objects that call it. Runs on: arenas_of(),
 * arenas_in() and arenas_start(): any thread and context, no lock; the rest: under the
 * process lock. A forked child inherits all arenas. We never unmap one: a thread may be
 * in it.
 *
 * WHERE. Emulators, preloaders and Lisp images map at addresses of their own choice, and
 * a program linked to an address may use all around it. No program can count on what the
 * kernel places at random. So arenas lie below objects at random addresses; for a program
 * linked to an address, between its end and its heap, which begins at random behind it.
 * Not in the heap's way: it grows.
 */

/* A page of common code, then pages of stubs, then pages with the sites that they
 * compare. The second page, and those at this distance behind it, have pads (stubs.h). */
#define ARENA_BYTES (64u * 4096u)
#define ARENA_PADS_BYTES (16u * 4096u)
#define ARENA_LIMIT 1024u

/* Finds the room behind a program that is linked to its address; moves a heap that begins
 * right there by 8 MiB. Called by the constructor. */
void arenas_begin(const struct extent *program);

/* Where the moved heap begins; arenas may be below. 0: it was not moved. */
uintptr_t arenas_heap(void);

/* The index of an arena in reach of this site with this part of all functions: made for
 * sites with the original target `hook` or, unless has_to_be, any. ARENA_LIMIT: there is
 * none. */
uint32_t arenas_find(uintptr_t site, uint32_t part, uintptr_t hook, int has_to_be);
#define ARENA_ANY_PART UINT32_MAX

/* Maps zeroed, readable memory for an arena, for an object that begins at this address.
 * NULL: there is no room in reach, or too many arenas. */
uint8_t *arenas_map(uintptr_t site, uintptr_t object, uintptr_t hook);

/* Adds a mapped arena, with its image (arena_image_*) and part, to the table. */
void arenas_add(uint8_t *start, uint32_t part, uintptr_t hook);

/* The original target of the sites that the arena was made for. */
uintptr_t arenas_hook(uint32_t index);

/* Where an arena that overlaps [low, high) begins; 0: none does. */
uintptr_t arenas_in(uintptr_t low, uintptr_t high);

/* Removes an arena that the program is about to map over. No site may lead to it any
 * more. */
void arenas_give_up(uintptr_t start);

/* The part of the functions that the arena with this index has. */
uint32_t arenas_part(uint32_t index);

/* Where an arena begins: by index, or by an address in it. 0: there is none. */
uintptr_t arenas_start(uint32_t index);
uintptr_t arenas_of(uintptr_t address);

/*
 * An arena begins with an ELF image that tells unwinders how to unwind through it. None
 * of its code uses the stack, so one rule holds for all of it. Runs on: any thread and
 * context; the image does not change once it is written.
 */

#define ARENA_IMAGE_BYTES 384u

/* Writes the image of an arena, whose first page must be writable. */
void arena_image_write(uint8_t *start);

/* Fills in what _dl_find_object() would say about it. */
void arena_image_find(uintptr_t start, struct dl_find_object *ret);

/* Fills in what dl_iterate_phdr() would say, except the numbers of objects loaded and
 * unloaded. */
void arena_image_tell(uintptr_t start, struct dl_phdr_info *ret);
