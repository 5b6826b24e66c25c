/* SPDX-License-Identifier: MIT */
/* The lists of reports, in the order of --help, and of exports that are .sql files. */
#include "analyzer/reports/report.h"

#define SQL_REPORT REPORT
#define SQL_PART(name)
#define SQL_EXPORT(name)
#define REPORT(name) &report_##name,

const struct report *const report_registry[] = {
#include "analyzer/reports/registry.def"
};
const size_t report_registry_count = sizeof(report_registry) / sizeof(report_registry[0]);

#undef REPORT
#undef SQL_EXPORT
#define REPORT(name)
#define SQL_EXPORT(name) &report_##name,

const struct report *const report_exports[] = {
#include "analyzer/reports/registry.def"
	NULL};
