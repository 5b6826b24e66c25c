/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of the exec and posix_spawn families: a program that is given an environment
 * of its own is still recorded. Runs on: traced threads; vfork children and signal
 * handlers too: stack and mmap only, no libc state, no locks. Must not fail where the
 * program's own call would not; leave errno otherwise.
 *
 * glibc's functions of these families call each other inside, so each has a wrapper.
 * system() and popen() cannot have one: they pass on environ.
 */
#include <alloca.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/children/slots.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/events/context.h"
#include "shim/waits/off_cpu.h"
#include "shim/wrap/begin.h"
#include "shim/wrap/real.h"

/*
 * The file that is about to be executed: would it load us? Must not keep a descriptor, or
 * open anything but regular files (to open a device may do something).
 */

#define HEAD_BYTES 1024
#define SCRIPT_DEPTH 4 /* the kernel follows a script's script so far */

/* Does the loader named in the file, at that offset, come from glibc? */
static int has_our_loader(int fd, uint64_t offset, uint64_t size)
{
	char path[64];
	const char *name;
	long got = own_io_pread(fd, path, size < sizeof(path) ? size : sizeof(path) - 1,
				offset);

	if (got <= 0)
		return 0;
	path[got] = '\0';
	name = strrchr(path, '/');
	return name && !strncmp(name + 1, "ld-linux", 8);
}

static int elf_loads_us(int fd, const char *head, size_t size)
{
	const Elf64_Ehdr *header = (const void *)head;
	const Elf64_Phdr *program = (const void *)(head + header->e_phoff);

	if (size < sizeof(*header) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_machine != EM_X86_64 || header->e_phoff > size ||
	    header->e_phoff % 8)
		return 0;
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if ((const char *)(program + i + 1) > head + size)
			return 0;
		if (program[i].p_type == PT_INTERP)
			return has_our_loader(fd, program[i].p_offset,
					      program[i].p_filesz);
	}
	return 0; /* static */
}

/* The interpreter's path of "#! interpreter argument". NULL when it is not all there. */
static const char *script_interpreter(char *head, size_t size)
{
	char *path = head + 2, *end = head + size;

	while (path < end && (*path == ' ' || *path == '\t'))
		path++;
	for (char *at = path; at < end; at++) {
		if (*at == ' ' || *at == '\t' || *at == '\n') {
			*at = '\0';
			return at > path ? path : NULL;
		}
	}
	return NULL;
}

/* Opens the file for reading when it is one that runs with its caller's rights. */
static int open_target(int directory, const char *path, int flags)
{
	struct stat status;
	char by_number[32];
	long fd;

	if (SYSCALL(SYS_newfstatat, directory, path, &status,
		    flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW), 0, 0) < 0 ||
	    !S_ISREG(status.st_mode) || (status.st_mode & S_ISUID) ||
	    ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP)))
		return -1;
	if (!path[0]) { /* the descriptor may be one that cannot read (O_PATH) */
		snprintf(by_number, sizeof(by_number), "/proc/self/fd/%d", directory);
		directory = AT_FDCWD;
		path = by_number;
	}
	fd = SYSCALL(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0,
		     0);
	if (fd < 0)
		return -1;
	if (SYSCALL(SYS_fgetxattr, fd, "security.capability", 0, 0, 0, 0) > 0) {
		SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
		return -1;
	}
	return (int)fd;
}

/* Whether the file would load us: a dynamic x86-64 program of glibc's
 * loader that runs with no other rights than its caller's, or a script for one. Nothing
 * is added for others: they would keep it, pass it on or complain about it. directory,
 * flags: like execveat. */
static int target_loads_us(int directory, const char *path, int flags)
{
	char head[HEAD_BYTES] __attribute__((aligned(8)));

	for (int depth = 0; depth < SCRIPT_DEPTH; depth++) {
		int fd, loads = 0;
		long got;

		fd = open_target(directory, path, flags);
		if (fd < 0)
			return 0;
		got = own_io_pread(fd, head, sizeof(head), 0);
		if (got > SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
			loads = elf_loads_us(fd, head, (size_t)got);
		SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
		if (got <= 2 || head[0] != '#' || head[1] != '!')
			return loads;
		path = script_interpreter(head, (size_t)got);
		if (!path)
			return 0;
		directory = AT_FDCWD;
		flags = 0;
	}
	return 0;
}

/* PATH is the caller's, not the one in the environment that is passed on. */
static const char *search_path(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		if (!strncmp(*entry, "PATH=", 5))
			return *entry + 5;
	}
	return "/bin:/usr/bin";
}

/* The same for the file that execvp() would find. */
static int target_search(const char *file)
{
	char path[4096];
	const char *item = search_path();
	size_t file_length = strlen(file);

	if (strchr(file, '/'))
		return target_loads_us(AT_FDCWD, file, 0);
	for (;; item++) {
		size_t length = strcspn(item, ":");

		if (length + file_length + 2 < sizeof(path)) {
			memcpy(path, item, length);
			path[length] = '/';
			memcpy(path + length + (length > 0), file, file_length + 1);
			if (SYSCALL(SYS_access, path, X_OK, 0, 0, 0, 0) == 0)
				return target_loads_us(AT_FDCWD, path, 0);
		}
		item += length;
		if (!*item)
			return 0;
	}
}

/* A larger environment is built in a mapping: threads may have stacks of 16 KiB. */
#define STACK_LIMIT_BYTES 8192
#define SPAWN_LIMIT_BYTES (64u << 10)

enum exec_kind {
	EXEC_V,
	EXEC_VE,
	EXEC_VP,
	EXEC_VPE,
	EXEC_FD,
	EXEC_AT,
	EXEC_SPAWN,
	EXEC_SPAWN_SEARCH,
};

/* A call of the program's. */
struct exec_call {
	enum exec_kind kind;
	int descriptor; /* EXEC_FD, EXEC_AT */
	int flags;	/* EXEC_AT */
	const char *path;
	char *const *arguments;
	char *const *environment;
	pid_t *ret_pid; /* spawn */
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
};

/* Calls the next function in line. environment NULL: the call is passed on as it is. */
static int forward(const struct exec_call *call, char *const *environment)
{
	int is_changed = environment != NULL;

	if (!is_changed)
		environment = call->environment;
	switch (call->kind) {
	case EXEC_V:
		if (!is_changed)
			return real_execv(call->path, call->arguments);
		return real_execve(call->path, call->arguments, environment);
	case EXEC_VE:
		return real_execve(call->path, call->arguments, environment);
	case EXEC_VP:
		if (!is_changed)
			return real_execvp(call->path, call->arguments);
		return real_execvpe(call->path, call->arguments, environment);
	case EXEC_VPE:
		return real_execvpe(call->path, call->arguments, environment);
	case EXEC_FD:
		return real_fexecve(call->descriptor, call->arguments, environment);
	case EXEC_AT:
		return real_execveat(call->descriptor, call->path, call->arguments,
				     environment, call->flags);
	case EXEC_SPAWN:
		return real_posix_spawn(call->ret_pid, call->path, call->actions,
					call->attributes, call->arguments, environment);
	case EXEC_SPAWN_SEARCH:
		return real_posix_spawnp(call->ret_pid, call->path, call->actions,
					 call->attributes, call->arguments, environment);
	}
	return -1;
}

static int is_spawn(const struct exec_call *call)
{
	return call->kind == EXEC_SPAWN || call->kind == EXEC_SPAWN_SEARCH;
}

static int call_loads_us(const struct exec_call *call)
{
	switch (call->kind) {
	case EXEC_FD:
		return target_loads_us(call->descriptor, "", AT_EMPTY_PATH);
	case EXEC_AT:
		return target_loads_us(call->descriptor, call->path, call->flags);
	case EXEC_VP:
	case EXEC_VPE:
	case EXEC_SPAWN_SEARCH:
		return target_search(call->path);
	default:
		return target_loads_us(AT_FDCWD, call->path, 0);
	}
}

static size_t text_bytes(char *const *texts)
{
	size_t bytes = 0;

	for (; texts && *texts; texts++)
		bytes += strlen(*texts) + 1 + sizeof(*texts);
	return bytes;
}

/* A spawn that failed for its size may have carried out its file actions, and cannot be
 * tried again. So large ones get no additions: the kernel takes 128 KiB at least. */
static int is_too_large(const struct exec_call *call)
{
	return is_spawn(call) &&
	       text_bytes(call->arguments) + text_bytes(call->environment) >
		       SPAWN_LIMIT_BYTES;
}

/* What the program passes may fill the kernel's limit to the last byte; then it goes
 * without our additions. */
static int call_with(const struct exec_call *call, char *const *environment)
{
	int result = forward(call, environment);

	if (!is_spawn(call) && errno == E2BIG)
		result = forward(call, NULL);
	return result;
}

static __attribute__((noinline)) int call_with_stack(const struct exec_call *call,
						     const struct additions_plan *plan)
{
	char *storage = alloca(plan->size);

	return call_with(call, additions_fill(plan, call->environment, storage));
}

static int call_with_mapping(const struct exec_call *call,
			     const struct additions_plan *plan)
{
	int result, saved;
	long storage;

	/* in a vfork child the mapping would stay behind in the parent */
	if (process && process->ready && !context_is_own_process()) {
		__atomic_fetch_add(&process_facts.state->lost_process_count, 1,
				   __ATOMIC_RELAXED);
		return forward(call, NULL);
	}
	storage = SYSCALL(SYS_mmap, 0, plan->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (syscall_failed(storage))
		return forward(call, NULL);
	result =
		call_with(call, additions_fill(plan, call->environment, (char *)storage));
	saved = errno;
	SYSCALL(SYS_munmap, storage, plan->size, 0, 0, 0, 0);
	errno = saved;
	return result;
}

/* Under the program's filter our constructor would be the new image's death. */
static __attribute__((noinline)) int call_without_us(const struct exec_call *call)
{
	size_t size = additions_strip_size(call->environment);
	char *const *environment = NULL;
	int result, was_recorded = process && process->ready;

	if (was_recorded)
		__atomic_fetch_add(&process_facts.state->lost_process_count, 1,
				   __ATOMIC_RELAXED);
	if (size && size <= STACK_LIMIT_BYTES)
		environment = additions_strip(call->environment, alloca(size));
	result = forward(call, environment);
	if (was_recorded && result != 0)
		__atomic_fetch_sub(&process_facts.state->lost_process_count, 1,
				   __ATOMIC_RELAXED);
	return result;
}

static int prepare_call(const struct exec_call *call)
{
	struct additions_plan plan;

	if (!gate_is_open())
		return call_without_us(call);
	if (!additions_plan(&plan, call->environment) || is_too_large(call) ||
	    !call_loads_us(call))
		return forward(call, NULL);
	if (plan.size <= STACK_LIMIT_BYTES)
		return call_with_stack(call, &plan);
	return call_with_mapping(call, &plan);
}

/* Who comes back from exec goes on recording. But somebody else may have the slots by
 * then: only programs that are there are worth the offer. A vfork child has its parent's
 * memory.
 */
static int run_call(const struct exec_call *call)
{
	int has_left = 0, result;

	if (!is_spawn(call) && process_is_ready() && gate_is_open() &&
	    context_is_own_process()) {
		if (lane_own())
			off_cpu_note_thread(lane_own());
		if (call_loads_us(call))
			has_left = reuse_offer(SEGMENT_PROCESS_REPLACED);
	}
	result = prepare_call(call);
	if (has_left)
		reuse_retract();
	return result;
}

static int run(enum exec_kind kind, const char *path, char *const arguments[],
	       char *const environment[])
{
	const struct exec_call call = {.kind = kind,
				       .path = path,
				       .arguments = arguments,
				       .environment = environment};

	return run_call(&call);
}

exported int execve(const char *path, char *const arguments[], char *const environment[])
{
	return run(EXEC_VE, path, arguments, environment);
}

exported int execv(const char *path, char *const arguments[])
{
	return run(EXEC_V, path, arguments, environ);
}

exported int execvp(const char *file, char *const arguments[])
{
	return run(EXEC_VP, file, arguments, environ);
}

exported int execvpe(const char *file, char *const arguments[], char *const environment[])
{
	return run(EXEC_VPE, file, arguments, environment);
}

exported int fexecve(int descriptor, char *const arguments[], char *const environment[])
{
	const struct exec_call call = {.kind = EXEC_FD,
				       .descriptor = descriptor,
				       .arguments = arguments,
				       .environment = environment};

	return run_call(&call);
}

exported int execveat(int descriptor, const char *path, char *const arguments[],
		      char *const environment[], int flags)
{
	const struct exec_call call = {.kind = EXEC_AT,
				       .descriptor = descriptor,
				       .flags = flags,
				       .path = path,
				       .arguments = arguments,
				       .environment = environment};

	return run_call(&call);
}

#define SPAWN(name, spawn_kind)                                                          \
	exported int name(pid_t *ret_pid, const char *path,                              \
			  const posix_spawn_file_actions_t *actions,                     \
			  const posix_spawnattr_t *attributes, char *const arguments[],  \
			  char *const environment[])                                     \
	{                                                                                \
		const struct exec_call call = {.kind = spawn_kind,                       \
					       .path = path,                             \
					       .arguments = arguments,                   \
					       .environment = environment,               \
					       .ret_pid = ret_pid,                       \
					       .actions = actions,                       \
					       .attributes = attributes};                \
                                                                                         \
		return run_call(&call);                                                  \
	}

/* clang-format off */
SPAWN(posix_spawn, EXEC_SPAWN)
SPAWN(posix_spawnp, EXEC_SPAWN_SEARCH)
/* clang-format on */

/* The variadic ones: their arguments as an array on the stack, as glibc has it. */
static size_t count_arguments(va_list list)
{
	size_t count = 1;

	while (va_arg(list, const char *))
		count++;
	return count;
}

/* first and the rest, NULL included, into array. */
static void collect_arguments(char **array, const char *first, va_list list)
{
	*array = (char *)first;
	while (*array)
		*++array = va_arg(list, char *);
}

/* environment_after: an expression that may read on in `list`. */
#define RUN_LIST(kind, path, argument, environment_after)                                \
	({                                                                               \
		char *const *environment;                                                \
		va_list list;                                                            \
		char **arguments;                                                        \
		size_t count;                                                            \
                                                                                         \
		va_start(list, argument);                                                \
		count = count_arguments(list);                                           \
		va_end(list);                                                            \
		arguments = alloca((count + 1) * sizeof(*arguments));                    \
		va_start(list, argument);                                                \
		collect_arguments(arguments, argument, list);                            \
		environment = environment_after;                                         \
		va_end(list);                                                            \
		run(kind, path, arguments, environment);                                 \
	})

exported int execl(const char *path, const char *argument, ...)
{
	return RUN_LIST(EXEC_V, path, argument, environ);
}

exported int execlp(const char *file, const char *argument, ...)
{
	return RUN_LIST(EXEC_VP, file, argument, environ);
}

exported int execle(const char *path, const char *argument, ...)
{
	return RUN_LIST(EXEC_VE, path, argument, va_arg(list, char *const *));
}
