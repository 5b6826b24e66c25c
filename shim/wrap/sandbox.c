/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of prctl and syscall, by which a program installs a seccomp filter: what the
 * recorder may need is reserved before, and the gate is closed, whatever the filter says.
 * And by which it forbids itself the clock. Must not change arguments, result or errno of
 * what is called; cost anything when it is another call (a tail jump).
 *
 * libseccomp calls syscall(). A program that executes the instruction itself is not seen:
 * its filter kills it at our next growth.
 */
#include <errno.h>
#include <link.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/image/image.h"
#include "shim/memory/shadow.h"
#include "shim/memory/site.h"
#include "shim/events/context.h"
#include "shim/samples/samples.h"
#include "shim/wrap/begin.h"
#include "shim/wrap/real.h"

hidden long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f);
hidden int sandbox_prctl(int option, unsigned long mode, unsigned long program,
			 unsigned long c, unsigned long d);

/* SYS_mmap, SYS_mprotect, SYS_mremap and SYS_pkey_mprotect are code.c's; SYS_setuid,
 * SYS_setreuid, SYS_setresuid, SYS_mlockall, SYS_prctl, SYS_chroot and SYS_seccomp; the
 * sixth argument of the call is on the stack and stays there. */
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	.irp number, 9, 10, 25, 329\n"
	"	cmpl $\\number, %edi\n"
	"	je protect_syscall\n"
	"	.endr\n"
	"	.irp number, 105, 113, 117, 151, 157, 161, 317\n"
	"	cmpl $\\number, %edi\n"
	"	je sandbox_syscall\n"
	"	.endr\n"
	"	jmp *real_syscall(%rip)\n"
	"	.cfi_endproc\n"
	"	.size syscall, . - syscall\n"
	".globl prctl\n"
	".type prctl, @function\n"
	"prctl:\n"
	"	.cfi_startproc\n"
	"	cmpl $22, %edi\n"
	"	je sandbox_prctl\n"
	"	cmpl $26, %edi\n"
	"	je sandbox_prctl\n"
	"	jmp *real_prctl(%rip)\n"
	"	.cfi_endproc\n"
	"	.size prctl, . - prctl\n");

_Static_assert(SYS_mmap == 9 && SYS_mprotect == 10 && SYS_mremap == 25 &&
		       SYS_pkey_mprotect == 329,
	       "the numbers above");
_Static_assert(SYS_setuid == 105 && SYS_setreuid == 113 && SYS_setresuid == 117 &&
		       SYS_chroot == 161 && SYS_mlockall == 151 && SYS_prctl == 157 &&
		       SYS_seccomp == 317 && PR_SET_SECCOMP == 22 && PR_SET_TSC == 26,
	       "the numbers above");

/* Objects whose functions nobody has called yet, or they would have no names. */
static int note_object(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size, (void)data;
	object_note(object);
	return 0;
}

/* The calling thread's lane and the process take what they may need. */
static void reserve_growth(void)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	struct lane_context *context = context_settle(stack);
	uint64_t mask;

	if (!context)
		return;
	dl_iterate_phdr(note_object, NULL);
	if (!gate_block_signals(&mask))
		return;
	context_reserve(context);
	site_reserve();
	shadow_reserve();
	gate_restore_signals(&mask);
}

/* What has been done for a filter that is about to be installed. */
struct sandboxing {
	int has_closed;
	int clock_access; /* before strict mode */
};

static int forbid_clock(int with_calls)
{
	const struct segment_run *run = process_facts.run;
	struct clock_pair begin = {0};

	if (!run)
		return clock_forbid(with_calls, &begin, 0);
	begin.ticks = run->start_ticks;
	begin.monotonic_ns = run->start_monotonic_ns;
	return clock_forbid(with_calls, &begin, run->ticks_per_second);
}

static struct sandboxing begin(int is_strict)
{
	/* before the gate is closed: the clock is read a last time */
	struct sandboxing sandboxing = {.clock_access = is_strict ? forbid_clock(1) : -1};

	if (!process || (process_is_ready() && !context_is_own_process()))
		return sandboxing;
	samples_end_timers();
	reserve_growth();
	gate_close();
	sandboxing.has_closed = 1;
	return sandboxing;
}

static void end(struct sandboxing sandboxing, int has_failed)
{
	if (has_failed) {
		if (sandboxing.has_closed)
			gate_open();
		if (sandboxing.clock_access >= 0)
			clock_allow(sandboxing.clock_access);
		return;
	}
	if (sandboxing.clock_access >= 0)
		process_note(SEGMENT_NOTE_NO_CLOCK);
	if (sandboxing.has_closed) {
		additions_leave();
		process_note(SEGMENT_NOTE_SEALED);
	}
}

static int set_tsc(unsigned long mode, unsigned long b, unsigned long c, unsigned long d)
{
	int forbids = (int)mode == PR_TSC_SIGSEGV;
	int access = forbids ? forbid_clock(0) : 0;
	int result = real_prctl(PR_SET_TSC, mode, b, c, d);

	if (!forbids)
		clock_ask_again();
	else if (result != 0)
		clock_allow(access);
	else
		process_note(SEGMENT_NOTE_NO_CLOCK);
	return result;
}

int sandbox_prctl(int option, unsigned long mode, unsigned long program, unsigned long c,
		  unsigned long d)
{
	struct sandboxing sandboxing = {.clock_access = -1};
	int result;

	if (option == PR_SET_TSC)
		return set_tsc(mode, program, c, d);
	if (mode == SECCOMP_MODE_STRICT || mode == SECCOMP_MODE_FILTER)
		sandboxing = begin(mode == SECCOMP_MODE_STRICT);
	result = real_prctl(option, mode, program, c, d);
	end(sandboxing, result != 0);
	return result;
}

static long call_seccomp(unsigned int operation, unsigned int flags, const void *program)
{
	struct sandboxing sandboxing = {.clock_access = -1};
	long result;

	if (operation == SECCOMP_SET_MODE_FILTER)
		sandboxing = begin(0);
	else if (operation == SECCOMP_SET_MODE_STRICT && !flags && !program)
		sandboxing = begin(1); /* libseccomp tries with flags: refused */
	result = real_syscall(SYS_seccomp, (long)operation, (long)flags, program, 0l, 0l,
			      0l);
	/* more than 0: the descriptor that was asked for, or else a thread that could not
	 * be brought under the filter */
	end(sandboxing,
	    result < 0 || (result > 0 && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)));
	return result;
}

/* A change of user or root. */
static long call_privileged(long number, long a, long b, long c)
{
	uint32_t notes = privileges_before(number, (uid_t)a, (uid_t)b, (uid_t)c);
	long result = real_syscall(number, a, b, c, 0l, 0l, 0l);

	if (result == 0)
		privileges_after(notes);
	return result;
}

long sandbox_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if ((int)number == SYS_setuid || (int)number == SYS_setreuid ||
	    (int)number == SYS_setresuid || (int)number == SYS_chroot)
		return call_privileged((int)number, a, b, c);
	if ((int)number == SYS_mlockall)
		return memory_lock_all((int)a);
	if ((int)number == SYS_seccomp)
		return call_seccomp((unsigned int)a, (unsigned int)b, (const void *)c);
	if ((int)a == PR_SET_SECCOMP || (int)a == PR_SET_TSC)
		return sandbox_prctl((int)a, (unsigned long)b, (unsigned long)c,
				     (unsigned long)d, (unsigned long)e);
	return real_syscall(number, a, b, c, d, e, f);
}
