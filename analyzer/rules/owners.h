/* SPDX-License-Identifier: MIT */
/*
 * Allocation sites summed by owner: the innermost function on a site's path that is
 * neither a library's nor an allocator wrapper. It is the one that can be changed. Must
 * not judge.
 */
#pragma once

#include "analyzer/rules/rule.h"
#include "analyzer/tree/wrappers.h"

#define MEMORY_SUMS 8
/* Nobody reads more findings of one rule; the largest owners are kept. */
#define MEMORY_OWNERS_MOST 20

struct memory_owner {
	uint32_t function; /* index in the tree's functions */
	/* The owner on the path of its heaviest site; for a wrapper, the function that
	 * asked there. */
	uint32_t node;
	/* Functions that asked a wrapper. */
	uint32_t *askers;
	size_t asker_count;
	double weight;	  /* of that site */
	const char *file; /* of the owner's call if known, else NULL */
	int64_t line;
	uint32_t wrapped; /* innermost wrapper on that path, or node itself */
	/* Functions between the owner and its sites: libraries and wrappers. */
	uint32_t *below;
	size_t below_count;
	double sums[MEMORY_SUMS]; /* the first is the weight */
};

/* Zeroed: none. */
struct memory_owners {
	struct memory_owner *list;
	size_t count;
	uint32_t *by_function; /* by function of the tree: 1 + index in list, 0 if none */
	struct strbuf columns; /* the table's columns for the sums */
	size_t sum_count;
	struct memory_owners *plain; /* the same with wrappers as owners */
	bool has_wrappers;
};

/* The user's limits, or the defaults. */
struct wrapper_limits memory_wrapper_limits(struct rule_input *input);

/* Runs the rule's query for sites: path_id, file, line, call_file, call_line, then the
 * sums. Sorts by the first sum, largest first. RULE_DONE or -errno. */
int memory_owners_load(struct rule_input *input, struct memory_owners *ret);
/* Makes the table owner from the largest: owner_id (from 1), function_id and the sums;
 * and the table every_owner from all together. 0 or -errno. */
int memory_owners_keep(struct rule_input *input, const struct memory_owners *owners);
void memory_owners_free(struct memory_owners *owners);

/* Adds a finding about an owner of input->owners. Its proof starts with a table "below"
 * of the paths that its sites can have; "{owned}" refers to it. */
struct finding *memory_owner_finding(struct rule_input *input, struct findings *ret,
				     size_t owner_id, const char **proof);
/* ", with 3 other callers of xmalloc" if the blocks are shared with others, else
 * nothing. */
const char *memory_owner_others(struct rule_input *input, size_t owner_id);
