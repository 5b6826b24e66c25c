/* SPDX-License-Identifier: MIT */
/* The function the user means by a word. */
#pragma once

#include "analyzer/reports/report.h"

struct found_function {
	int64_t function_id;
	const char *name;      /* in the document */
	size_t namesake_count; /* others of exactly this name */
};

/* Looks for an exact name, a linkage name, the name without arguments and namespaces,
 * then a part of a name; "#12" is a function_id. If several fit equally well or none
 * does, ends the command and names the nearest. */
struct found_function callers_find(struct report_input *input, struct doc *doc,
				   const char *wanted);
