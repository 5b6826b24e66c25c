/* SPDX-License-Identifier: MIT */
/* What a program's file says before it runs. Must not run anything or print. */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Which functions of a file call the entry hook, judged by their code. Functions are
 * those with unwind information, which all C and C++ code has, even in stripped files.
 * Calls are recognised by their target, without disassembling.
 */
struct hook_function {
	uint64_t address; /* in the file */
	uint32_t calls; /* hook calls in its code; more than one: hooks of inlined code */
};

struct hook_calls {
	struct hook_function *functions; /* ascending */
	size_t function_count;
	size_t hooked_count; /* functions that call the hook */
	uint64_t call_count;
	size_t frame_count; /* functions that begin by setting a frame pointer */
};

/* Fills *ret in any case. */
void hook_calls_find(Elf *elf, struct hook_calls *ret);

/* Called once for each shared library that a program links, found as the dynamic loader
 * finds them. path and elf are borrowed. Non-zero ends the search. */
typedef int target_library_visitor(const char *path, Elf *elf, void *context);

/* Visits the libraries that program (at path) needs and those that they need, nearest
 * first. Skips libraries that are missing or unreadable. Returns the last value of visit,
 * 0 when nothing was visited, or -ENOMEM. */
int target_libraries(const char *path, Elf *program, target_library_visitor *visit,
		     void *context);
