/* SPDX-License-Identifier: MIT */
/*
 * How many collectors there are, and whose. A collector that somehow records another one
 * would begin a chain without end, which takes a machine down in seconds; so each looks
 * before it begins. Runs on: profshim-collect's start.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 1 with a sentence in reason when this collector must not begin: a collector is among
 * our ancestors or those of the process that begins the run (the caller's PID namespace;
 * 0: not known), or the user has too many already. What /proc does not tell is no reason.
 */
int crowd_refuses(int32_t first_pid, char *reason, size_t reason_size);
