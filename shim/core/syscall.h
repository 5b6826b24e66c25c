/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc: no errno, no cancellation point, and not interposable by
 * the program or another preloaded library. Runs on: traced threads, any context, signal
 * handlers and vfork children too.
 */
#pragma once

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
