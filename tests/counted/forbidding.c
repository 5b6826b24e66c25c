/* SPDX-License-Identifier: MIT */
/*
 * Programs that forbid what the recorder would like to do: usage: forbidding WHAT.
 * mdwe: no code may be written or made; refuse, kill: mprotect(); pages: all memory is
 * locked; room: no addresses left; writes: it writes its own code; reads: and looks
 * whether somebody else has.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tally.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

enum { STEP, OTHER };

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

/* 0: it is so now; 1: this kernel cannot, and it is not tested. */
NO_HOOKS static int forbid(const char *what)
{
	uintptr_t page = (uintptr_t)step & ~4095ul;

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
		return mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
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
		if (!strcmp(what, "writes"))
			write_own_code();
	}
	if (!strcmp(what, "reads") && sum != checksum())
		return 2;
	TALLY_SAY(step, STEP);
	TALLY_SAY(other, OTHER);
	return 0;
}
