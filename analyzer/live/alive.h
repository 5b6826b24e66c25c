/* SPDX-License-Identifier: MIT */
/* Does a process live? Apart from what has exit statuses of our own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* By which the process with this number is told from later ones; 0: not known. */
uint64_t alive_start_time(int32_t pid);
bool alive_is(int32_t pid, uint64_t start_time);
