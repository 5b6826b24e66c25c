/* SPDX-License-Identifier: MIT */
/*
 * What stays of a function's name when its program is built again. Must not use
 * addresses: they change with every build.
 *
 * Each function appends to key. The tiers that use them are in names.c and
 * neighbours.c.
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

/* A linkage name without what tells variants of a constructor or destructor apart; so of
 * some other names, too, whose demangled names are not the same then. false: it has none
 * of that, and is added as it is. */
bool match_add_family(struct strbuf *key, const char *linkage_name);

/* Is the one a variant that calls the other for the same object? They have the same
 * demangled name. */
bool match_calls_variant(const char *linkage_name, const char *other);

/* A demangled name in one spelling (cxx_canonical.h), with parameters; lambdas as GCC
 * writes them; the anonymous namespace as the file it is in (NULL: not known). */
void match_add_canonical(struct strbuf *key, const char *name, const char *file);

/* A demangled name without template arguments and parameters, also of the functions that
 * lambdas stand in; the anonymous namespace as the file it is in (NULL: not known). */
void match_add_qualified(struct strbuf *key, const char *full, const char *file);

/* The last part of that, without namespaces and classes; of a lambda with its parent. */
void match_add_last(struct strbuf *key, const char *full);

/* Have two last parts a word of three letters or more in common, whatever its case?
 * "parseLine" and "read_line" do. Takes time as the product of their lengths. */
bool match_share_word(const char *a, const char *b);
