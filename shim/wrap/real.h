/* SPDX-License-Identifier: MIT */
/*
 * The functions behind ours: real_malloc(), real_longjmp() and so on, one for each line
 * of wrapped.def. Before the constructor they are what the table says.
 */
#pragma once

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <threads.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "common/attributes.h"

/* Those that no header declares, or not all of glibc's; in the table those that have
 * their types there. */
void __longjmp_chk(struct __jmp_buf_tag environment[1], int value)
	__attribute__((noreturn));
void *__cxa_begin_catch(void *exception);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end);
void free_sized(void *address, size_t size);
void free_aligned_sized(void *address, size_t alignment, size_t size);
int __fprintf_chk(FILE *restrict stream, int flag, const char *restrict format, ...);
int __printf_chk(int flag, const char *restrict format, ...);
int __isoc99_vfscanf(FILE *restrict stream, const char *restrict format, va_list list);
int __isoc99_vscanf(const char *restrict format, va_list list);
int __isoc23_vfscanf(FILE *restrict stream, const char *restrict format, va_list list);
int __isoc23_vscanf(const char *restrict format, va_list list);
int __overflow(FILE *stream, int byte);

#define DECLARE(name, how, type, ...) type(name)(__VA_ARGS__);
#define WRAPPED_WAIT DECLARE
#define WRAPPED_IO DECLARE
#define WRAPPED_IO_AT DECLARE
#define WRAPPED_SEND DECLARE
#define WRAPPED_PATH DECLARE
#define WRAPPED_OPEN DECLARE
#define WRAPPED_LOCK DECLARE
#define WRAPPED_MEETING DECLARE
#define WRAPPED_DESCRIPTOR DECLARE
#define WRAPPED_STREAM DECLARE
#include "shim/wrap/wrapped.def"
#undef DECLARE

/* None in terms of another: a test compiles malloc.c with its functions renamed, and the
 * name of the pointer must stay. */
#define WRAPPED(name) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_AT(name, version) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_SINCE(name, minor) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_ELSE(name, other) extern hidden __typeof__(name) *real_##name;
#define LATE(name) extern hidden __typeof__(name) *real_##name;
#include "shim/wrap/wrapped.def"

/* Fills in real_NAME of the whole table but what is LATE. The constructor, once. */
void resolve_all(void);

/* A function that is called before the constructor has come to it: *real, from now on.
 * Fails with ENOSYS when nobody has it. The thread that starts the process. */
hidden void *resolve_early(void **real);

/* Does libc itself define this function, and not another library in front of it? The
 * constructor. */
int resolve_is_libc(const void *function);

/* A function that is LATE, or only called: what the object of `caller` would have found
 * without us, kept in *real when all objects find the same. NULL: there is none. Any
 * thread that may call dlsym. */
void *resolve_late(void **real, const char *name, void *caller);

/* For a LATE function of the table. */
#define REAL_LATE(name, caller)                                                          \
	((__typeof__(name) *)resolve_late((void **)&real_##name, #name, caller))
