/* SPDX-License-Identifier: MIT */
/* What this is: debug information that names another file, FIFO, which nobody writes into:
 * whoever opens it as libdw does waits for ever. SHARED: as the file with its strings
 * (.gnu_debugaltlink); SPLIT: as its other half (.dwo). Linked to a program compiled
 * without -g. */
	.section .debug_abbrev,"",@progbits
	.uleb128 1			/* the unit */
#ifdef SPLIT
	.uleb128 0x4a
	.byte 0
	.uleb128 0x76, 0x08		/* dwo_name string */
	.uleb128 0x1b, 0x08		/* comp_dir string */
#else
	.uleb128 0x11
	.byte 1
#endif
	.uleb128 0x11, 0x01		/* low_pc addr */
	.uleb128 0x12, 0x07		/* high_pc data8 */
	.uleb128 0, 0
	.uleb128 2			/* a function */
	.uleb128 0x2e
	.byte 0
	.uleb128 0x03, 0x1f21		/* name GNU_strp_alt */
	.uleb128 0x11, 0x01
	.uleb128 0x12, 0x07
	.uleb128 0, 0
	.uleb128 0

	.section .debug_info,"",@progbits
	.long end - start
start:
#ifdef SPLIT
	.value 5
	.byte 4, 8			/* skeleton, size of addresses */
	.long 0
	.quad 1
	.uleb128 1
	.asciz FIFO
	.asciz "/"
	.quad main
	.quad 4
#else
	.value 4
	.long 0
	.byte 8
	.uleb128 1
	.quad main
	.quad 4
	.uleb128 2
	.long 0
	.quad main
	.quad 4
	.byte 0
#endif
end:
#ifdef SHARED
	.section .gnu_debugaltlink,"",@progbits
	.asciz FIFO
	.fill 20, 1, 0x5a
#endif
	.section .note.GNU-stack,"",@progbits
