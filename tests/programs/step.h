/* SPDX-License-Identifier: MIT */
/* What this is:  a function with a frame of so many bytes, in a library of its own: where
 *                one is unloaded another comes to its addresses, and only the size of the
 *                frame differs. For reloads.c. */
#pragma once

#define STEP(bytes)                                                                      \
	__asm__(".text\n"                                                                \
		".globl step\n"                                                          \
		".type step, @function\n"                                                \
		"step:\n"                                                                \
		"	.cfi_startproc\n"                                                      \
		"	subq $" #bytes ", %rsp\n"                                        \
		"	.cfi_adjust_cfa_offset " #bytes "\n"                             \
		"	call *%rdi\n"                                                          \
		"	addq $" #bytes ", %rsp\n"                                        \
		"	.cfi_adjust_cfa_offset -" #bytes "\n"                            \
		"	ret\n"                                                                 \
		"	.cfi_endproc\n"                                                        \
		".size step, . - step\n");
