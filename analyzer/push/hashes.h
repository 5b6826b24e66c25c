/* SPDX-License-Identifier: MIT */
/*
 * 61 bits of what a function and a call path are, the same in all runs and builds: a
 * store has each once. Functions are told by name, file and module without directories; a
 * path by its caller's and its function. Whoever chooses names can make two the same.
 */
#pragma once

#include "analyzer/reports/report.h"

/* Makes the tables hashed_function (function_id, hash) and hashed_path (path_id, hash) of
 * input's run for its queries. */
void hashes_keep(struct report_input *input);
