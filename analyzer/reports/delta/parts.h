/* SPDX-License-Identifier: MIT */
/* What the files of the delta report share. */
#pragma once

#include "analyzer/reports/sites.h"
#include "analyzer/model/delta.h"
#include "analyzer/reports/report.h"
#include "analyzer/tree/components.h"
#include "analyzer/reports/snapshots/find.h"

enum delta_by { DELTA_BY_PATH, DELTA_BY_FUNCTION, DELTA_BY_LINE, DELTA_BY_COMPONENT };

struct delta_site {
	int64_t site_id, path_id;
	uint32_t node;		 /* of the tree, or CALLTREE_NONE */
	struct site_place place; /* its file in delta.texts, or of the tree */
	struct delta_entry entry;
};

struct delta {
	enum delta_by by;
	struct snapshot_list list;
	const struct snapshot_process *process;
	struct moment a, b, c;
	bool is_live;	       /* the run goes on: its exit is now */
	int64_t counted_calls; /* of the whole run */
	bool has_between; /* what was allocated and called between A and B is known */
	struct calltree *tree;
	bool *passes;		  /* --focus and --ignore let a node's path through */
	struct delta_site *sites; /* by site_id */
	size_t site_count, site_capacity;
	struct components components; /* DELTA_BY_COMPONENT: of the tree's nodes */
	struct arena texts;
};

/* All return a status; the sentence is set then. */
enum exit_status delta_load_sites(struct report_input *input, struct delta *delta);
/* Makes the numbers of the tree's nodes those between A and B. */
enum exit_status delta_load_paths(struct report_input *input, struct delta *delta);

/* The component of a node, never NULL. */
const char *delta_component(const struct delta *delta, uint32_t node);

/* Adds what the moments are; total: of all sites that are shown. */
void delta_add_head(struct doc *doc, const struct delta *delta,
		    const struct delta_entry *total);
/* Adds the head and the tables of what changed. */
enum exit_status delta_add_changes(struct report_input *input, struct doc *doc,
				   const struct delta *delta);
/* Says which functions have no time and no calls, see estimates.h. */
void delta_note_left_out(struct doc *doc, const struct calltree *tree);
/* Adds the tables of calls and time spent between A and B. */
enum exit_status delta_add_times(struct report_input *input, struct doc *doc,
				 const struct delta *delta);

/* A site, or several summed up. */
struct delta_change {
	const struct delta_site *site; /* one of them */
	uint32_t owner;		       /* node, or CALLTREE_NONE */
	struct delta_entry entry;
	struct delta_result result;
};

struct delta_changes {
	const struct delta *delta;
	struct delta_change *list;
	size_t count;
	struct delta_entry total, unchanged;
	size_t unchanged_count;
};

/* The sites that pass, summed up by delta->by and in order; free(ret->list). */
void delta_collect(struct report_input *input, const struct delta *delta,
		   struct delta_changes *ret);
/* Takes out what is not shown: sites where nothing happened and, for people, those that
 * have what they had (the second table has those that allocated). */
void delta_drop_unchanged(struct delta_changes *changes, bool for_people);
bool delta_has_allocated(const struct delta *delta, const struct delta_result *result);
/* The number of the function that a change counts to, or CALLTREE_NONE. */
uint32_t delta_function_of(const struct delta *delta, const struct delta_change *change);
