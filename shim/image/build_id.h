/* SPDX-License-Identifier: MIT */
/* By what an object file is known. Runs on: traced threads, any context. */
#pragma once

#include <stddef.h>

#include "common/segment.h"

/* Copies the build-id among these ELF notes, if there is one. */
void build_id_copy(struct segment_module *module, const char *notes, size_t size);
