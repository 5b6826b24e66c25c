/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of the functions that move control between functions and stacks: setjmp,
 * longjmp, the ucontext family, vfork. Must not change what the wrapped functions do,
 * the stack they see, or errno.
 *
 * setjmp, getcontext, swapcontext and vfork return to their caller's frame, perhaps more
 * than once: their wrappers leave nothing on the stack and jump to the real function.
 *
 * longjmp: glibc keeps the stack pointer in jmp_buf[6] and the return address in
 * jmp_buf[7], rotated left by 17 bits and mixed with the thread's pointer guard at
 * fs:0x30.
 */
#include "shim/wrap/begin.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "common/attributes.h"
#include "shim/events/events.h"
#include "shim/samples/samples.h"
#include "shim/stacks/fiber.h"
#include "shim/wrap/real.h"

#define JMP_BUF_STACK_POINTER 6
#define JMP_BUF_RETURN_ADDRESS 7

hidden const void *jumps_other_vfork; /* another library's, NULL: there is only libc's */

void jumps_begin(void)
{
	if (!resolve_is_libc((const void *)real_vfork))
		jumps_other_vfork = (const void *)real_vfork;
}

/* The helpers of the assembler below: the wrapped function's first two arguments, the
 * stack pointer after its return, and where it returns to. */
hidden void jumps_mark(void *unused, void *unused_too, uintptr_t stack_pointer,
		       uint64_t return_address);
hidden void jumps_swap(const ucontext_t *from, const ucontext_t *to,
		       uintptr_t stack_pointer, uint64_t return_address);
hidden void jumps_make(const ucontext_t *context);
hidden int jumps_vfork_failed(long error);

void jumps_mark(void *unused, void *unused_too, uintptr_t stack_pointer,
		uint64_t return_address)
{
	(void)unused;
	(void)unused_too;
	jump_mark(stack_pointer, return_address);
}

static void land(const ucontext_t *context)
{
	jump_land((uintptr_t)context->uc_mcontext.gregs[REG_RSP],
		  (uint64_t)context->uc_mcontext.gregs[REG_RIP]);
}

void jumps_swap(const ucontext_t *from, const ucontext_t *to, uintptr_t stack_pointer,
		uint64_t return_address)
{
	(void)from;
	jump_mark(stack_pointer, return_address);
	land(to);
}

void jumps_make(const ucontext_t *context)
{
	uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;

	samples_end_timers();
	fiber_declare(low, low + context->uc_stack.ss_size);
}

exported int sigaltstack(const stack_t *restrict stack, stack_t *restrict ret)
{
	samples_use_signal_stack(stack);
	return real_sigaltstack(stack, ret);
}

int jumps_vfork_failed(long error)
{
	jump_after_vfork();
	errno = (int)error;
	return -1;
}

/* All argument registers are kept; seven pushes align the stack for the call. */
__asm__(".macro PROFSHIM_WRAP name, helper\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	"	.cfi_startproc\n"
	"	.irp register, rax, rdi, rsi, rdx, rcx, r8, r9\n"
	"	pushq %\\register\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.endr\n"
	"	leaq 64(%rsp), %rdx\n"
	"	movq 56(%rsp), %rcx\n"
	"	call \\helper\n"
	"	.irp register, r9, r8, rcx, rdx, rsi, rdi, rax\n"
	"	popq %\\register\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.endr\n"
	"	jmp *real_\\name(%rip)\n"
	"	.cfi_endproc\n"
	"	.size \\name, . - \\name\n"
	".endm\n"
	".text\n"
	"PROFSHIM_WRAP setjmp, jumps_mark\n"
	"PROFSHIM_WRAP _setjmp, jumps_mark\n"
	"PROFSHIM_WRAP __sigsetjmp, jumps_mark\n"
	"PROFSHIM_WRAP getcontext, jumps_mark\n"
	"PROFSHIM_WRAP swapcontext, jumps_swap\n"
	"PROFSHIM_WRAP makecontext, jumps_make\n");

/* The child returns through the parent's stack and overwrites what is above; so the
 * return address waits in a register, which the kernel keeps for the parent. */
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	cmpq $0, jumps_other_vfork(%rip)\n"
	"	jne 1f\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call jump_before_vfork\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movl $58, %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_offset %rip, -8\n"
	"	testq %rax, %rax\n"
	"	jz 3f\n"
	"	js 2f\n"
	"	pushq %rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call jump_after_vfork\n"
	"	popq %rax\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"3:	ret\n"
	"1:	jmp *jumps_other_vfork(%rip)\n"
	"2:	negq %rax\n"
	"	movq %rax, %rdi\n"
	"	jmp jumps_vfork_failed\n"
	"	.cfi_endproc\n"
	"	.size vfork, . - vfork\n");

static uint64_t demangle(long value)
{
	uint64_t result = (uint64_t)value;

	__asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(result) : : "cc");
	return result;
}

static void land_at(const struct __jmp_buf_tag *environment)
{
	jump_land(demangle(environment->__jmpbuf[JMP_BUF_STACK_POINTER]),
		  demangle(environment->__jmpbuf[JMP_BUF_RETURN_ADDRESS]));
}

#define LAND(name)                                                                       \
	exported void name(struct __jmp_buf_tag environment[1], int value)               \
	{                                                                                \
		land_at(environment);                                                    \
		real_##name(environment, value);                                         \
		__builtin_unreachable();                                                 \
	}

/* clang-format off */
LAND(longjmp)
LAND(_longjmp)
LAND(siglongjmp)
LAND(__longjmp_chk)
/* clang-format on */

exported int setcontext(const ucontext_t *context)
{
	land(context);
	return real_setcontext(context);
}

/*
 * Wrappers of the functions with which an exception ends the functions it passes
 * through. Runs on: traced threads, inside the unwinder or the catching function. Must
 * not change what the wrapped functions do.
 *
 * gcc runs exit hooks on the way, clang does not. _Unwind_SetIP is called by the
 * language's personality routine (C++, C's cleanups, Rust) when a function has a handler
 * or cleanup to run: everything called from below that function's stack pointer is gone
 * before the first instruction of the landing pad. __cxa_begin_catch is called by the
 * handler itself, for programs whose personality routine is out of our reach (linked in).
 */

/* Not wrapped, but of the same library. */
static __typeof__(_Unwind_GetCFA) *real_get_cfa;

exported void _Unwind_SetIP(struct _Unwind_Context *context, _Unwind_Ptr address)
{
	void *caller = __builtin_return_address(0);
	__typeof__(_Unwind_GetCFA) *get_cfa = (__typeof__(_Unwind_GetCFA) *)resolve_late(
		(void **)&real_get_cfa, "_Unwind_GetCFA", caller);
	__typeof__(_Unwind_SetIP) *real = REAL_LATE(_Unwind_SetIP, caller);

	/* of the function that has the landing pad: its stack pointer at its call */
	if (get_cfa)
		jump_unwind(get_cfa(context));
	real(context, address);
}

exported void *__cxa_begin_catch(void *exception)
{
	__typeof__(__cxa_begin_catch) *real =
		REAL_LATE(__cxa_begin_catch, __builtin_return_address(0));

	jump_unwind((uintptr_t)__builtin_dwarf_cfa());
	return real(exception);
}
