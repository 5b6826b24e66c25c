/* SPDX-License-Identifier: MIT */
/*
 * Reads a seccomp filter that is about to be installed: what would it do to our own
 * system calls?. Must not call libc; read memory that cannot be read (the kernel answers
 * EFAULT).
 *
 * Most filters answer what they do not like with an error, which the recorder can live
 * with. So the filter's program (classic BPF over struct seccomp_data) is run here on
 * each of our calls, and only one that would kill, trap or ask somebody counts as
 * forbidding.
 */
#include "shim/wrap/rights/sandbox_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "shim/core/readable.h"

#define PAGE_BYTES 4096ul

struct call {
	uint32_t number;
	uint64_t arguments[6]; /* 0: whatever an address is */
};

/* What slow paths do: process.c, context.c, bounds.c, gate.c, stack.c, exit.c. */
static const struct call growth_calls[] = {
	{SYS_rt_sigprocmask, {SIG_BLOCK, 0, 0, 8}},
	{SYS_rt_sigprocmask, {SIG_SETMASK, 0, 0, 8}},
	{SYS_madvise, {0, 4096, 23 /* MADV_POPULATE_WRITE */}},
	{SYS_madvise, {0, 4096, MADV_RANDOM}},
	{SYS_madvise, {0, 4096, MADV_DONTDUMP}},
	{SYS_madvise, {0, 4096, MADV_WIPEONFORK}},
	{SYS_mmap,
	 {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	  ~0ull, 0}},
	{SYS_mmap,
	 {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0}},
	{SYS_mremap, {0, 0, 4096, MREMAP_MAYMOVE}},
	{SYS_munmap, {0, 4096}},
	{SYS_gettid, {0}},
	{SYS_getpid, {0}},
	{SYS_getppid, {0}},
	{SYS_prctl, {16 /* PR_GET_NAME */}},
	{SYS_open, {0, O_RDONLY | O_CLOEXEC}},
	{SYS_read, {3, 0, 4096}},
	{SYS_close, {3}},
	{SYS_sigaltstack, {0}},
	{SYS_futex, {0, 0, 0}},
	{SYS_futex, {0, 1, 0x7fffffff}},
	{SYS_futex, {0, FUTEX_LOCK_PI_PRIVATE}},
	{SYS_futex, {0, FUTEX_UNLOCK_PI_PRIVATE}},
	{SYS_kill, {2, 0}},
};

/* What a constructor does besides, an exec with the shim, and an image that began under
 * the filter and knows nothing of it: run.c, collector.c, spool.c, target.c, names.c. */
static const struct call start_calls[] = {
	{SYS_open, {0, O_RDWR}},
	{SYS_openat, {(uint32_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
	{SYS_openat,
	 {(uint32_t)AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600}},
	{SYS_openat, {3, 0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600}},
	{SYS_mkdirat, {(uint32_t)AT_FDCWD, 0, 0700}},
	{SYS_mkdirat, {3, 0, 0700}},
	{SYS_unlinkat, {3, 0, 0}},
	{SYS_rmdir, {0}},
	{SYS_write, {3, 0, 4096}},
	{SYS_fstat, {3}},
	{SYS_geteuid, {0}},
	{SYS_ftruncate, {3, 4096}},
	{SYS_fallocate, {3, 0, 0, 4096}},
	{SYS_lseek, {3, 0, 2}},
	{SYS_pread64, {3, 0, 4096, 0}},
	{SYS_newfstatat, {3, 0, 0, 0}},
	{SYS_fgetxattr, {3, 0, 0, 0}},
	{SYS_readlink, {0}},
	{SYS_access, {0}},
	{SYS_getcwd, {0, 4096}},
	{SYS_uname, {0}},
	{SYS_sysinfo, {0}},
	{SYS_getrandom, {0, 8, 1}},
	{SYS_getrusage, {1 /* RUSAGE_THREAD */}},
	{SYS_clock_gettime, {3 /* CLOCK_THREAD_CPUTIME_ID */}},
	{SYS_nanosleep, {0}},
	{SYS_prctl, {21 /* PR_GET_SECCOMP */}},
	{SYS_prlimit64, {0, 7, 0, 0}},
	{SYS_sched_getaffinity, {0, 128}},
	{SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0}},
	{SYS_clone, {0x4100 /* CLONE_VM | CLONE_VFORK */}},
	{SYS_wait4, {2, 0, 0x80000000, 0}},
	{SYS_setsid, {0}},
	{SYS_close_range, {0, ~0u, 0}},
	{SYS_pidfd_open, {2, 0}},
	{SYS_dup, {0}},
	{SYS_fcntl, {3, 2, 0}},
	{SYS_fcntl, {3, F_DUPFD_CLOEXEC, 0}},
	{SYS_chdir, {0}},
	{SYS_execve, {0}},
	{SYS_mprotect, {0, 4096, PROT_READ | PROT_WRITE}},
	{SYS_ioctl, {3, 0xc0686611u /* PROCMAP_QUERY */}},
	{SYS_stat, {0}},
	{SYS_brk, {0}},
	{SYS_getsockname, {3}},
	{SYS_getpeername, {3}},
	{SYS_getsockopt, {3, 1 /* SOL_SOCKET */, 3 /* SO_TYPE */}},
	{SYS_dup2, {4, 3}},
	{SYS_exit, {0}},
	{SYS_exit_group, {0}},
};

struct machine {
	uint32_t accumulator, index;
	uint32_t memory[BPF_MEMWORDS];
	struct seccomp_data data;
};

static uint32_t compute(uint32_t operation, uint32_t left, uint32_t right)
{
	switch (operation) {
	case BPF_ADD:
		return left + right;
	case BPF_SUB:
		return left - right;
	case BPF_MUL:
		return left * right;
	case BPF_DIV:
		return right ? left / right : 0;
	case BPF_OR:
		return left | right;
	case BPF_AND:
		return left & right;
	case BPF_XOR:
		return left ^ right;
	case BPF_LSH:
		return right < 32 ? left << right : 0;
	case BPF_RSH:
		return right < 32 ? left >> right : 0;
	default:
		return -left; /* BPF_NEG */
	}
}

static int jumps(uint32_t operation, uint32_t left, uint32_t right)
{
	switch (operation) {
	case BPF_JEQ:
		return left == right;
	case BPF_JGT:
		return left > right;
	case BPF_JGE:
		return left >= right;
	default:
		return (left & right) != 0; /* BPF_JSET */
	}
}

static uint32_t load(const struct machine *machine, const struct sock_filter *code)
{
	switch (BPF_MODE(code->code)) {
	case BPF_ABS:
		if (code->k + 4 > sizeof(machine->data))
			return 0;
		return ((const uint32_t *)&machine->data)[code->k / 4];
	case BPF_MEM:
		return machine->memory[code->k % BPF_MEMWORDS];
	case BPF_LEN:
		return sizeof(machine->data);
	default:
		return code->k; /* BPF_IMM */
	}
}

/* Everything but jumps and returns. */
static void step(struct machine *machine, const struct sock_filter *code)
{
	uint32_t operand = BPF_SRC(code->code) == BPF_X ? machine->index : code->k;

	switch (BPF_CLASS(code->code)) {
	case BPF_LD:
		machine->accumulator = load(machine, code);
		break;
	case BPF_LDX:
		machine->index = load(machine, code);
		break;
	case BPF_ST:
		machine->memory[code->k % BPF_MEMWORDS] = machine->accumulator;
		break;
	case BPF_STX:
		machine->memory[code->k % BPF_MEMWORDS] = machine->index;
		break;
	case BPF_ALU:
		machine->accumulator =
			compute(BPF_OP(code->code), machine->accumulator, operand);
		break;
	case BPF_MISC:
		if (BPF_MISCOP(code->code) == BPF_TAX)
			machine->index = machine->accumulator;
		else
			machine->accumulator = machine->index;
		break;
	}
}

/* What the filter answers. Jumps only go forward, so it ends. */
static uint32_t run(const struct sock_fprog *program, const struct call *call)
{
	struct machine machine = {
		.data = {.nr = (int)call->number, .arch = AUDIT_ARCH_X86_64}};

	for (int i = 0; i < 6; i++)
		machine.data.args[i] = call->arguments[i];
	for (uint32_t at = 0; at < program->len; at++) {
		const struct sock_filter *code = &program->filter[at];
		uint32_t operand = BPF_SRC(code->code) == BPF_X ? machine.index : code->k;

		if (BPF_CLASS(code->code) == BPF_RET)
			return BPF_RVAL(code->code) == BPF_A ? machine.accumulator
							     : code->k;
		if (BPF_CLASS(code->code) != BPF_JMP)
			step(&machine, code);
		else if (BPF_OP(code->code) == BPF_JA)
			at += code->k;
		else
			at += jumps(BPF_OP(code->code), machine.accumulator, operand)
				      ? code->jt
				      : code->jf;
	}
	return SECCOMP_RET_KILL_PROCESS; /* none that the kernel takes */
}

static int is_harmless(uint32_t answer)
{
	uint32_t action = answer & SECCOMP_RET_ACTION_FULL;

	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
	       action == SECCOMP_RET_ERRNO;
}

static int can_be_read(uintptr_t start, size_t size)
{
	for (uintptr_t at = start & ~(PAGE_BYTES - 1); at < start + size;
	     at += PAGE_BYTES)
		if (!readable_address(at))
			return 0;
	return 1;
}

int sandbox_filter_forbids(const void *program, enum sandbox_calls calls)
{
	const struct sock_fprog *filter = program;
	const struct call *call = growth_calls;
	size_t count = sizeof(growth_calls) / sizeof(growth_calls[0]);

	if (calls == SANDBOX_CALLS_START) {
		call = start_calls;
		count = sizeof(start_calls) / sizeof(start_calls[0]);
	}
	/* the kernel refuses what cannot be read */
	if (!can_be_read((uintptr_t)filter, sizeof(*filter)) ||
	    !can_be_read((uintptr_t)filter->filter,
			 filter->len * sizeof(struct sock_filter)))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!is_harmless(run(filter, &call[i])))
			return 1;
	return 0;
}
