/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the report exclude-list share.
 *
 * Names as gcc looks at them for -finstrument-functions-exclude-function-list: it looks
 * for its words anywhere in a function's name with namespace and class, without
 * parameters and return type. Measured with gcc 12; tests/host/exclude_list.py builds it.
 */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/reports/trust/facts.h"

struct candidate {
	const char *name, *file; /* in the document; file NULL: not known */
	const char *visible;	 /* as gcc sees it */
	const char *word;    /* NULL: there is none that leaves out only what is chosen */
	const char *by_file; /* the word for the list of files; NULL: none */
	const char *reason;  /* why neither */
	uint32_t line;
	int64_t function_id, calls, self_ns, self_error_ns;
	struct hooks_cost saved;
	bool is_chosen;
};

struct exclusion {
	struct report_input *input;
	struct doc *doc;
	const struct run_facts *facts;
	struct candidate
		*list; /* all functions; from exclude_choose() on the chosen come first */
	size_t count, capacity, chosen_count;
	double calls, left_out_count; /* of the chosen, and how many more there were */
	struct hooks_cost saved;
	const char *gcc; /* the flags */
};

/* build.c: of --program. */
enum exit_status exclude_program(struct report_input *input, struct doc *doc);

/* All functions into the list. 0, or -errno, then the error is set. */
int exclude_load(struct exclusion *exclusion);
/* Puts the chosen first, the most expensive in front; not those that hardly cost
 * anything, nor more than --limit. */
void exclude_choose(struct exclusion *exclusion);
/* Sets word, by_file or reason of one that is chosen. */
void exclude_find_word(struct exclusion *exclusion, struct candidate *one);

/* Appends that name of a demangled one: "ns::twice<int>" of "int ns::twice<int>(int)",
 * "ns::{anonymous}::f" of "ns::(anonymous namespace)::f()". */
void exclude_visible(struct strbuf *buffer, const char *name);
/*
 * Appends the part of a visible name to look for: not what gcc writes in another way than
 * demanglers, the template arguments of classes (it leaves out defaults): ">::get" of
 * "ns::Box<int, 3>::get", nor those of a function. Nothing when there is none: of a
 * lambda, or with characters that cannot stand in a flag.
 */
void exclude_word(struct strbuf *buffer, const char *visible);
