/* SPDX-License-Identifier: MIT */
/* The command line of prof-analyze. Must not open the database. */
#pragma once

#include "analyzer/cli/request.h"

/* Parses; ends the program after --help and --version (status 0) and after a usage
 * error (status 2). Strings point into argv. */
void cli_parse(int argc, char **argv, struct request *ret);
