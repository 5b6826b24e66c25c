/* SPDX-License-Identifier: MIT */
/* A file that the user names. */
#pragma once

#include "analyzer/reports/report.h"

/* Reads a file that the user named; what: for the sentence when it is too large. */
enum exit_status report_read_file(struct report_input *input, const char *path,
				  const char *what, struct strbuf *ret);
