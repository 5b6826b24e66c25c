/* SPDX-License-Identifier: MIT */
/*
 * Which memory a stack of execution lies in, found from one address in it. Runs on:
 * traced threads, any context, with signals blocked; slow paths only. Must not call
 * libc, allocate, or keep a descriptor.
 *
 * A stack may have been declared (makecontext), lie in a block of the heap (the shadow
 * map knows its bounds), or in a mapping of its own (the kernel knows). glibc's
 * pthread_getattr_np() would know the thread's own stack, but allocates under a lock
 * that a runtime's thread may hold when its first event comes (Rust asks it first thing).
 */
#pragma once

#include "shim/core/own_memory.h"

/* A stack that makecontext() was given. Replaces what it overlaps. The process lock is
 * held. */
void bounds_declare(uintptr_t low, uintptr_t high);

/* The declared stack around an address. 1: found. The process lock is free. */
int bounds_declared(uintptr_t address, struct extent *ret);

/* The declared stack around an address is one no more. The process lock is held. */
void bounds_forget(uintptr_t address);

/* Narrows *extent, which holds the address, to what no declared stack overlaps. The
 * process lock is free. */
void bounds_clip(uintptr_t address, struct extent *extent);

/* The live heap block around an address. 1: found. */
int bounds_block(uintptr_t address, struct extent *ret);

/* The mapping around an address, from the kernel. 1: found. */
int bounds_mapping(uintptr_t address, struct extent *ret);

/* The calling thread's alternate signal stack, while a handler runs on it. 1: so. */
int bounds_signal_stack(uintptr_t address, struct extent *ret);

/* The stack of the process's first thread. 1: address lies in it. */
int bounds_main_stack(uintptr_t address, struct extent *ret);
