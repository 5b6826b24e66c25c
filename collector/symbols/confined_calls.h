/* SPDX-License-Identifier: MIT */
/* Which system calls a confined child has left. */
#pragma once

/* From here on this process can open files for reading, read them, take and give back
 * memory that is not code, write to this descriptor, and end. Other calls fail with
 * EPERM: what libraries try beside is not worth an end. Where the kernel has no seccomp
 * the limits of confined.c are all there is. */
void confined_calls_forbid(int answers);
