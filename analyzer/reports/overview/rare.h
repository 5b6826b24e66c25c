/* SPDX-License-Identifier: MIT */
/* The function, or step, whose rare slow calls took most time. */
#pragma once

#include "analyzer/reports/report.h"

/* A line; nothing when no calls are known that were slow now and then. */
enum exit_status rare_add(struct report_input *input, struct doc *doc);
