/* SPDX-License-Identifier: MIT */
/*
 * Which functions of a file call the hook of entries, from its code. Functions are those
 * that have unwind information, as all of C and C++ have: it is there in stripped files,
 * too. Must not disassemble: a call is told by where it leads.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Fills *ret, also where nothing can be told. Free with hook_calls_done(). */
void hook_calls_find(Elf *elf, struct hook_calls *ret);
