/* SPDX-License-Identifier: MIT */
/* Rules about whole C++ names. Must not demangle. */
#pragma once

#include "common/base/strbuf.h"
#include "common/selection.h"

/* all: the rules; of_parameters: the same, but of whole names only those with
 * parameters. text: memory for pieces of names. */
struct whole_name {
	struct selection all, of_parameters;
	struct strbuf text;
};

void whole_name_begin(struct whole_name *ret, const struct selection *selection);
void whole_name_done(struct whole_name *names);

/* The rules that a demangled name fits: as it is, without parameters ("a::f<int>"),
 * without the function's own template arguments, too ("a::f"), or as it is printed. */
uint64_t whole_name_fit(struct whole_name *names, const char *name);
