/* SPDX-License-Identifier: MIT */
/* Compilers, and what their own words tell. Must not believe that a text ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <libelf.h>

#include "common/flags/recipe.h"

/* By the words that compilers leave in .comment. Startup files are gcc's in programs of
 * clang, too, so clang's word counts more. */
enum compiler compiler_of_file(Elf *elf);

/* What a producer's text (DW_AT_producer) tells of one unit. The text is changed by
 * nobody and borrowed. */
struct compiler_flags {
	enum compiler compiler;
	size_t name_length; /* of the text's start: the compiler and its version */
	bool are_told;	    /* the switches are recorded */
	bool is_assembler;
	bool has_hooks, after_inlining, excludes_files, has_lto, keeps_frames;
	char level; /* 0 to 3, 's', 'g', 'f' (-Ofast), 'z'; only when they are told */
};

void compiler_read(const char *producer, struct compiler_flags *ret);
