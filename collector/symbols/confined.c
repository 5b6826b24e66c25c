/* SPDX-License-Identifier: MIT */
/*
 * Forks the child and takes its rights away. The child must not keep a descriptor of the
 * parent's, which would hold locks and pipes.
 */
#include "collector/symbols/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/xalloc.h"

/* The low half of an argument, which is all that flags and descriptors use. */
#define ARGUMENT(i) (uint32_t)(offsetof(struct seccomp_data, args) + 8u * (i))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(value))
#define PASS ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)

#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), PASS

/* Allows the call when none of these bits of the argument is set. */
#define ALLOW_WITHOUT(number, argument, bits)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4),                         \
		LOAD(ARGUMENT(argument)),                                                \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 1, 0), PASS,      \
		REFUSE

/* Allows the call when the argument has this value. */
#define ALLOW_WITH(number, argument, value)                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4),                         \
		LOAD(ARGUMENT(argument)),                                                \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1), PASS,      \
		REFUSE

#define CHANGES                                                                          \
	((O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_TMPFILE) & ~O_DIRECTORY)

/* From here on this process can only open files for reading, read them, allocate and free
 * memory that is not code, write to this descriptor, and exit. Other calls fail with
 * EPERM instead of ending it, as libraries try some that do not matter. Where the kernel
 * has no seccomp, only the limits below remain. */
static void confined_calls_forbid(int answers)
{
	const struct sock_filter filter[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		REFUSE,
		LOAD(offsetof(struct seccomp_data, nr)),
#ifdef __SANITIZE_ADDRESS__
		ALLOW(write),
		ALLOW(sched_yield),
		ALLOW(sigaltstack),
		ALLOW(getpid),
		ALLOW(gettid),
#endif
		ALLOW_WITH(write, 0, answers),
		ALLOW(read),
		ALLOW(pread64),
		ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
		ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(brk),
		ALLOW(madvise),
		ALLOW_WITHOUT(openat, 2, CHANGES),
		ALLOW_WITHOUT(open, 1, CHANGES),
		ALLOW(close),
		ALLOW(newfstatat),
		ALLOW(fstat),
		ALLOW(stat),
		ALLOW(lstat),
		ALLOW(lseek),
		ALLOW_WITH(fcntl, 1, F_GETFL),
		ALLOW(readlink),
		ALLOW(readlinkat),
		ALLOW(getdents64),
		ALLOW(geteuid),
		ALLOW(getrusage),
		ALLOW(clock_gettime),
		ALLOW_WITH(prlimit64, 0, 0),
		ALLOW(getrandom),
		ALLOW(futex),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigreturn),
		ALLOW(exit),
		ALLOW(exit_group),
		REFUSE,
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]),
					   (struct sock_filter *)filter};

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* More than the largest known programs take (a browser: 3 GB of DWARF, which is mapped
 * and does not count). The parent's own memory is added. */
#define MEMORY_BYTES ((rlim_t)1 << 30)

/* Wall time: it may wait for a file, be stopped, or get little CPU time. */
#define SILENCE_SECONDS 60

#define SOCKET 3

/* Sanitizers need their descriptor and report what they found by the exit status. */
#if defined __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* This process's data size as the kernel counts it. */
static rlim_t own_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit limits = {soft, hard};

	(void)setrlimit((__rlimit_resource_t)resource, &limits);
}

static rlim_t used_seconds(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1);
}

void confined_allow_seconds(unsigned int seconds)
{
	struct rlimit limits;
	rlim_t until = used_seconds() + seconds;

	if (getrlimit(RLIMIT_CPU, &limits) < 0)
		return;
	limits.rlim_cur = until < limits.rlim_max ? until : limits.rlim_max;
	(void)setrlimit(RLIMIT_CPU, &limits);
}

/* Blocks all but the child's own signals. Terminal keys are for the parent, which decides
 * whether it waits. */
static void block_signals(void)
{
	static const int own[] = {SIGXCPU, SIGSEGV, SIGBUS, SIGFPE,
				  SIGILL,  SIGABRT, SIGSYS};
	sigset_t signals;

	sigfillset(&signals);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		sigdelset(&signals, own[i]);
		if (!IS_SANITIZED)
			(void)signal(own[i], SIG_DFL);
	}
	(void)sigprocmask(SIG_SETMASK, &signals, NULL);
}

/* Keeps only the socket, with /dev/null as standard descriptors. */
static void close_others(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (socket != SOCKET)
		(void)dup2(socket, SOCKET);
	for (int i = 0; i < SOCKET; i++)
		if (i != STDERR_FILENO || !IS_SANITIZED)
			(void)dup2(null, i);
	if (close_range(SOCKET + 1, ~0u, 0) < 0) /* Linux before 5.9 */
		for (int i = SOCKET + 1; i < sysconf(_SC_OPEN_MAX) && i < 65536; i++)
			close(i);
}

static void confine(int socket, pid_t parent, int64_t cpu_ns)
{
	rlim_t seconds = (rlim_t)(cpu_ns / 1000000000);
	rlim_t bytes = own_bytes() + MEMORY_BYTES;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	block_signals();
	close_others(socket);
	limit(RLIMIT_CPU, seconds, seconds + 1);
	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_FSIZE, 0, 0);
	limit(RLIMIT_NPROC, 0, 0);
	if (!IS_SANITIZED) /* sanitizers reserve terabytes */
		limit(RLIMIT_DATA, bytes, bytes);
	(void)prctl(PR_SET_DUMPABLE, 0); /* no core dump through a pipe handler either */
	(void)unsetenv("DEBUGINFOD_URLS");
	confined_calls_forbid(SOCKET);
}

/* Replaces the handlers that the parent has registered for its own exit. */
static void leave(void)
{
	_exit(0);
}

static void leave_for_want_of_memory(void *nothing)
{
	(void)nothing;
	leave();
}

static _Noreturn void run(confined_work *work, void *context)
{
	FILE *questions = fdopen(SOCKET, "r"), *answers = fdopen(SOCKET, "w");

	(void)atexit(leave);
	xalloc_before_end(leave_for_want_of_memory, NULL);
	if (questions && answers) {
		work(questions, answers, context);
		(void)fflush(answers);
	}
	_exit(0);
}

int confined_start(struct confined *ret, confined_work *work, void *context,
		   int64_t cpu_ns)
{
	const struct timeval silence = {.tv_sec = SILENCE_SECONDS};
	pid_t parent = getpid();
	int sockets[2];

	*ret = (struct confined){.pid = 0};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	(void)setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence));
	(void)setsockopt(sockets[0], SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof(silence));
	ret->answers = fdopen(sockets[0], "r");
	ret->pid = ret->answers ? fork() : -1;
	if (ret->pid == 0) {
		confine(sockets[1], parent, cpu_ns);
		run(work, context);
	}
	close(sockets[1]);
	if (ret->pid > 0)
		return 0;
	if (ret->answers)
		fclose(ret->answers);
	else
		close(sockets[0]);
	*ret = (struct confined){.pid = 0};
	return -EAGAIN;
}

bool confined_send(struct confined *child, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t sent = send(fileno(child->answers), at, size, MSG_NOSIGNAL);

		if (sent <= 0 && errno != EINTR)
			return false;
		at += sent > 0 ? sent : 0;
		size -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

bool confined_receive(struct confined *child, void *ret, size_t size)
{
	size_t got = 0;

	for (;;) {
		got += fread((char *)ret + got, 1, size - got, child->answers);
		if (got == size)
			return true;
		if (!ferror(child->answers) || errno != EINTR)
			return false;
		clearerr(child->answers);
	}
}

int64_t confined_end(struct confined *child)
{
	struct rusage usage = {.ru_utime = {0, 0}};
	int status = 0;
	pid_t got;

	if (!child->pid)
		return 0;
	fclose(child->answers);
	(void)kill(child->pid, SIGKILL);
	do {
		got = wait4(child->pid, &status, 0, &usage);
	} while (got < 0 && errno == EINTR);
	/* a sanitizer's finding in our own code must not pass for a damaged file */
	if (IS_SANITIZED && got > 0 && WIFEXITED(status) && WEXITSTATUS(status))
		abort();
	*child = (struct confined){.pid = 0};
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
}

struct question {
	confined_question *work;
	const void *context;
	size_t size;
};

static void answer(FILE *questions, FILE *answers, void *context)
{
	const struct question *question = context;
	void *result = xcalloc(1, question->size);

	(void)questions;
	question->work(result, question->context);
	(void)fwrite(result, question->size, 1, answers);
}

bool confined_run(confined_question *work, const void *context, void *ret, size_t size)
{
	struct question question = {work, context, size};
	struct confined child;
	auto_free void *result = xmalloc(size);
	bool is_whole;

	is_whole = confined_start(&child, answer, &question, CONFINED_CPU_NS) == 0 &&
		   confined_receive(&child, result, size);
	if (is_whole)
		memcpy(ret, result, size);
	(void)confined_end(&child);
	return is_whole;
}
