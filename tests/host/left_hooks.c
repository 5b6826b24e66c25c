/* SPDX-License-Identifier: MIT */
/*
 * What this is:  at each instruction of a hook a handler interrupts it and never returns:
 *                the processor traps behind every one (TF), and the handler jumps away from
 *                the one of ours whose turn it is. Then the same is done undisturbed, in
 *                after(). usage: left_hooks WORK HOW. Where a hook blocks the signals, the
 *                trap would end the program: what comes behind is not looked at.
 *     told       siglongjmp()
 *     untold     a jump of the compiler's own, of which nobody is told
 *     alternate  told, by a handler with a stack of its own
 *     exits      pthread_exit() of a thread; others get its lane
 */
#include "../programs/truth.h"
#include "profshim.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define TURNS 8	  /* so many instructions, all over the hook */
#define SHORT 256 /* or all of one that has no more */
#define AFTER 100

static struct dl_find_object ours;
static volatile long seen_count, leave_at;
static volatile int is_armed;
static enum { TOLD, UNTOLD, ALTERNATE, EXITS } how;
static sigjmp_buf told;
static void *untold[5];
static int sink;
static volatile unsigned sum;

/* Is the next instruction the call that blocks all signals? */
UNTRACED int blocks_signals(const greg_t *registers)
{
	const unsigned char *code = (const unsigned char *)registers[REG_RIP];

	return registers[REG_RAX] == SYS_rt_sigprocmask &&
	       registers[REG_RDI] == SIG_BLOCK && code[0] == 0x0f && code[1] == 0x05;
}

__attribute__((no_instrument_function)) static void on_trap(int signal, siginfo_t *info,
							    void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal, (void)info;
	if (!is_armed || blocks_signals(registers)) {
		registers[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	if ((char *)registers[REG_RIP] < (char *)ours.dlfo_map_start ||
	    (char *)registers[REG_RIP] >= (char *)ours.dlfo_map_end)
		return;
	if (++seen_count < leave_at)
		return;
	is_armed = 0;
	if (how == EXITS)
		pthread_exit(NULL);
	if (how == UNTOLD)
		__builtin_longjmp(untold, 1);
	siglongjmp(told, 1);
}

UNTRACED void arm(void)
{
	if (!leave_at)
		return;
	is_armed = 1;
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" : : : "cc", "memory");
}

UNTRACED void disarm(void)
{
	__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" : : : "cc", "memory");
	is_armed = 0;
}

ALONE static void leaf(void)
{
	sum++;
}

/* On a path of its own for each depth. */
ALONE static void deeper(int depth, int is_write)
{
	if (depth > 0) {
		deeper(depth - 1, is_write);
		sum++;
		return;
	}
	arm();
	if (is_write)
		sum += (unsigned)write(sink, "x", 1);
	else
		leaf();
	disarm();
}

static void blocks(int number)
{
	void *block;

	(void)number;
	arm();
	block = malloc(opaque(64));
	keep(block);
	free(block);
	disarm();
}

static void marks(int number)
{
	arm();
	profshim_step("a step");
	profshim_counter("a counter", number);
	disarm();
}

static void calls(int number)
{
	deeper(number, 0);
}

/* On a path that is there: of so short a hook no instruction is passed over. */
static void known(int number)
{
	(void)number;
	deeper(0, 0);
}

static void writes(int number)
{
	deeper(number, 1);
}

static void naps(int number)
{
	struct timespec time = {0, 1100000};

	(void)number;
	arm();
	nanosleep(&time, NULL);
	disarm();
}

static const struct {
	const char *name;
	void (*work)(int);
} works[] = {{"blocks", blocks}, {"marks", marks},   {"calls", calls},
	     {"known", known},	 {"writes", writes}, {"naps", naps}};

static void (*work)(int);

struct turn {
	int number;
	long leave_at;
};

ALONE static void do_turn(const struct turn *turn)
{
	seen_count = 0;
	leave_at = turn->leave_at;
	if (how == UNTOLD ? !__builtin_setjmp(untold) : !sigsetjmp(told, 1))
		work(turn->number);
	is_armed = 0;
}

static void *in_thread(void *turn)
{
	do_turn(turn);
	return NULL;
}

UNTRACED void try(int number, long at)
{
	struct turn turn = {number, at};
	pthread_t thread;

	if (how != EXITS) {
		do_turn(&turn);
		return;
	}
	if (pthread_create(&thread, NULL, in_thread, &turn))
		abort();
	pthread_join(thread, NULL);
}

static void *after(void *unused)
{
	leave_at = 0;
	for (int i = 0; i < AFTER; i++)
		work(i);
	return unused;
}

int main(int count, char **words)
{
	static char stack[65536];
	const stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = on_trap,
				   .sa_flags = SA_SIGINFO | SA_NODEFER};
	static const char *const ways[] = {"told", "untold", "alternate", "exits"};
	pthread_t thread;
	long total = 0, step;

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (count > 2 && !strcmp(words[1], works[i].name))
			work = works[i].work;
	for (int i = 0; i < 4; i++)
		if (count > 2 && !strcmp(words[2], ways[i]))
			how = i;
	if (!work)
		return 2;
	if (how == ALTERNATE) {
		sigaltstack(&own, NULL);
		action.sa_flags |= SA_ONSTACK;
	}
	if (profshim_record_step)
		_dl_find_object((void *)profshim_record_step, &ours);
	sink = open("/dev/null", O_WRONLY);
	sigaction(SIGTRAP, &action, NULL);
	/* Without what is made once, and what has its turn now and then: a turn at an
	 * instruction of that would find the hook over before. */
	for (int i = 0; i < 3; i++) {
		try(1000 + i, 1l << 62);
		total = i == 0 || seen_count < total ? seen_count : total;
	}
	step = total <= SHORT ? 1 : total / TURNS + 1;
	/* the last first: what an earlier one leaves behind a later one might mend */
	for (int i = (int)((total - 1) / step); i >= 0; i--)
		try(i, 1 + i * step);
	if (how != EXITS) {
		after(NULL);
	} else if (pthread_create(&thread, NULL, after, NULL) ||
		   pthread_join(thread, NULL)) {
		return 1;
	}
	puts("done");
	fflush(stdout);
	syscall(SYS_exit_group, 0); /* main is open, and nothing else */
}
