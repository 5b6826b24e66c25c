/* SPDX-License-Identifier: MIT */
/*
 * The shared libraries a program links, found like the dynamic loader finds them but
 * without running it. Must not run anything or print.
 */
#pragma once

#include <libelf.h>

/* Called once for each library; path and elf are borrowed. Non-zero ends the search. */
typedef int target_library_visitor(const char *path, Elf *elf, void *context);

/* Visits the libraries that program (at path) needs and those that they need, nearest
 * first. Libraries that are not found or cannot be read are passed over. Returns the last
 * value of visit, 0 when nothing was visited, or -ENOMEM. */
int target_libraries(const char *path, Elf *program, target_library_visitor *visit,
		     void *context);
