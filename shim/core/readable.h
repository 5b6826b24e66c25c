/* SPDX-License-Identifier: MIT */
/*
 * Whether memory can be read or written, asked of the kernel without a descriptor. Runs
 * on: any thread and context, the gate entered.
 */
#pragma once

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>

#include "shim/core/syscall.h"

/* The eight bytes that hold this address. */
/* rt_sigprocmask copies the set from user memory before it finds `how` to be nonsense:
 * EFAULT tells that the memory cannot be read, EINVAL that it can. (No set at all, NULL,
 * is fine with the kernel: so never its first eight bytes.) */
static inline int readable_address(uintptr_t address)
{
	return SYSCALL(SYS_rt_sigprocmask, ~0, (address & ~15ul) + 8, 0, 8, 0, 0) !=
	       -EFAULT;
}

/* The four bytes that hold this address: the kernel is asked to add no bit to them, which
 * it does with one instruction, and to wake nobody. What is a file's becomes a page of
 * the process, as by any write. 0 also where it cannot tell. */
static inline int writable_address(uintptr_t address)
{
	uint32_t nobody = 0;

	return SYSCALL(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
		       address & ~3ul,
		       FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, -1)) >= 0;
}
