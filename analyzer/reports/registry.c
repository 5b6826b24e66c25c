/* SPDX-License-Identifier: MIT */
/* The list of reports, in the order of --help. */
#include "analyzer/reports/report.h"

#define SQL_REPORT REPORT
#define SQL_PART(name)
#define REPORT(name) extern const struct report report_##name;
#include "analyzer/reports/registry.def"
#undef REPORT

const struct report *const report_registry[] = {
#define REPORT(name) &report_##name,
#include "analyzer/reports/registry.def"
#undef REPORT
};
const size_t report_registry_count = sizeof(report_registry) / sizeof(report_registry[0]);
