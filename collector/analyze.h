/* SPDX-License-Identifier: MIT */
/*
 * prof-analyze as a program that others start. Runs on: profshim-collect, prof-record.
 * Must not start one from PATH: it could be of another version.
 */
#pragma once

#include <stdbool.h>

/* The prof-analyze that was built or installed with us, into ret (PATH_MAX bytes). As
 * beside_find(). */
int analyze_find(char *ret);

/* Has a prof-analyze that ended with this wait status written its document? It also has
 * when nothing was measured. */
bool analyze_has_written(int wait_status);
