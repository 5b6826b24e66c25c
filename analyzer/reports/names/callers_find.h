/* SPDX-License-Identifier: MIT */
/* The function the user means by a word. */
#pragma once

#include "analyzer/reports/report.h"

struct found_function {
	int64_t function_id;
	const char *name; /* in the document */
	const char *file;
	uint32_t line;
	int64_t calls, total_ns, self_ns, alloc_count, alloc_bytes;
	int64_t total_error_ns, self_error_ns;
	int64_t ready_ns, blocked_ns; /* of total_ns */
	int64_t self_ready_ns, self_blocked_ns;
	const char *recording; /* in the document; how: "exact" */
	size_t namesake_count; /* others of exactly this name */
};

/* Looks for an exact name, then a linkage name, then the name without arguments and
 * namespaces, then a part of one; "#12" is a function_id. Several that fit equally well
 * or none: error with the nearest. */
enum exit_status callers_find(struct report_input *input, struct doc *doc,
			      const char *wanted, struct found_function *ret);
