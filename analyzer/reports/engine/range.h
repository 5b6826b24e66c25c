/* SPDX-License-Identifier: MIT */
/* The part of the run that --from and --to select. */
#pragma once

#include "analyzer/reports/report.h"

/* Sets times since the start of the run; without the options the whole run. Fails with a
 * sentence. */
void range_find(const struct report_options *options, int64_t wall_ns,
		int64_t *ret_from_ns, int64_t *ret_to_ns);
