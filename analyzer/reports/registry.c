/* SPDX-License-Identifier: MIT */
/* The list of reports, in the order of --help. */
#include "analyzer/reports/report.h"

const struct report *const report_registry[] = {
#define SQL_REPORT REPORT
#define SQL_PART(name)
#define REPORT(name) &report_##name,
#include "analyzer/reports/registry.def"
};
const size_t report_registry_count = sizeof(report_registry) / sizeof(report_registry[0]);
