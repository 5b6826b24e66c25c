/* SPDX-License-Identifier: MIT */
/* Processes by number and start. */
#include "analyzer/live/alive.h"

#include "collector/processes/liveness.h"

uint64_t alive_start_time(int32_t pid)
{
	return liveness_start_time(pid, 0, UINT64_MAX);
}

bool alive_is(int32_t pid, uint64_t start_time)
{
	return liveness_check(pid, start_time) != 0;
}
