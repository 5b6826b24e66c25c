/* SPDX-License-Identifier: MIT */
/*
 * Allocation sites summed by owner: the innermost function on a site's path that is the
 * user's, not a library's, and no allocator wrapper. It is the one that can be changed.
 * Must not judge.
 */
#pragma once

#include "analyzer/rules/rule.h"
#include "analyzer/tree/wrappers.h"

#define MEMORY_SUMS 8
/* Nobody reads more findings of one rule; the owners are sorted, largest first. */
#define MEMORY_OWNERS_MOST 20

struct memory_owner {
	uint32_t function; /* number in the tree */
	/* The owner on the path of its heaviest site; of a wrapper who asked there. */
	uint32_t node;
	/* Functions that asked. */
	uint32_t *askers;
	size_t asker_count;
	double weight;	  /* of that site */
	const char *file; /* of the owner's call, when it is known; else NULL */
	int64_t line;
	uint32_t wrapped; /* the innermost wrapper on that path; node: there is none */
	/* Functions between the owner and its sites: libraries', and wrappers. */
	uint32_t *below;
	size_t below_count;
	double sums[MEMORY_SUMS]; /* the first is the weight */
};

/* Zeroed: none. */
struct memory_owners {
	struct memory_owner *list;
	size_t count;
	uint32_t *by_function; /* 1 + number in list; one for each function of the tree */
	struct strbuf columns; /* of the table: the names of the sums */
	size_t sum_count;
	struct memory_owners *plain; /* the same with wrappers as owners */
	bool has_wrappers;
};

/* As the user has set them; NULL: as they are else. */
struct wrapper_limits memory_wrapper_limits(struct rule_input *input);

/* Asks the rule for its sites: path_id, file, line, call_file, call_line, then what is
 * summed. Sorts by the first sum, largest first. RULE_DONE or -errno. */
int memory_owners_load(struct rule_input *input, struct memory_owners *ret);
/* Makes the largest the table owner: owner_id, from 1, function_id, then the sums; and
 * what all have together the table every_owner. 0 or -errno. */
int memory_owners_keep(struct rule_input *input, const struct memory_owners *owners);
void memory_owners_free(struct memory_owners *owners);

/* A finding about an owner of input->owners. Its proof begins with the table "below", the
 * paths that the owner's sites can have: "{owned}" asks for those. */
struct finding *memory_owner_finding(struct rule_input *input, struct findings *ret,
				     size_t owner_id, const char **proof);
/* ", with 3 other callers of xmalloc", or nothing: who shares the blocks of a finding. */
const char *memory_owner_others(struct rule_input *input, size_t owner_id);
