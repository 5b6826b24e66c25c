/* SPDX-License-Identifier: MIT */
/* What a seccomp filter would do to us. Any thread. */
#pragma once

/* What the shim does: what happens in the middle of a program, or when it starts. */
enum seal_calls {
	SEAL_CALLS_GROWTH,
	SEAL_CALLS_START,
};

/* Would this filter (struct sock_fprog) answer one of our system calls otherwise than by
 * carrying it out or by an error? */
int seal_filter_forbids(const void *program, enum seal_calls calls);
