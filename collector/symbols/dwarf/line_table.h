/* SPDX-License-Identifier: MIT */
/* What a line table has, read as far as it was asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/symbols/budget.h"
#include "collector/symbols/dwarf/ranges.h"
#include "collector/symbols/strings.h"

/* Bytes of an ELF section, borrowed; size 0: there is none. */
struct section_bytes {
	const uint8_t *bytes;
	size_t size;
};

struct line_sections {
	struct section_bytes line, line_strings, strings;
};

/* path: kept, NULL until asked for. */
struct line_file {
	const char *name, *directory;
	const char *path;
};

struct line_row {
	uint64_t address;
	uint32_t file, line;
};

/* A run of ascending rows; its range's item is its index. */
struct line_sequence {
	size_t first_row, row_count;
};

struct line_table {
	struct line_sections sections;
	struct strings *strings;
	struct budget *budget;
	const char *directory; /* of the compilation; NULL: not known */
	uint64_t offset;

	struct line_file *files;
	size_t file_count;

	bool has_run;
	struct line_row *rows;
	size_t row_count, row_capacity;
	struct line_sequence *sequences;
	size_t sequence_count, sequence_capacity;
	struct ranges ranges;
};
