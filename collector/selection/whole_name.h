/* SPDX-License-Identifier: MIT */
/* Rules about whole C++ names. Must not demangle. */
#pragma once

#include <stdbool.h>

#include "collector/selection/name_word.h"
#include "common/base/strbuf.h"
#include "common/selection.h"

/* all: the rules; of_parameters: the same, but of whole names only those with
 * parameters. printed: those that were copied from a report, without "[2]" at the end;
 * NULL: the rule is no such one. text: memory for pieces of names. */
struct whole_name {
	struct selection all, of_parameters;
	struct printed_rule *printed[SELECTION_RULE_LIMIT];
	bool has_printed, has_suffixes;		      /* "f [a.c]" */
	struct name_word words[SELECTION_RULE_LIMIT]; /* of the rules */
	struct strbuf text;
};

/* A function: its demangled name; paths may be NULL: not known. */
struct whole_function {
	const char *name, *file, *module;
};

void whole_name_begin(struct whole_name *ret, const struct selection *selection);
void whole_name_done(struct whole_name *names);

/* Do rules tell functions apart by source files; by one of this base name? */
bool whole_name_has_files(const struct whole_name *names);
bool whole_name_has_file(const struct whole_name *names, const char *file);

/* False: no rule about whole names fits the function of this linkage name. That takes
 * much less time than to demangle it. */
bool whole_name_may_fit(const struct whole_name *names, const char *linkage_name,
			size_t size);

/* The rules that a function fits: its name as it is, without parameters ("a::f<int>"),
 * without its own template arguments, too ("a::f"), or in any form in which a report may
 * show it: "f [a.c]", "a::..<int>". */
uint64_t whole_name_fit(struct whole_name *names, const struct whole_function *function);
