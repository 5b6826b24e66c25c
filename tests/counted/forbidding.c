/* SPDX-License-Identifier: MIT */
/*
 * Programs that forbid what the recorder would like to do: usage: forbidding WHAT.
 * mdwe: no code may be written or made; refuse, kill: mprotect(); pages: all memory is
 * locked; room: no addresses left; reads: it looks whether its code has been written. It
 * writes its own code, which it has made writable by libc: writes; by syscall(): called;
 * by an instruction of its own: bare; by a copy in the place: mapped, moved.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tally.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

enum { STEP, OTHER, LATE };

static volatile unsigned int sink;

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n * 7;
}

APART static unsigned int other(unsigned int n)
{
	TALLY(OTHER);
	return n ? other(n - 1) : step(n);
}

/* Is called when the code has been made writable, and switched then. */
APART static unsigned int late(unsigned int n)
{
	TALLY(LATE);
	return n * 9;
}

NO_HOOKS static int filter(unsigned int action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

NO_HOOKS static int limit(int resource, rlim_t size)
{
	struct rlimit limit = {size, size};

	return setrlimit(resource, &limit);
}

NO_HOOKS static rlim_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return (rlim_t)pages * 4096;
}

#define OWN_BYTES 8192
#define ANY (PROT_READ | PROT_WRITE | PROT_EXEC)

/* Its code lies in these pages; what copies them must not. */
NO_HOOKS static char *own_code(void)
{
	return (char *)((uintptr_t)step & ~4095ul);
}

NO_HOOKS static int protect_by_instruction(void)
{
	register long number __asm__("rax") = SYS_mprotect;
	register void *address __asm__("rdi") = own_code();
	register long size __asm__("rsi") = OWN_BYTES;
	register long protection __asm__("rdx") = ANY;

	__asm__ volatile("syscall"
			 : "+r"(number)
			 : "r"(address), "r"(size), "r"(protection)
			 : "rcx", "r11", "memory");
	return number != 0;
}

/* In one call: it runs there. */
NO_HOOKS static int map_copy(void)
{
	int file = fileno(tmpfile());

	return write(file, own_code(), OWN_BYTES) != OWN_BYTES ||
	       mmap(own_code(), OWN_BYTES, ANY, MAP_PRIVATE | MAP_FIXED, file, 0) ==
		       MAP_FAILED;
}

NO_HOOKS static int move_copy(void)
{
	char *copy =
		(char *)mmap(NULL, OWN_BYTES, ANY, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(copy, own_code(), OWN_BYTES);
	return mremap(copy, OWN_BYTES, OWN_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		      own_code()) == MAP_FAILED;
}

/* 0: it is so now; 1: this kernel cannot, and it is not tested. */
NO_HOOKS static int forbid(const char *what)
{
	if (!strcmp(what, "mdwe"))
		return prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0;
	if (!strcmp(what, "refuse"))
		return filter(SECCOMP_RET_ERRNO | 1);
	if (!strcmp(what, "kill"))
		return filter(SECCOMP_RET_KILL_PROCESS);
	if (!strcmp(what, "pages"))
		return mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!strcmp(what, "room"))
		return limit(RLIMIT_AS, address_space() + (1 << 20));
	if (!strcmp(what, "writes"))
		return mprotect(own_code(), OWN_BYTES, ANY);
	if (!strcmp(what, "called"))
		return syscall(SYS_mprotect, own_code(), OWN_BYTES, ANY) != 0;
	if (!strcmp(what, "bare"))
		return protect_by_instruction();
	if (!strcmp(what, "mapped"))
		return map_copy();
	if (!strcmp(what, "moved"))
		return move_copy();
	return 0;
}

/* Of its functions' code. */
NO_HOOKS static unsigned long checksum(void)
{
	const unsigned char *code = (const unsigned char *)(uintptr_t)step;
	unsigned long sum = 0;

	for (int i = -256; i < 256; i++)
		sum = sum * 31 + code[i];
	return sum;
}

/* Its own code, as a program does that changes it. */
NO_HOOKS static void write_own_code(void)
{
	volatile unsigned char *code = (volatile unsigned char *)(uintptr_t)step;

	*code = *code;
}

int main(int argument_count, char **arguments)
{
	const char *what = argument_count > 1 ? arguments[1] : "";
	uint64_t end = tally_now_ms() + 60;
	unsigned long sum = checksum();
	int is_early = argument_count > 2; /* before anything was switched */
	int writes = !strcmp(what, "writes") || !strcmp(what, "called") ||
		     !strcmp(what, "bare") || !strcmp(what, "mapped") ||
		     !strcmp(what, "moved");

	tally_begin();
	if (is_early && forbid(what))
		return 77;
	for (unsigned int i = 0; i % 200 || tally_now_ms() < end; i++)
		sink += other(5) + step(i);
	if (!is_early && forbid(what))
		return 77;
	end = tally_now_ms() + 60;
	for (unsigned int i = 0; i % 200 || tally_now_ms() < end; i++) {
		sink += other(3) + step(i);
		for (unsigned int n = 0; n < 5; n++)
			sink += late(n);
		if (writes)
			write_own_code();
	}
	if (!strcmp(what, "reads") && sum != checksum())
		return 2;
	TALLY_SAY(step, STEP);
	TALLY_SAY(other, OTHER);
	TALLY_SAY(late, LATE);
	return 0;
}
