; SPDX-License-Identifier: MIT
section .data
text:	db "hello", 10
section .text
global main
main:	mov eax, 1
	mov edi, 1
	lea rsi, [rel text]
	mov edx, 6
	syscall
	xor eax, eax
	ret
