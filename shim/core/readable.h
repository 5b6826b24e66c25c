/* SPDX-License-Identifier: MIT */
/*
 * Whether memory can be read, asked of the kernel without a descriptor. Runs on: any
 * thread and context, the gate entered.
 */
#pragma once

#include <errno.h>
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
