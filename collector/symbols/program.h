/* SPDX-License-Identifier: MIT */
/* What a program's file tells before it runs. Must not run anything or print. */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Which functions of a file call the hook of entries, from its code. Functions are those
 * that have unwind information, as all of C and C++ have: it is there in stripped files,
 * too. A call is told by where it leads, without disassembling.
 */
struct hook_function {
	uint64_t address; /* in the file */
	uint32_t calls;	  /* of the hook, in its code: more than one are of what the
			     compiler inlined there */
};

struct hook_calls {
	struct hook_function *functions; /* ascending */
	size_t function_count;
	size_t hooked_count; /* of them, that call the hook */
	uint64_t call_count;
	size_t frame_count; /* that begin by keeping a frame pointer */
};

/* Fills *ret, also where nothing can be told. */
void hook_calls_find(Elf *elf, struct hook_calls *ret);

/* The shared libraries a program links, found like the dynamic loader finds them. Called
 * once for each library; path and elf are borrowed. Non-zero ends the search. */
typedef int target_library_visitor(const char *path, Elf *elf, void *context);

/* Visits the libraries that program (at path) needs and those that they need, nearest
 * first. Libraries that are not found or cannot be read are passed over. Returns the last
 * value of visit, 0 when nothing was visited, or -ENOMEM. */
int target_libraries(const char *path, Elf *program, target_library_visitor *visit,
		     void *context);
