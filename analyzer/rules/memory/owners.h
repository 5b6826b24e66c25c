/* SPDX-License-Identifier: MIT */
/*
 * Allocation sites summed by owner: the innermost function on a site's path that is the
 * user's, not a library's, and no allocator wrapper. It is the one that can be changed.
 * Must not judge.
 */
#pragma once

#include "analyzer/rules/rule.h"

#define MEMORY_SUMS 8
/* Nobody reads more findings of one rule; the owners are sorted, largest first. */
#define MEMORY_FINDINGS_MOST 20

struct memory_owner {
	uint32_t function; /* number in the tree */
	uint32_t node;	   /* the owner on the path of its heaviest site */
	double weight;	   /* of that site */
	const char *file;  /* of the owner's call, when it is known; else NULL */
	int64_t line;
	uint32_t wrapped; /* the innermost wrapper on that path; node: there is none */
	/* Functions between the owner and its sites: libraries', and wrappers. */
	uint32_t *below;
	size_t below_count, below_capacity;
	size_t site_count;
	double sums[MEMORY_SUMS]; /* the first is the weight */
};

/* Zeroed: none. */
struct memory_owners {
	struct memory_owner *list;
	size_t count, capacity;
	uint32_t *by_function; /* 1 + number in list; one for each function of the tree */
	struct memory_owners *plain; /* the same with wrappers as owners */
	bool has_wrappers;
};

void memory_owners_add(struct rule_input *input, struct memory_owners *owners,
		       int64_t path_id, const char *file, int64_t line,
		       const double *values, size_t count);
/* Takes rows path_id, file, line, then what is summed; closes the cursor. Sorts by the
 * first sum, largest first. RULE_DONE or -errno. */
int memory_owners_load(struct rule_input *input, struct cursor *cursor,
		       struct memory_owners *ret);
void memory_owners_sort(struct memory_owners *owners);
void memory_owners_free(struct memory_owners *owners);

/* Adds a finding about an owner, if there is something to find. 0 or -errno. */
typedef int memory_owner_judge(struct rule_input *input, struct findings *ret,
			       const struct memory_owner *owner);

/* Calls add() with the largest owners; when none of them is found and wrappers split up
 * what they have, with the wrappers. Returns 0, or the first -errno of an add(). */
int memory_owners_each(struct rule_input *input, struct findings *ret,
		       const struct memory_owners *owners, memory_owner_judge *add);
/* The same for the owners of a query's rows. */
int memory_owners_judge(struct rule_input *input, struct findings *ret,
			struct cursor *cursor, memory_owner_judge *add);

/* A finding about an owner; NULL: about the whole run. Its proof begins with the table
 * "below", the paths that the owner's sites can have: "{owned}" asks for those. */
struct finding *memory_owner_finding(struct rule_input *input, struct findings *ret,
				     const struct memory_owner *owner);
/* The run's time without what the recorder added to it and without waiting for a CPU: so
 * costs that were measured at rest can be compared with it. */
double memory_run_ns(struct rule_input *input);
/* What the finding could win of that time. */
void memory_win_time(struct rule_input *input, struct finding *finding, double ns);
/* Adds the cost that the saving was counted with, and the share of the run's own time. */
void memory_time_evidence(struct rule_input *input, struct finding *finding,
			  const char *limit, const char *name);
/* What it could win of the peak. */
void memory_win_bytes(struct rule_input *input, struct finding *finding, double bytes);
/* What it could win of what is live, which is a sum over processes: of all their peaks,
 * which is evidence behind these words. limit: the rule's that it crossed, or NULL. */
void memory_win_live(struct rule_input *input, struct finding *finding, double bytes,
		     const char *words, const char *limit);
/* A rule's proof: the owner's sites, of which the sums are; the condition as the rule's
 * own query has it. */
#define MEMORY_PROOF(columns, condition)                                                 \
	"SELECT name, file, line, " columns " FROM allocation_sites WHERE run_id = "     \
	"{run}{owned} AND " condition " ORDER BY 4 DESC"
