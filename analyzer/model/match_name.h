/* SPDX-License-Identifier: MIT */
/*
 * What stays of a function's name when its program is built again. Must not use
 * addresses: they change with every build.
 *
 * Each function appends to key. The tiers that use them are in compare_match.c.
 */
#pragma once

#include "common/base/strbuf.h"

#include <stdbool.h>

/* The file name of a path, of a shared library without its version: libz.so.1.2.13 gives
 * libz.so. NULL gives nothing. */
void match_add_base(struct strbuf *key, const char *path);

/* A linkage name without what compiler and linker hang on it: .constprop.0, .isra.1,
 * .part.2, .cold, .lto_priv.3, .localalias, .llvm.123, .__uniq.456, @VERSION. */
void match_add_stripped(struct strbuf *key, const char *linkage_name);

/* A demangled name in one spelling: without return type, ABI tags and the inline
 * namespaces of the standard library; lambdas as GCC writes them; the anonymous namespace
 * as the file it is in (NULL: not known). */
void match_add_canonical(struct strbuf *key, const char *name, const char *file);

/* The family of a canonical name: template arguments as <>, without parameters. False,
 * and nothing is added, when the function itself is not made from a template. */
bool match_add_family(struct strbuf *key, const char *canonical);

/* The last part of a canonical name, without template arguments and parameters. */
void match_add_unqualified(struct strbuf *key, const char *canonical);
