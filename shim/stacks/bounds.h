/* SPDX-License-Identifier: MIT */
/*
 * Finds the memory that a stack lies in, from one address in it. Runs on: traced threads,
 * any context, with signals blocked; slow paths only. Must not call libc, allocate, or
 * keep a descriptor.
 *
 * A stack may have been declared (makecontext), lie in a block of the heap (the shadow
 * map knows its bounds), or in a mapping of its own (the kernel knows). We do not ask
 * glibc's pthread_getattr_np() for the thread's own stack: it allocates under a lock that
 * a thread may hold when its first event comes (Rust calls it first thing).
 */
#pragma once

#include "shim/core/own_memory.h"

/* Declares a stack that makecontext() was given; replaces what it overlaps. The caller
 * holds the process lock. */
void bounds_declare(uintptr_t low, uintptr_t high);

/* The declared stack around an address. 1: found. The caller does not hold the process
 * lock. */
int bounds_declared(uintptr_t address, struct extent *ret);

/* Forgets the declared stack around an address. The caller holds the process lock. */
void bounds_forget(uintptr_t address);

/* Narrows *extent, which holds the address, to what no declared stack overlaps. The
 * caller does not hold the process lock. */
void bounds_clip(uintptr_t address, struct extent *extent);

/* The live heap block around an address. 1: found. */
int bounds_block(uintptr_t address, struct extent *ret);

/* The mapping around an address, from the kernel. 1: found. */
int bounds_mapping(uintptr_t address, struct extent *ret);

/* The calling thread's alternate signal stack. 1: a handler is running on it. */
int bounds_signal_stack(uintptr_t address, struct extent *ret);

/* The stack of the process's first thread. 1: address lies in it. */
int bounds_main_stack(uintptr_t address, struct extent *ret);
