/* SPDX-License-Identifier: MIT */
/*
 * Running a DWARF line program and looking into its rows. Must not keep more rows than
 * the program has bytes.
 */
#include "collector/symbols/dwarf/lines.h"

#include <dwarf.h>
#include <stdlib.h>

#include "collector/symbols/dwarf/line_header.h"

void line_table_open(struct line_table *table, const struct line_sections *sections,
		     uint64_t offset, const char *directory, struct strings *strings,
		     struct budget *budget)
{
	struct line_header header;

	*table = (struct line_table){
		.sections = *sections,
		.strings = strings,
		.budget = budget,
		.directory = directory,
		.offset = offset,
	};
	if (line_header_read(table, &header))
		line_header_read_files(table, &header);
}

void line_table_close(struct line_table *table)
{
	free(table->files);
	free(table->rows);
	free(table->sequences);
	ranges_done(&table->ranges);
}

const char *line_table_file(struct line_table *table, uint64_t number)
{
	struct line_file *file;

	if (number >= table->file_count || !table->files[number].name)
		return NULL;
	file = &table->files[number];
	if (!file->path)
		file->path = strings_path(table->strings, table->directory,
					  file->directory, file->name);
	return file->path;
}

/* The registers of the line machine, and where the sequence began. */
struct machine {
	uint64_t address;
	uint64_t file, line;
	size_t first_row;
	bool out_of_order;
};

static bool append_row(struct line_table *table, struct machine *machine)
{
	size_t capacity = table->row_capacity ? table->row_capacity * 2 : 256;
	struct line_row *larger;

	if (table->row_count == table->row_capacity) {
		if (!budget_take_memory(table->budget, capacity * sizeof(*larger)))
			return false;
		larger = reallocarray(table->rows, capacity, sizeof(*larger));
		if (!larger)
			return false;
		table->rows = larger;
		table->row_capacity = capacity;
	}
	if (table->row_count > machine->first_row &&
	    machine->address < table->rows[table->row_count - 1].address)
		machine->out_of_order = true;
	table->rows[table->row_count++] = (struct line_row){
		machine->address,
		machine->file < UINT32_MAX ? (uint32_t)machine->file : UINT32_MAX,
		machine->line < UINT32_MAX ? (uint32_t)machine->line : 0,
	};
	return true;
}

/* Closes the rows since first_row; those of code that the linker dropped (at address 0)
 * or that make no sense are forgotten. */
static bool end_sequence(struct line_table *table, const struct machine *machine)
{
	size_t capacity = table->sequence_capacity ? table->sequence_capacity * 2 : 8;
	size_t count = table->row_count - machine->first_row;
	struct line_sequence *larger;
	uint64_t start;

	start = count ? table->rows[machine->first_row].address : 0;
	if (!start || machine->out_of_order || machine->address <= start) {
		table->row_count = machine->first_row;
		return true;
	}
	if (table->sequence_count == table->sequence_capacity) {
		if (!budget_take_memory(table->budget, capacity * sizeof(*larger)))
			return false;
		larger = reallocarray(table->sequences, capacity, sizeof(*larger));
		if (!larger)
			return false;
		table->sequences = larger;
		table->sequence_capacity = capacity;
	}
	if (ranges_add(&table->ranges, start, machine->address,
		       (uint32_t)table->sequence_count, table->budget) < 0)
		return false;
	table->sequences[table->sequence_count++] =
		(struct line_sequence){machine->first_row, count};
	return true;
}

static void reset(const struct line_table *table, struct machine *machine)
{
	*machine = (struct machine){.file = 1, .line = 1, .first_row = table->row_count};
}

/* An opcode of the form 0, length, code, operands. */
static bool run_extended(struct line_table *table, struct cursor *program,
			 struct machine *machine)
{
	uint64_t length = cursor_uleb(program);
	struct cursor operands;
	bool fits = true;

	if (!length || !cursor_has(program, length))
		return false;
	operands = (struct cursor){program->at, program->at + length, false};
	switch (cursor_number(&operands, 1)) {
	case DW_LNE_end_sequence:
		fits = end_sequence(table, machine);
		reset(table, machine);
		break;
	case DW_LNE_set_address:
		machine->address = length == 9 ? cursor_number(&operands, 8) : 0;
		break;
	default: /* define_file is not written by any compiler of today */
		break;
	}
	program->at += length;
	return fits;
}

static bool run_standard(struct line_table *table, const struct line_header *header,
			 struct cursor *program, uint8_t opcode, struct machine *machine)
{
	unsigned int operand;

	switch (opcode) {
	case DW_LNS_copy:
		return append_row(table, machine);
	case DW_LNS_advance_pc:
		machine->address += header->minimum_instruction * cursor_uleb(program);
		return true;
	case DW_LNS_advance_line:
		machine->line += (uint64_t)cursor_sleb(program);
		return true;
	case DW_LNS_set_file:
		machine->file = cursor_uleb(program);
		return true;
	case DW_LNS_const_add_pc:
		machine->address += (uint64_t)header->minimum_instruction *
				    ((255u - header->opcode_base) / header->line_range);
		return true;
	case DW_LNS_fixed_advance_pc:
		machine->address += cursor_number(program, 2);
		return true;
	default: /* columns, marks and opcodes to come: nothing that a line depends on */
		for (operand = header->operand_counts[opcode - 1]; operand > 0; operand--)
			(void)cursor_uleb(program);
		return true;
	}
}

static void run(struct line_table *table)
{
	struct line_header header;
	struct machine machine;
	struct cursor *program = &header.program;
	bool fits = line_header_read(table, &header);

	reset(table, &machine);
	while (fits && program->at < program->end && budget_take(table->budget, 1)) {
		uint8_t opcode = *program->at++;

		if (opcode >= header.opcode_base) {
			opcode = (uint8_t)(opcode - header.opcode_base);
			machine.address += (uint64_t)header.minimum_instruction *
					   (opcode / header.line_range);
			machine.line += (uint64_t)(int64_t)(header.line_base +
							    opcode % header.line_range);
			fits = append_row(table, &machine);
		} else if (opcode) {
			fits = run_standard(table, &header, program, opcode, &machine);
		} else {
			fits = run_extended(table, program, &machine);
		}
	}
	ranges_sort(&table->ranges);
}

bool line_table_find(struct line_table *table, uint64_t address, const char **ret_file,
		     uint32_t *ret_line)
{
	const struct line_sequence *sequence;
	const struct line_row *rows;
	const struct range *range;
	size_t low = 0, high, middle;

	if (!table->has_run) {
		table->has_run = true;
		run(table);
	}
	range = ranges_find(&table->ranges, address);
	if (!range)
		return false;
	sequence = &table->sequences[range->item];
	rows = table->rows + sequence->first_row;
	for (high = sequence->row_count; low < high;) {
		middle = low + (high - low) / 2;
		if (rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* line 0: the compiler could not tell; the row before is the best guess */
	while (low-- > 0 && budget_take(table->budget, 1)) {
		if (!rows[low].line)
			continue;
		*ret_file = line_table_file(table, rows[low].file);
		*ret_line = rows[low].line;
		return *ret_file != NULL;
	}
	return false;
}
