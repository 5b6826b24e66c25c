/* SPDX-License-Identifier: MIT */
/* What this is: a line table, small in the packed file, of which a reader without limits
 * never comes to the end. DIRECTORIES: a million, the name of each 32 MB long. FILES:
 * 200,000, in a directory whose name is 1 MB long. ROWS: 32 million. Linked to a program
 * compiled without -g. */
	.section .debug_abbrev,"",@progbits
	.uleb128 1			/* the unit */
	.uleb128 0x11
	.byte 1
	.uleb128 0x11, 0x01		/* low_pc addr */
	.uleb128 0x12, 0x07		/* high_pc data8 */
	.uleb128 0x10, 0x17		/* stmt_list sec_offset */
	.uleb128 0, 0
	.uleb128 2			/* a function */
	.uleb128 0x2e
	.byte 0
	.uleb128 0x03, 0x08		/* name string */
	.uleb128 0x11, 0x01
	.uleb128 0x12, 0x07
	.uleb128 0x3a, 0x0b		/* decl_file data1 */
	.uleb128 0x3b, 0x0b		/* decl_line data1 */
	.uleb128 0, 0
	.uleb128 0

	.section .debug_info,"",@progbits
	.long unit_end - unit
unit:
	.value 5
	.byte 1, 8			/* compile, size of addresses */
	.long 0
	.uleb128 1
	.quad main
	.quad 4
	.long 0
	.uleb128 2
	.asciz "main"
	.quad main
	.quad 4
	.byte 1, 7
	.byte 0
unit_end:

	.section .debug_line_str,"",@progbits
#ifdef DIRECTORIES
	.fill 32 << 20, 1, 'd'
#elif defined FILES
	.fill 1 << 20, 1, 'd'
#endif
name:
	.asciz "n"

	.section .debug_line,"",@progbits
	.long table_end - table
table:
	.value 5
	.byte 8, 0
	.long header_end - header
header:
	.byte 1, 1, 1, 0xfb, 14, 13
	.byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
	.byte 1				/* directories: path line_strp */
	.uleb128 1, 0x1f
#ifdef DIRECTORIES
	.uleb128 1000000
	.fill 1000000, 4, 0
#else
	.uleb128 1
	.long 0
#endif
	.byte 2				/* files: path line_strp, directory data1 */
	.uleb128 1, 0x1f, 2, 0x0b
#ifdef FILES
	.uleb128 200000
	.fill 200000, 5, 1 << 20	/* the name at 1 << 20, the directory 0 */
#else
	.uleb128 2
	.rept 2
	.long name - .debug_line_str
	.byte 0
	.endr
#endif
header_end:
	.byte 0, 9, 2			/* set_address */
	.quad main
#ifdef ROWS
	.fill 32 << 20, 1, 13		/* a row, five lines back */
#endif
	.byte 2, 4			/* advance_pc */
	.byte 0, 1, 1			/* end_sequence */
table_end:
	.section .note.GNU-stack,"",@progbits
