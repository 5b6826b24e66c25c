/* SPDX-License-Identifier: MIT */
/* What a seccomp filter would do to us. Any thread. */
#pragma once

/* What the shim does: what happens in the middle of a program, or when it starts. */
enum sandbox_calls {
	SANDBOX_CALLS_GROWTH,
	SANDBOX_CALLS_START,
};

/* Would this filter (struct sock_fprog) answer one of our system calls otherwise than by
 * carrying it out or by an error? */
int sandbox_filter_forbids(const void *program, enum sandbox_calls calls);
