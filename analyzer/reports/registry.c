/* SPDX-License-Identifier: MIT */
/* The list of reports, in the order of --help. */
#include "analyzer/reports/report.h"

extern const struct report report_bottlenecks;
extern const struct report report_callers;
extern const struct report report_compare;
extern const struct report report_components;
extern const struct report report_critical;
extern const struct report report_delta;
extern const struct report report_doctor;
extern const struct report report_exclude_list;
extern const struct report report_export;
extern const struct report report_flamegraph;
extern const struct report report_functions;
extern const struct report report_io;
extern const struct report report_leaks;
extern const struct report report_locks;
extern const struct report report_mcp;
extern const struct report report_memory;
extern const struct report report_ranks;
extern const struct report report_report;
extern const struct report report_resources;
extern const struct report report_runs;
extern const struct report report_selftest_gate;
extern const struct report report_snapshot;
extern const struct report report_snapshots;
extern const struct report report_sql;
extern const struct report report_steps;
extern const struct report report_timeline;
extern const struct report report_tree;
extern const struct report report_why;

const struct report *const report_registry[] = {
	&report_report,	 &report_bottlenecks, &report_functions,    &report_tree,
	&report_callers, &report_why,	      &report_locks,	    &report_critical,
	&report_memory,	 &report_leaks,	      &report_snapshot,	    &report_snapshots,
	&report_delta,	 &report_components,  &report_steps,	    &report_timeline,
	&report_io,	 &report_resources,   &report_flamegraph,   &report_export,
	&report_compare, &report_ranks,	      &report_runs,	    &report_sql,
	&report_doctor,	 &report_mcp,	      &report_exclude_list, &report_selftest_gate,
};
const size_t report_registry_count = sizeof(report_registry) / sizeof(report_registry[0]);
