/* SPDX-License-Identifier: MIT */
/*
 * What an exec would start. Runs on: any thread and any context, a vfork child too: stack
 * and mmap only, no libc state, no locks.
 */
#pragma once

/* Whether the file would load us: a dynamic x86-64 program of glibc's
 * loader that runs with no other rights than its caller's, or a script for one. Nothing
 * is added for others: they would keep it, pass it on or complain about it. directory,
 * flags: like execveat. */
int target_loads_us(int directory, const char *path, int flags);

/* The same for the file that execvp() would find. */
int target_search(const char *file);
