/* SPDX-License-Identifier: MIT */
/* What the files of the leaks report share. */
#pragma once

#include "analyzer/findings/suppress.h"
#include "analyzer/reports/report.h"

/* --suppressions, applied to a tree. */
struct leak_filter {
	struct suppressions suppressions;
	size_t *nodes; /* by node: the suppression of its path, or SUPPRESS_NONE */
	const struct calltree *tree;
};

/* Loads --suppressions; without the option there are none. */
void leak_filter_load(struct report_input *input, const struct calltree *tree,
		      struct leak_filter *ret);
/* The suppression of a site: by a function on its path, or by the file of its call. */
size_t leak_filter_find(const struct leak_filter *filter, int64_t path_id,
			const char *file);
