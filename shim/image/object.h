/* SPDX-License-Identifier: MIT */
/* What an object says of itself in memory. Runs on: traced threads, any context. Must not
 * be asked of one that the loader has not relocated. */
#pragma once

#include <link.h>
#include <stddef.h>

#include "common/segment.h"

/* Copies the build-id among these ELF notes, if there is one. */
void object_copy_build_id(struct segment_module *module, const char *notes, size_t size);

/* Was it compiled with hooks: does it call them? */
int object_calls_hooks(const struct dl_phdr_info *object);
