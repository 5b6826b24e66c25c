/* SPDX-License-Identifier: MIT */
/* What the files of the leaks report share. */
#pragma once

#include "analyzer/findings/suppress.h"
#include "analyzer/reports/report.h"

/* --suppressions, applied to a tree. */
struct leak_filter {
	struct suppressions suppressions;
	size_t *nodes; /* for each node the suppression of its path, or SUPPRESS_NONE */
	const struct calltree *tree;
};

/* Without --suppressions an empty one. */
enum exit_status leak_filter_load(struct report_input *input, const struct calltree *tree,
				  struct leak_filter *ret);
/* It has suppressed something. */
bool leak_filter_is_used(const struct leak_filter *filter);
void leak_filter_free(struct leak_filter *filter);
/* The suppression of a site: of a function of its path, or of the file of its call. */
size_t leak_filter_find(const struct leak_filter *filter, int64_t path_id,
			const char *file);

/* Takes suppressed rows out of a table of sites and counts them. */
void leak_filter_apply(struct leak_filter *filter, struct table *table);
/* Adds what was suppressed, by pattern. */
void leak_filter_report(struct doc *doc, const struct leak_filter *filter);

/* Adds how the sites developed over the snapshots; anything: something is live, so that
 * too few snapshots are worth a word. */
enum exit_status leaks_add_growth(struct report_input *input, struct doc *doc,
				  const struct calltree *tree,
				  const struct leak_filter *filter, bool anything);
