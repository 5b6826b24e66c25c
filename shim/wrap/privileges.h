/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the same for a program that makes these calls through syscall().
 * Runs on:       any thread and context.
 * Must not:      change errno.
 * See also:      shim/wrap/privileges.c, the wrappers; shim/wrap/seal.c
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Finds what the wrappers forward to. The constructor. */
void privileges_resolve(void);

/* Before SYS_setuid, SYS_setreuid, SYS_setresuid or SYS_chroot. Returns what to give to
 * privileges_after() when the call has succeeded. */
uint32_t privileges_before(long number, uid_t a, uid_t b, uid_t c);
void privileges_after(uint32_t notes);
