/* SPDX-License-Identifier: MIT */
/*
 * The functions that rules fit: each object that the processes of a run list is read once
 * by a confined child, whose time is bounded for all of them together, and what rules fit
 * of it is published (common/segment_control.h). Runs on: one thread. Must not demangle
 * what cannot fit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/live/control.h"
#include "collector/read/segment_file.h"
#include "common/base/map.h"
#include "common/base/strbuf.h"
#include "common/segment_control.h"
#include "common/selection.h"

/*
 * A word that is part of the linkage name of each function that a rule about whole names
 * fits, as the compiler writes identifiers out: the last of its name that has no short
 * form there ("std::string", "int"), nor anything around it that a wildcard or a bracket
 * that is not whole may have. Size 0: there is none, any function may fit.
 */
struct name_word {
	const char *text; /* borrowed from the rule */
	size_t size;
};

struct name_word name_word_find(const char *rule, size_t size);

/* Is it in the linkage name? */
bool name_word_is_in(const struct name_word *word, const char *linkage_name, size_t size);

/* Rules about whole C++ names. all: the rules; of_parameters: the same, but of whole
 * names only those with parameters. printed: those that were copied from a report,
 * without "[2]" at the end; NULL: the rule is no such one. text: memory for pieces of
 * names. */
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

struct resolver;

/* For these rules, which are borrowed. */
struct resolver *resolver_new(const struct selection *selection);
void resolver_free(struct resolver *resolver);

/* fittings: ascending by address, owned by the caller (free). trouble: why rules may fit
 * less than they should, for people; NULL: nothing is wrong. */
struct resolved {
	struct segment_fitting *fittings;
	size_t count;
	bool has_hooks;
	const char *trouble;
};

/* Reads the object's symbols and debug information, when it has hooks. */
void resolver_read(struct resolver *resolver, const struct segment_module *module,
		   struct resolved *ret);

struct answers {
	const struct segment_run *run; /* borrowed */
	struct control control;
	struct selection selection;
	struct resolver *resolver;  /* NULL: no rule is ours to apply */
	struct map numbers;	    /* of objects */
	struct segment_answer *all; /* those that were read; as processes list them */
	uint32_t count;
	uint64_t trouble_count;
	char trouble[256]; /* the first */
};

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run);
void answers_end(struct answers *answers);

/* Are there rules to be applied? */
static inline bool answers_are_asked(const struct answers *answers)
{
	return answers->resolver != NULL;
}

/* Shows an object that a process lists. One that is known is not read again. */
void answers_add(struct answers *answers, const struct segment_module *module);

/* How many it lists now; unchecked. */
uint32_t listed_count(const struct segment_reader *reader, uint32_t slot);

/* Shows those of the process that has the slot, which is this one. */
void listed_show(struct answers *answers, const struct segment_reader *reader,
		 uint32_t slot, int32_t pid);
