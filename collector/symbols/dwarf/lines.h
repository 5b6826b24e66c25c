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

#include "collector/symbols/dwarf/line_table.h"

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

/* How many numbers there are; some may be of no file. */
static inline size_t line_table_files(const struct line_table *table)
{
	return table->file_count;
}

/* The last row at or before the address that has a line. false: there is none. */
bool line_table_find(struct line_table *table, uint64_t address, const char **ret_file,
		     uint32_t *ret_line);
