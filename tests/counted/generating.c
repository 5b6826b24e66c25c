/* SPDX-License-Identifier: MIT */
/* Code that was made while the program ran and calls the hooks: in no object. */
#include <string.h>

#include "tally.h"

enum { STEP };

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

static volatile unsigned int sink;

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n * 7;
}

/* mov $function, %rdi; xor %esi, %esi; mov $target, %rax; push %rbx; call *%rax; pop
 * %rbx. The stack is aligned by the push. */
NO_HOOKS static unsigned char *put_call(unsigned char *at, void *function, void *target)
{
	memcpy(at, "\x48\xbf", 2);
	memcpy(at + 2, &function, 8);
	memcpy(at + 10, "\x31\xf6\x48\xb8", 4);
	memcpy(at + 14, &target, 8);
	memcpy(at + 22, "\x53\xff\xd0\x5b", 4);
	return at + 26;
}

int main(void)
{
	uint64_t end = tally_now_ms() + 120;
	unsigned char *code =
		(unsigned char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *at = code;
	void (*made)(void);

	tally_begin();
	at = put_call(at, code, (void *)__cyg_profile_func_enter);
	at = put_call(at, code, (void *)__cyg_profile_func_exit);
	*at = 0xc3;
	made = (void (*)(void))(uintptr_t)code;
	for (unsigned int i = 0; i % 1000 || tally_now_ms() < end; i++) {
		made();
		__atomic_fetch_add(&tallies[1], 1, __ATOMIC_RELAXED);
		sink += step(i);
	}
	TALLY_SAY(step, STEP);
	tally_say("made", code, 1);
	return 0;
}
