/* SPDX-License-Identifier: MIT */
/* Switching stacks by hand, which nothing can wrap. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Where a stopped coroutine or its resumer goes on. */
struct place {
	void *stack_pointer;
};

void switch_stack(struct place *from, struct place *to);
/* Keeps what the calling convention says a function keeps. */
__asm__(".text\n"
	".type switch_stack, @function\n"
	"switch_stack:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq (%rsi), %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size switch_stack, . - switch_stack\n");

/* A place on a fresh stack, where start begins; it must not return. */
__attribute__((no_instrument_function, unused)) static void
prepare_stack(struct place *place, char *stack, size_t size, void (*start)(void))
{
	void **top = (void **)(((uintptr_t)stack + size) & ~(uintptr_t)15);

	*--top = NULL;
	*--top = (void *)start;
	place->stack_pointer = top - 6;
}
