/* SPDX-License-Identifier: MIT */
/* Seccomp filters for programs that forbid themselves system calls. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Answers `listed` to the calls of the list, of at most 38, and `otherwise` to the rest.
 * What the kernel says to that. */
__attribute__((no_instrument_function, unused)) static int
filters_install(const int *list, size_t count, unsigned otherwise, unsigned listed,
		int by_syscall)
{
	struct sock_filter code[80];
	struct sock_fprog program = {.filter = code};
	unsigned short at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (unsigned)list[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
	program.len = at;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (by_syscall)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
