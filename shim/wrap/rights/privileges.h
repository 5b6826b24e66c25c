/* SPDX-License-Identifier: MIT */
/*
 * The same for a program that makes these calls through syscall(). Must not change
 * errno.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Before SYS_setuid, SYS_setreuid, SYS_setresuid or SYS_chroot. Returns what to give to
 * privileges_after() when the call has succeeded. */
uint32_t privileges_before(long number, uid_t a, uid_t b, uid_t c);
void privileges_after(uint32_t notes);
