/* SPDX-License-Identifier: MIT */
/*
 * Which rank of which job this process is, when a launcher (mpirun, srun) began it. Runs
 * on: the constructor; getenv() is not usable yet. Must not print, or ask the launcher
 * anything.
 */
#pragma once

#include "common/segment.h"

/* From environment entries ("NAME=value", NULL at the end), which may hold anything.
 * ret->name is empty when no launcher is known. */
void job_read(char **environment, struct segment_job *ret);
