/* SPDX-License-Identifier: MIT */
/*
 * The line table of one compile unit: its files, and the line of an address. Must not
 * trust an offset, a count or an opcode.
 *
 * libdw, which reads the rest of DWARF here, has a reader of line tables too. It was
 * measured in the place of this one (version 0.188). Its time would do: all names and
 * lines of SQLite's speedtest1 take 32 ms with it and 12 ms without. It runs the whole
 * line program before it tells one file name; here the files are read first, and the
 * program is run only when a line is asked for.
 *
 * But it believes the header. A file of 53 kB that names a million directories kept it
 * busy for more than a minute; one of 19 kB with 200,000 files took all memory, upon
 * which libdw ends the process, and the run is lost; 32 million rows took 3.4 GB. To look
 * at the header before libdw does is most of line_header.c.
 *
 * And it sorts the rows of all sequences into one list: those of a function that the
 * linker dropped are at addresses from 0 on, come to lie among the rows of functions that
 * stayed, and are told as theirs.
 *
 * tests/unit/symbols has these files: lines.S, and c_dropped.
 */
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

/* The table at this offset of the sections, which stay borrowed like the directory,
 * the strings and the budget. Never fails: a table that cannot be read has no files and
 * no rows. */
void line_table_open(struct line_table *table, const struct line_sections *sections,
		     uint64_t offset, const char *directory, struct strings *strings,
		     struct budget *budget);
void line_table_close(struct line_table *table);

/* The path of the file with this number as other DWARF data count them, kept in strings;
 * NULL: no such file. */
const char *line_table_file(struct line_table *table, uint64_t number);

/* The last row at or before the address that has a line. false: there is none. */
bool line_table_find(struct line_table *table, uint64_t address, const char **ret_file,
		     uint32_t *ret_line);
