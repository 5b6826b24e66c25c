/* SPDX-License-Identifier: MIT */
/*
 * Finds the recording of a running process by its PID, and takes a snapshot of it. Must
 * not stop the process, or need its collector.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes a snapshot of the process. *ret_number: which one of the process it is. 0, or
 * -errno with one sentence in error. */
int attach_snapshot(int pid, const char *label, uint32_t *ret_number, char *error,
		    size_t error_size);
