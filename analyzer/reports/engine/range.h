/* SPDX-License-Identifier: MIT */
/* What part of the run --from and --to leave. */
#pragma once

#include "analyzer/reports/report.h"

/* Times since the run began; without the options all of it. Fails with a sentence. */
enum exit_status range_find(struct report_input *input, int64_t wall_ns,
			    int64_t *ret_from_ns, int64_t *ret_to_ns);
