/* SPDX-License-Identifier: MIT */
/*
 * The functions behind ours: real_malloc(), real_longjmp() and so on, one for each line
 * of wrapped.def. Read only from the constructor on; before it they are what the table
 * says.
 */
#pragma once

#include <dlfcn.h>
#include <malloc.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "common/attributes.h"

/* Those that no header declares, or not all of glibc's. */
void __longjmp_chk(struct __jmp_buf_tag environment[1], int value)
	__attribute__((noreturn));
void *__cxa_begin_catch(void *exception);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end);
int __poll_chk(struct pollfd *files, nfds_t count, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t size);
void free_sized(void *address, size_t size);
void free_aligned_sized(void *address, size_t alignment, size_t size);

/* None in terms of another: a test compiles malloc.c with its functions renamed, and the
 * name of the pointer must stay. */
#define WRAPPED(name) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_AT(name, version) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_ELSE(name, other) extern hidden __typeof__(name) *real_##name;
#define LATE(name) extern hidden __typeof__(name) *real_##name;
#define OWN(name)
#include "shim/wrap/wrapped.def"
#undef WRAPPED
#undef WRAPPED_AT
#undef WRAPPED_ELSE
#undef LATE
#undef OWN
