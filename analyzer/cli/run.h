/* SPDX-License-Identifier: MIT */
/* A command line, from its words to its exit status. */
#pragma once

#include <stdbool.h>

/* Runs it with stdout and stderr; ends the program where the command line is wrong.
 * as_is: files are opened as they are, and a spool beside them is left alone. */
int cli_run(int argc, char **argv, bool as_is);
