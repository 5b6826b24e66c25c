/* SPDX-License-Identifier: MIT */
/* What this is: debug information whose DW_AT_sibling leaves its parent. LEVELS namespaces
 * lie in each other; the sibling of each is the namespace two levels below, inside it. A
 * reader that believes this visits the innermost 1.6^LEVELS times. Linked to a program
 * compiled without -g. */
#define LEVELS 200

	.section .debug_abbrev,"",@progbits
	.uleb128 1			/* the unit */
	.uleb128 0x11
	.byte 1
	.uleb128 0x11, 0x01		/* low_pc addr */
	.uleb128 0x12, 0x07		/* high_pc data8 */
	.uleb128 0, 0
	.uleb128 2			/* a namespace */
	.uleb128 0x39
	.byte 1
	.uleb128 0x01, 0x13		/* sibling ref4 */
	.uleb128 0, 0
	.uleb128 3			/* a function */
	.uleb128 0x2e
	.byte 0
	.uleb128 0x03, 0x08		/* name string */
	.uleb128 0x11, 0x01
	.uleb128 0x12, 0x07
	.uleb128 0, 0
	.uleb128 0

	.section .debug_info,"",@progbits
unit:
	.long end - start
start:
	.value 4
	.long 0
	.byte 8
	.uleb128 1
	.quad main
	.quad 4
namespaces:
	.set level, 0
	.rept LEVELS
	.uleb128 2
	.long namespaces - unit + 5 * (level + 2)
	.set level, level + 1
	.endr
	.uleb128 3
	.asciz "innermost"
	.quad main
	.quad 4
	.zero LEVELS + 1
end:
	.section .note.GNU-stack,"",@progbits
