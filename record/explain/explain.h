/* SPDX-License-Identifier: MIT */
/* Tells of a program's build, on standard output. */
#pragma once

#define EXPLAIN_NOTHING 4 /* no call of it can be recorded as it is */

/* Looks for the program as execvp() does. Returns prof-record's status: 0, 1 (not to be
 * read), EXPLAIN_NOTHING, or what a program that cannot be started gives. */
int explain_build(const char *program);
