/* SPDX-License-Identifier: MIT */
/* The function the user means by a word. */
#pragma once

#include "analyzer/reports/report.h"

struct found_function {
	int64_t function_id;
	const char *name;      /* in the document */
	size_t namesake_count; /* others of exactly this name */
};

/* Looks for an exact name, then a linkage name, then the name without arguments and
 * namespaces, then a part of one; "#12" is a function_id. Several that fit equally well
 * or none: error with the nearest. */
enum exit_status callers_find(struct report_input *input, struct doc *doc,
			      const char *wanted, struct found_function *ret);
