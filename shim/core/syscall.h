/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc: no errno, no cancellation point, and not interposable by
 * the program or another preloaded library. Runs on: traced threads, any context, signal
 * handlers and vfork children too.
 */
#pragma once

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Returns the kernel's value: >= 0, or -errno. */
static inline long syscall_raw(long number, long a, long b, long c, long d, long e,
			       long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define SYSCALL(number, a, b, c, d, e, f)                                                \
	syscall_raw((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),     \
		    (long)(f))

/* True for the values mmap and mremap return on failure. */
static inline int syscall_failed(long result)
{
	return result < 0 && result >= -4095;
}

/*
 * Whether memory can be read or written, asked of the kernel without a descriptor. Runs
 * on: any thread and context, the gate entered.
 */

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
