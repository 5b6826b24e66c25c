/* SPDX-License-Identifier: MIT */
/*
 * The functions behind ours: real_malloc(), real_longjmp() and so on, one for each line
 * of wrapped.def. Read only from the constructor on; before it they are what the table
 * says.
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

int __fprintf_chk(FILE *restrict stream, int flag, const char *restrict format, ...);
int __printf_chk(int flag, const char *restrict format, ...);
int __vfprintf_chk(FILE *restrict stream, int flag, const char *restrict format,
		   va_list list);
int __vprintf_chk(int flag, const char *restrict format, va_list list);
int __vdprintf_chk(int descriptor, int flag, const char *restrict format, va_list list);
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t count,
		   FILE *restrict stream);
size_t __fread_unlocked_chk(void *restrict to, size_t room, size_t size, size_t count,
			    FILE *restrict stream);
char *__fgets_chk(char *restrict to, size_t room, int size, FILE *restrict stream);
char *__fgets_unlocked_chk(char *restrict to, size_t room, int size,
			   FILE *restrict stream);
int __isoc99_vfscanf(FILE *restrict stream, const char *restrict format, va_list list);
int __isoc99_vscanf(const char *restrict format, va_list list);
int __isoc23_vfscanf(FILE *restrict stream, const char *restrict format, va_list list);
int __isoc23_vscanf(const char *restrict format, va_list list);
int __uflow(FILE *stream);
int __overflow(FILE *stream, int byte);

/* The checked ones, and those of programs that are older than glibc 2.33. */
ssize_t __read_chk(int descriptor, void *to, size_t size, size_t room);
ssize_t __pread_chk(int descriptor, void *to, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int descriptor, void *to, size_t size, off64_t at, size_t room);
ssize_t __recv_chk(int descriptor, void *to, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int descriptor, void *restrict to, size_t size, size_t room,
		       int flags, __SOCKADDR_ARG peer, socklen_t *restrict peer_size);
ssize_t __readlink_chk(const char *restrict path, char *restrict to, size_t size,
		       size_t room);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *ret);
int __xstat64(int version, const char *path, struct stat64 *ret);
int __lxstat(int version, const char *path, struct stat *ret);
int __lxstat64(int version, const char *path, struct stat64 *ret);
int __fxstat(int version, int descriptor, struct stat *ret);
int __fxstat64(int version, int descriptor, struct stat64 *ret);
int __fxstatat(int version, int directory, const char *path, struct stat *ret, int flags);
int __fxstatat64(int version, int directory, const char *path, struct stat64 *ret,
		 int flags);

/* None in terms of another: a test compiles malloc.c with its functions renamed, and the
 * name of the pointer must stay. */
#define WRAPPED(name) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_AT(name, version) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_SINCE(name, minor) extern hidden __typeof__(name) *real_##name;
#define WRAPPED_ELSE(name, other) extern hidden __typeof__(name) *real_##name;
#define LATE(name) extern hidden __typeof__(name) *real_##name;
#define OWN(name)
#include "shim/wrap/wrapped.def"
#undef WRAPPED
#undef WRAPPED_AT
#undef WRAPPED_SINCE
#undef WRAPPED_ELSE
#undef LATE
#undef OWN

/* Fills in real_NAME of the whole table but what is LATE. The constructor, once. */
void resolve_all(void);

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
