/* SPDX-License-Identifier: MIT */
/*
 * What to build with, by compiler. The one place of these words: exclude-list, doctor and
 * the findings tell them.
 */
#pragma once

#define RECIPE_HOOKS "-finstrument-functions"

enum compiler { COMPILER_UNKNOWN, COMPILER_GCC, COMPILER_CLANG, COMPILER_OTHER };

/* "gcc", "clang" or NULL. */
const char *compiler_word(enum compiler compiler);

/* Leaves the functions of system headers out: with gcc by their files, with clang those
 * that it inlines. To be added to RECIPE_HOOKS, or with clang to stand in its place. */
const char *recipe_headers(enum compiler compiler);

/* All that hooks need, without headers: one word or two with a space between. */
const char *recipe_flags(enum compiler compiler);

/* How to leave them out, as a sentence without its end. */
const char *recipe_advice(enum compiler compiler);
