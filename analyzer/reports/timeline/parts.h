/* SPDX-License-Identifier: MIT */
/* The parts of the command `timeline`. */
#pragma once

#include "analyzer/reports/report.h"
#include "analyzer/reports/trust/facts.h"

/* What is shown of the run, and what all of it has. */
struct timeline_facts {
	int64_t from_ns, to_ns;
	int64_t floor_ns; /* as long as that calls are kept, 0: none are, -1: unknown */
	int64_t complete_ns; /* as long as that: all are there */
	int64_t kept_count, dropped_count, thread_ns, process_count;
};

/* --from and --to. */
enum exit_status timeline_range(struct report_input *input, int64_t wall_ns,
				struct timeline_facts *ret);

/* The rows of one of the queries in lanes.sql, within the range. */
struct cursor *timeline_query(struct report_input *input, const char *sql,
			      const struct timeline_facts *facts);

/* The lanes, for people. calls: the table of slow calls, in the order of the query. */
enum exit_status timeline_add_lanes(struct report_input *input, struct doc *doc,
				    const struct timeline_facts *facts,
				    const struct table *calls);

/* One line for each call path of these calls. */
enum exit_status timeline_add_paths(struct report_input *input, struct doc *doc,
				    const struct table *calls);
/* timeline.c: lanes and the longest calls of a whole run as a part of the report, when
 * calls were kept with their times. */
enum exit_status timeline_add_brief(struct report_input *input, struct doc *doc,
				    const struct run_facts *run);
