/* SPDX-License-Identifier: MIT */
/* The header of a DWARF line program, versions 2 to 5. Must not trust a count. */
#pragma once

#include "collector/symbols/dwarf/cursor.h"
#include "collector/symbols/dwarf/line_table.h"

struct line_header {
	uint16_t version;
	uint8_t offset_size; /* 4 or 8 */
	uint8_t minimum_instruction, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *operand_counts; /* of the standard opcodes 1 ... opcode_base - 1 */
	struct cursor lists;	       /* directories and files */
	struct cursor program;
};

/* false: not readable. */
bool line_header_read(const struct line_table *table, struct line_header *ret);

/* Reads the lists of directories and files into table->files; on failure what was read so
 * far is there. */
void line_header_read_files(struct line_table *table, struct line_header *header);
