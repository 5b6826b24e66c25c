/* SPDX-License-Identifier: MIT */
/*
 * An arena's first bytes: an ELF image that says how to unwind through it, as the loader
 * would tell it of an object. No code of an arena uses the stack, so one rule holds for
 * all of it. Runs on: any thread and context; an arena once it is written stays.
 */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#define ARENA_IMAGE_BYTES 384u

/* Of an arena of this size that begins there, and can be written. */
void arena_image_write(uint8_t *start, uint64_t size);

/* What _dl_find_object() would say of it. */
void arena_image_find(uintptr_t start, struct dl_find_object *ret);

/* What dl_iterate_phdr() would: all but how many objects have come and gone. */
void arena_image_tell(uintptr_t start, struct dl_phdr_info *ret);
