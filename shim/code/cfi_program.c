/* SPDX-License-Identifier: MIT */
/* The call frame instructions of DWARF 4, section 6.4.2, and those that GNU has added. */
#include "shim/code/cfi_program.h"

#define REMEMBERED_ROWS 8
#define INSTRUCTION_LIMIT 65536

enum instruction {
	/* the upper two bits, an operand in the others */
	ADVANCE = 0x40,
	OFFSET = 0x80,
	RESTORE = 0xc0,
	/* whole bytes */
	NOTHING = 0x00,
	ADVANCE_1 = 0x02,
	ADVANCE_2 = 0x03,
	ADVANCE_4 = 0x04,
	OFFSET_EXTENDED = 0x05,
	RESTORE_EXTENDED = 0x06,
	UNDEFINED = 0x07,
	SAME_VALUE = 0x08,
	REGISTER = 0x09,
	REMEMBER = 0x0a,
	RESTORE_STATE = 0x0b,
	DEFINE_CFA = 0x0c,
	DEFINE_CFA_REGISTER = 0x0d,
	DEFINE_CFA_OFFSET = 0x0e,
	DEFINE_CFA_EXPRESSION = 0x0f,
	EXPRESSION = 0x10,
	OFFSET_EXTENDED_SIGNED = 0x11,
	DEFINE_CFA_SIGNED = 0x12,
	DEFINE_CFA_OFFSET_SIGNED = 0x13,
	VALUE_OFFSET = 0x14,
	VALUE_OFFSET_SIGNED = 0x15,
	VALUE_EXPRESSION = 0x16,
	ARGUMENTS_SIZE = 0x2e,
	OFFSET_EXTENDED_NEGATIVE = 0x2f,
};

/* Operations of expressions: DW_OP_breg6, DW_OP_deref. */
#define FROM_FRAME_POINTER 0x76
#define WHAT_IS_STORED 0x06

struct machine {
	const struct cfi_common *common;
	uint64_t location, target; /* from the start of the code */
	struct cfi_row row, initial;
	struct cfi_row remembered[REMEMBERED_ROWS];
	int remembered_count;
	int is_done; /* the next row begins behind the target */
};

/* Of a register that matters; NULL: of another. */
static struct cfi_place *place_of(struct cfi_row *row, uint64_t number)
{
	switch (number) {
	case CFI_FRAME_POINTER:
		return &row->frame_pointer;
	case CFI_STACK_POINTER:
		return &row->stack_pointer;
	case CFI_RETURN_ADDRESS:
		return &row->return_address;
	default:
		return (void *)0;
	}
}

static void set_place(struct machine *machine, uint64_t number, int kind, int64_t offset)
{
	struct cfi_place *place = place_of(&machine->row, number);

	if (place) {
		place->kind = kind;
		place->offset = offset;
	}
}

static void restore(struct machine *machine, uint64_t number)
{
	struct cfi_place *place = place_of(&machine->row, number);

	if (place)
		*place = *place_of(&machine->initial, number);
}

static void advance(struct machine *machine, uint64_t delta)
{
	machine->location += delta * machine->common->code_factor;
	machine->is_done = machine->location > machine->target;
}

static void remember(struct machine *machine, struct cfi_reader *reader)
{
	if (machine->remembered_count == REMEMBERED_ROWS)
		reader->is_bad = 1;
	else
		machine->remembered[machine->remembered_count++] = machine->row;
}

static void restore_state(struct machine *machine, struct cfi_reader *reader)
{
	if (machine->remembered_count == 0)
		reader->is_bad = 1;
	else
		machine->row = machine->remembered[--machine->remembered_count];
}

/* Operands are multiples of the data factor. Products wrap as the compiler's do. */
static int64_t scaled(const struct machine *machine, uint64_t operand)
{
	return (int64_t)(operand * (uint64_t)machine->common->data_factor);
}

/* Of expressions one form is understood, which compilers write of functions that have
 * aligned their stack: an offset from the frame pointer, and perhaps what is stored
 * there. 0: it is another one. */
static int take_expression(struct cfi_reader *reader, int is_stored, int64_t *ret_offset)
{
	uint64_t size = cfi_take_uleb(reader);
	struct cfi_reader body = *reader;

	cfi_skip(reader, size);
	body.end = reader->at;
	if (cfi_take(&body, 1) != FROM_FRAME_POINTER)
		return 0;
	*ret_offset = cfi_take_sleb(&body);
	return (!is_stored || cfi_take(&body, 1) == WHAT_IS_STORED) && !body.is_bad &&
	       body.at == body.end;
}

/* Instructions that say where the CFA is. 0: it is none of them. */
static int define_cfa(struct machine *machine, struct cfi_reader *reader, uint8_t code)
{
	struct cfi_row *row = &machine->row;

	switch (code) {
	case DEFINE_CFA:
		row->cfa_register = cfi_take_uleb(reader);
		row->cfa_offset = (int64_t)cfi_take_uleb(reader);
		return 1;
	case DEFINE_CFA_SIGNED:
		row->cfa_register = cfi_take_uleb(reader);
		row->cfa_offset = scaled(machine, (uint64_t)cfi_take_sleb(reader));
		return 1;
	case DEFINE_CFA_REGISTER:
		row->cfa_register = cfi_take_uleb(reader);
		return 1;
	case DEFINE_CFA_OFFSET:
		row->cfa_offset = (int64_t)cfi_take_uleb(reader);
		return 1;
	case DEFINE_CFA_OFFSET_SIGNED:
		row->cfa_offset = scaled(machine, (uint64_t)cfi_take_sleb(reader));
		return 1;
	case DEFINE_CFA_EXPRESSION:
		row->cfa_register = take_expression(reader, 1, &row->cfa_offset)
					    ? CFI_CFA_STORED
					    : CFI_CFA_OTHER;
		return 1;
	default:
		return 0;
	}
}

/* Instructions that say where a register is. 0: it is none of them. */
static int define_place(struct machine *machine, struct cfi_reader *reader, uint8_t code)
{
	uint64_t number = cfi_take_uleb(reader);
	int64_t offset;

	switch (code) {
	case OFFSET_EXTENDED:
		set_place(machine, number, CFI_PLACE_STORED,
			  scaled(machine, cfi_take_uleb(reader)));
		return 1;
	case OFFSET_EXTENDED_SIGNED:
		set_place(machine, number, CFI_PLACE_STORED,
			  scaled(machine, (uint64_t)cfi_take_sleb(reader)));
		return 1;
	case OFFSET_EXTENDED_NEGATIVE:
		set_place(machine, number, CFI_PLACE_STORED,
			  -scaled(machine, cfi_take_uleb(reader)));
		return 1;
	case RESTORE_EXTENDED:
		restore(machine, number);
		return 1;
	case UNDEFINED:
		set_place(machine, number, CFI_PLACE_UNDEFINED, 0);
		return 1;
	case SAME_VALUE:
		set_place(machine, number, CFI_PLACE_SAME, 0);
		return 1;
	case REGISTER:
	case VALUE_OFFSET:
	case VALUE_OFFSET_SIGNED:
		cfi_take_uleb(reader); /* a signed one is as long */
		set_place(machine, number, CFI_PLACE_OTHER, 0);
		return 1;
	case EXPRESSION:
		set_place(machine, number,
			  take_expression(reader, 0, &offset) && offset == 0
				  ? CFI_PLACE_AT_POINTER
				  : CFI_PLACE_OTHER,
			  0);
		return 1;
	case VALUE_EXPRESSION:
		cfi_skip(reader, cfi_take_uleb(reader));
		set_place(machine, number, CFI_PLACE_OTHER, 0);
		return 1;
	default:
		return 0;
	}
}

/* One that is known by its whole byte. */
static void carry_out(struct machine *machine, struct cfi_reader *reader, uint8_t code)
{
	switch (code) {
	case NOTHING:
		break;
	case ADVANCE_1:
		advance(machine, cfi_take(reader, 1));
		break;
	case ADVANCE_2:
		advance(machine, cfi_take(reader, 2));
		break;
	case ADVANCE_4:
		advance(machine, cfi_take(reader, 4));
		break;
	case REMEMBER:
		remember(machine, reader);
		break;
	case RESTORE_STATE:
		restore_state(machine, reader);
		break;
	case ARGUMENTS_SIZE: /* the CFA is told of them by itself */
		cfi_take_uleb(reader);
		break;
	default:
		if (!define_cfa(machine, reader, code) &&
		    !define_place(machine, reader, code))
			reader->is_bad = 1;
	}
}

static int run(struct machine *machine, struct cfi_reader reader)
{
	int count = 0;

	while (reader.at < reader.end && !reader.is_bad && !machine->is_done) {
		uint8_t code = (uint8_t)cfi_take(&reader, 1), operand = code & 0x3f;

		if (++count > INSTRUCTION_LIMIT)
			return 0;
		switch (code & 0xc0) {
		case ADVANCE:
			advance(machine, operand);
			break;
		case OFFSET:
			set_place(machine, operand, CFI_PLACE_STORED,
				  scaled(machine, cfi_take_uleb(&reader)));
			break;
		case RESTORE:
			restore(machine, operand);
			break;
		default:
			carry_out(machine, &reader, code);
		}
	}
	return !reader.is_bad;
}

int cfi_run(const struct cfi_common *common, struct cfi_reader instructions,
	    uint64_t offset, struct cfi_row *ret)
{
	struct machine machine;

	machine.common = common;
	machine.location = machine.remembered_count = machine.is_done = 0;
	machine.target = offset;
	machine.row = (struct cfi_row){.cfa_register = CFI_CFA_OTHER};
	if (!run(&machine, common->instructions) || machine.is_done)
		return 0;
	machine.initial = machine.row;
	if (!run(&machine, instructions))
		return 0;
	*ret = machine.row;
	return 1;
}
