/* SPDX-License-Identifier: MIT */
/* Variables of an environment that libc does not know yet. Any thread. */
#pragma once

#include "common/segment.h"

/* The value of NAME among the entries ("NAME=value", NULL at the end), NULL: unset. */
const char *variable_find(char **environment, const char *name);

/*
 * Which rank of which job this process is, when a launcher (mpirun, srun) began it. Runs
 * on: the constructor; getenv() is not usable yet. Must not print, or ask the launcher
 * anything.
 */

/* From environment entries ("NAME=value", NULL at the end), which may hold anything.
 * ret->name is empty when no launcher is known. */
void job_read(char **environment, struct segment_job *ret);
