/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions that rules fit. A confined child, with one time limit for all,
 * reads each object that the run's processes list once; what the rules fit is published
 * (common/segment_control.h). Runs on: one thread. Must not demangle what cannot fit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/live/control.h"
#include "collector/read/segment_file.h"
#include "common/base/map.h"
#include "common/base/text.h"
#include "common/segment_control.h"
#include "common/selection.h"

/*
 * A word that the linkage name of every function that a whole-name rule fits must
 * contain, as compilers spell identifiers out. It is the last word of the rule's name
 * that linkage names do not abbreviate ("std::string", "int") and that no wildcard or
 * incomplete bracket touches. Size 0: there is none, and any function may fit.
 */
struct name_word {
	const char *text; /* borrowed from the rule */
	size_t size;
};

struct name_word name_word_find(const char *rule, size_t size);

/* Rules about whole C++ names. all: the rules; of_parameters: the same, but of the whole
 * names only those with parameters. printed: rules copied from a report, without "[2]" at
 * the end; NULL: not such a rule. text: scratch memory. */
struct whole_name {
	struct selection all, of_parameters;
	struct printed_rule *printed[SELECTION_RULE_LIMIT];
	bool has_printed, has_suffixes;		      /* "f [a.c]" */
	struct name_word words[SELECTION_RULE_LIMIT]; /* of the rules */
	struct strbuf text;
};

/* A function by demangled name. Paths may be NULL: not known. */
struct whole_function {
	const char *name, *file, *module;
};

void whole_name_begin(struct whole_name *ret, const struct selection *selection);
void whole_name_done(struct whole_name *names);

/* Do rules distinguish functions by source file, and by one with this base name? */
bool whole_name_has_files(const struct whole_name *names);
bool whole_name_has_file(const struct whole_name *names, const char *file);

/* Returns false when no whole-name rule fits the function of this linkage name. Much
 * faster than demangling it. */
bool whole_name_may_fit(const struct whole_name *names, const char *linkage_name,
			size_t size);

/* The set of rules that a function fits: by its full name, without parameters
 * ("a::f<int>"), also without its own template arguments ("a::f"), or in any form that a
 * report may show: "f [a.c]", "a::..<int>". */
uint64_t whole_name_fit(struct whole_name *names, const struct whole_function *function);

struct resolver;

/* The rules are borrowed. */
struct resolver *resolver_new(const struct selection *selection);
void resolver_free(struct resolver *resolver);

/* fittings: ascending by address, owned by the caller (free). trouble: a reason, for
 * people, why rules may fit less than they should; NULL: none. */
struct resolved {
	struct segment_fitting *fittings;
	size_t count;
	bool has_hooks;
	const char *trouble;
};

/* Reads the object's symbols and debug information if it has hooks. */
void resolver_read(struct resolver *resolver, const struct segment_module *module,
		   struct resolved *ret);

struct answers {
	const struct segment_run *run; /* borrowed */
	struct control control;
	struct selection selection;
	struct resolver *resolver;  /* NULL: no rules to apply here */
	struct map numbers;	    /* of objects */
	struct segment_answer *all; /* objects that were read, as processes list them */
	uint32_t count;
	uint64_t trouble_count;
	char trouble[256]; /* the first */
};

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run);
void answers_end(struct answers *answers);

/* Are there rules to apply? */
static inline bool answers_are_asked(const struct answers *answers)
{
	return answers->resolver != NULL;
}

/* Reads an object that a process lists, unless it is known already. */
void answers_add(struct answers *answers, const struct segment_module *module);

/* How many objects the process lists now; unchecked. */
uint32_t listed_count(const struct segment_reader *reader, uint32_t slot);

/* Passes on the objects of the slot's process if that has this pid. */
void listed_show(struct answers *answers, const struct segment_reader *reader,
		 uint32_t slot, int32_t pid);
