/* SPDX-License-Identifier: MIT */
/* All commands: the reports, and those that show a program while it runs. */
#pragma once

#include "analyzer/reports/report.h"

size_t cli_command_count(void);
/* In the order of --help. */
const struct report *cli_command(size_t index);
