/* SPDX-License-Identifier: MIT */
/*
 * A seccomp filter of the calls that are allowed. Must not allow anything by which
 * another process, a file or the network could be changed.
 */
#include "collector/symbols/confined_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The low half of an argument: flags and descriptors have no more. */
#define ARGUMENT(i) (uint32_t)(offsetof(struct seccomp_data, args) + 8u * (i))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(value))
#define PASS ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)

#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 1), PASS

/* When none of these bits of the argument is set. */
#define ALLOW_WITHOUT(number, argument, bits)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4),                         \
		LOAD(ARGUMENT(argument)),                                                \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 1, 0), PASS,      \
		REFUSE

/* When the argument is this. */
#define ALLOW_WITH(number, argument, value)                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##number, 0, 4),                         \
		LOAD(ARGUMENT(argument)),                                                \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1), PASS,      \
		REFUSE

#define CHANGES                                                                          \
	((O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_TMPFILE) & ~O_DIRECTORY)

void confined_calls_forbid(int answers)
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
