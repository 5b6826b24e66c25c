/* SPDX-License-Identifier: MIT */
/*
 * How a program was built, as far as its file tells: what a recording of it can show, and
 * what to build differently. Must not run it, or print.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/recipe.h"

#define BUILD_COMPILERS_MOST 4
#define BUILD_LIBRARIES_MOST 8
#define BUILD_NAME_MOST 64

/* One compiler, with the number of its units. */
struct build_compiler {
	char name[BUILD_NAME_MOST];
	size_t unit_count;
};

struct build_report {
	bool is_stripped; /* no symbol table but that of the dynamic linker */
	bool has_debug;	  /* debug information, its own or found beside it */
	bool is_pie, is_library;
	bool is_cxx; /* by its units or its libraries */
	bool is_cut; /* not all was read: what is told is a part */

	/* From its code. */
	size_t function_count, hooked_count, frame_count;
	uint64_t call_count;

	/* Among the functions that call the hook and have known names: all, those of
	 * system headers and other libraries (library.h), and those of templates. */
	size_t named_count, library_count, template_count;

	/* From its debug information, else from .comment; most units first, without units
	 * in assembler. */
	enum compiler compiler;
	struct build_compiler compilers[BUILD_COMPILERS_MOST];
	size_t compiler_count, unit_count;
	size_t told_count; /* units whose switches are recorded; of these: */
	size_t hooks_count, after_inlining_count, exclude_count, lto_count, frames_count;
	char level; /* of most of them, see compiler.h */

	/* Libraries that it links: all, and those with hooks. */
	size_t needed_count, hooked_libraries;
	char libraries[BUILD_LIBRARIES_MOST][BUILD_NAME_MOST]; /* with hooks */
};

/* Examines the ELF file at path. 0; -errno: it cannot be read; -EFBIG: reading takes too
 * long, or crashed the child. */
int build_examine(const char *path, struct build_report *ret);

/* Are many of its hooks in headers that the next build should leave out? Never for clang
 * when nothing was inlined with its hooks. */
bool build_has_many_headers(const struct build_report *build);
