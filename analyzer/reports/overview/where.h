/* SPDX-License-Identifier: MIT */
/* Where the time of the threads went. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* A bar and a line; nothing when it was not measured. */
enum exit_status where_add(struct report_input *input, struct doc *doc,
			   const struct run_facts *facts);
