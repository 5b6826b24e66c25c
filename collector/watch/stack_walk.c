/* SPDX-License-Identifier: MIT */
/*
 * libunwind, asked about another process: all it sees is the copy of the stack and what
 * is in the files. Runs on: a confined child, which it may end: it believes tables.
 */
#include "collector/watch/stacks.h"

#include <libunwind.h>
#include <string.h>

#include "common/base/array.h"

/* In none of its headers: searches a table that it reads as it reads memory. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
				       unw_dyn_info_t *table, unw_proc_info_t *ret,
				       int needs_rules, void *context);

#define TABLE_HEADER_BYTES 12u

/* So far from the stack's pointer it is still the stack. */
#define STACK_MOST_BYTES (64u << 20)

/* By libunwind's numbers, which are DWARF's: the places in a dump. */
static const uint8_t registers[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, STACK_REGISTER_IP};

struct walk {
	struct stack_space *space;
	const struct stack_dump *dump;
	/* where rules are read, as they are for the address that was asked for last */
	const struct stack_file *file;
	uint64_t bias;
	bool is_cut, is_unknown;
};

const struct outside_range *stacks_find_range(const struct outside_range *ranges,
					      size_t count, uint64_t address)
{
	size_t at = COUNT_BEFORE(count, i, ranges[i].end <= address);

	return at < count && ranges[at].start <= address ? &ranges[at] : NULL;
}

static struct stack_file *file_of(struct stack_space *space, uint32_t module)
{
	if (!module || module > space->module_count)
		return NULL;
	if (!space->files[module - 1])
		space->files[module - 1] = stack_file_open(&space->modules[module - 1]);
	return space->files[module - 1];
}

static int find_rules(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *ret,
		      int needs_rules, void *context)
{
	struct walk *walk = context;
	const struct outside_range *range =
		stacks_find_range(walk->space->ranges, walk->space->range_count, ip);
	const struct stack_file *file =
		range ? file_of(walk->space, range->module) : NULL;
	uint64_t address, count;
	int result = -UNW_ENOINFO;

	if (file && stack_file_table(file, &address, &count)) {
		unw_dyn_info_t table = {.start_ip = range->start,
					.end_ip = range->end,
					.format = UNW_INFO_FORMAT_REMOTE_TABLE};

		walk->file = file;
		walk->bias = range->start - range->address;
		table.u.rti.segbase = walk->bias + address;
		table.u.rti.table_data = walk->bias + address + TABLE_HEADER_BYTES;
		table.u.rti.table_len = count; /* an entry has the size of a word */
		result = UNW_OBJ(dwarf_search_unwind_table)(space, ip, &table, ret,
							    needs_rules, context);
	}
	if (result < 0)
		walk->is_unknown = true;
	return result;
}

static void forget_rules(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
	(void)space;
	(void)info;
	(void)context;
}

static int have_no_list(unw_addr_space_t space, unw_word_t *ret, void *context)
{
	(void)space;
	(void)ret;
	(void)context;
	return -UNW_ENOINFO;
}

static int read_word(unw_addr_space_t space, unw_word_t address, unw_word_t *value,
		     int is_write, void *context)
{
	struct walk *walk = context;
	const struct stack_dump *dump = walk->dump;
	uint64_t into = address - dump->registers[STACK_REGISTER_SP];

	(void)space;
	if (is_write)
		return -UNW_EINVAL;
	if (into < dump->byte_count && dump->byte_count - into >= sizeof(*value)) {
		memcpy(value, dump->bytes + into, sizeof(*value));
		return 0;
	}
	if (walk->file && stack_file_word(walk->file, address - walk->bias, value))
		return 0;
	walk->is_cut |= into < STACK_MOST_BYTES;
	return -UNW_EINVAL;
}

static int read_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
			 int is_write, void *context)
{
	const struct walk *walk = context;

	(void)space;
	if (is_write)
		return -UNW_EREADONLYREG;
	if (number < 0 || (size_t)number >= sizeof(registers))
		return -UNW_EBADREG;
	*value = walk->dump->registers[registers[number]];
	return 0;
}

static int have_no_fpreg(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
			 int is_write, void *context)
{
	(void)space;
	(void)number;
	(void)value;
	(void)is_write;
	(void)context;
	return -UNW_EINVAL;
}

static int resume_nothing(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
{
	(void)space;
	(void)cursor;
	(void)context;
	return -UNW_EINVAL;
}

static int name_nothing(unw_addr_space_t space, unw_word_t ip, char *name, size_t size,
			unw_word_t *offset, void *context)
{
	(void)space;
	(void)ip;
	(void)name;
	(void)size;
	(void)offset;
	(void)context;
	return -UNW_ENOINFO;
}

static unw_addr_space_t unwinder_of(struct stack_space *space)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_rules,
		.put_unwind_info = forget_rules,
		.get_dyn_info_list_addr = have_no_list,
		.access_mem = read_word,
		.access_reg = read_register,
		.access_fpreg = have_no_fpreg,
		.resume = resume_nothing,
		.get_proc_name = name_nothing,
	};

	if (!space->unwinder) {
		space->unwinder = unw_create_addr_space(&accessors, 0);
		if (space->unwinder)
			unw_set_caching_policy(space->unwinder, UNW_CACHE_GLOBAL);
	}
	return space->unwinder;
}

void stack_space_changed(struct stack_space *space)
{
	if (space->unwinder)
		unw_flush_cache(space->unwinder, 0, 0);
}

/* Without rules libunwind guesses. */
static int step(struct walk *walk, unw_cursor_t *cursor, unw_word_t *ret_ip)
{
	int result;

	walk->is_cut = walk->is_unknown = false;
	result = unw_step(cursor);
	if (walk->is_unknown || result < 0)
		return -1;
	if (result == 0 || unw_get_reg(cursor, UNW_REG_IP, ret_ip) < 0 || !*ret_ip)
		return 0;
	return 1;
}

void stack_walk(struct stack_space *space, const struct stack_dump *dump,
		struct stack_frames *ret)
{
	struct walk walk = {.space = space, .dump = dump};
	unw_addr_space_t unwinder = unwinder_of(space);
	unw_cursor_t cursor;
	unw_word_t ip;
	int result = 1;

	ret->count = 0;
	ret->end = STACK_UNKNOWN;
	if (!unwinder || unw_init_remote(&cursor, unwinder, &walk) < 0)
		return;
	while (ret->count < STACK_FRAME_LIMIT && result > 0) {
		result = step(&walk, &cursor, &ip);
		if (result > 0)
			ret->addresses[ret->count++] = ip;
	}
	if (result == 0)
		ret->end = STACK_WHOLE;
	else if (result > 0 || walk.is_cut)
		ret->end = STACK_CUT;
}
