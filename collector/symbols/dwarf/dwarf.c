/* SPDX-License-Identifier: MIT */
/*
 * A lazy index over libdw: compile units by address, and of the units asked for,
 * functions by address. Must not recurse or loop as deep or as long as a damaged file
 * says: each loop takes from the budget.
 *
 * .debug_aranges is not used: clang does not write it and a program mixes objects of many
 * compilers. The unit's own DW_AT_ranges are always there.
 *
 * A unit's functions are found by walking its top level, namespaces included; types and
 * function bodies are skipped over. Functions inside those (nested functions of GNU C,
 * methods of local classes with some compilers) are found by a second, deep walk, made
 * only when an address was not found by the first.
 */
#include "collector/symbols/dwarf/dwarf.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <elfutils/libdw.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/dwarf/linked.h"
#include "collector/symbols/dwarf/places.h"
#include "collector/symbols/dwarf/ranges.h"
#include "collector/symbols/dwarf/text.h"
#include "collector/symbols/dwarf/units.h"

#define DEPTH_LIMIT 256	    /* of nested scopes; compilers stay far below */
#define INLINE_LIMIT 256    /* of inlined calls at one place */
#define QUESTION_ENTRIES 16 /* of the budget, for what a question costs anyhow */

enum unit_state { UNIT_UNREAD, UNIT_SHALLOW, UNIT_DEEP };
enum unit_wish { UNIT_NOT_ASKED, UNIT_WISHED, UNIT_NOT_WISHED };

/* root: the unit's root, which has its addresses and lines; die: the one that has its
 * functions, of the .dwo file if the unit is split. A function whose cold part lies apart
 * has two ranges. */
struct unit {
	Dwarf_Die root, die;
	const char *directory; /* DW_AT_comp_dir */
	enum unit_state state;
	enum unit_wish wish;
	struct ranges ranges;
	Dwarf_Die *functions;
	size_t function_count, function_capacity;
};

struct debug_info {
	Dwarf *dwarf;
	struct linked_shared shared;
	struct budget *budget;
	struct debug_text text;
	struct places places;
	uint64_t low, high;
	struct ranges unit_ranges;
	struct unit *units;
	size_t unit_count, unit_capacity;
};

/* Adds the DIE's address ranges that lie in the module's code. 1: it has some; 0: none;
 * -ENOMEM, also when the budget is over. */
static int add_ranges(const struct debug_info *info, struct ranges *ranges,
		      Dwarf_Die *die, size_t item)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	int found = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (!budget_take(info->budget, 1))
			return -ENOMEM;
		if (low >= high || low < info->low || high > info->high)
			continue;
		if (ranges_add(ranges, low, high, (uint32_t)item, info->budget) < 0)
			return -ENOMEM;
		found = 1;
	}
	return found;
}

static bool covers(const struct debug_info *info, Dwarf_Die *die, uint64_t address)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (!budget_take(info->budget, 1))
			return false;
		if (address >= low && address < high)
			return true;
	}
	return false;
}

/*
 * A walk through the entries of a unit, each of which lies behind those that came before.
 * highest: the last one so far. In a damaged file the next sibling may lie among the
 * children that were just visited, and theirs among their own: without `highest` a walk
 * over N levels would not end before 2^N steps.
 */
struct walk {
	const struct debug_info *info;
	const void *highest;
};

static bool may_visit(struct walk *walk, const Dwarf_Die *die)
{
	if ((uintptr_t)die->addr <= (uintptr_t)walk->highest)
		return false;
	walk->highest = die->addr;
	return true;
}

static bool first_child(struct walk *walk, Dwarf_Die *parent, Dwarf_Die *ret)
{
	return budget_take(walk->info->budget, 1) && dwarf_child(parent, ret) == 0 &&
	       may_visit(walk, ret);
}

/* libdw reads all that lies between, when the file does not say where the next is. */
static bool next_sibling(struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || !may_visit(walk, &next))
		return false;
	if (!budget_take(walk->info->budget,
			 1 + ((uintptr_t)next.addr - (uintptr_t)die->addr) / 64))
		return false;
	*die = next;
	return true;
}

static int add_function(const struct debug_info *info, struct unit *unit, Dwarf_Die *die)
{
	size_t capacity = unit->function_capacity ? unit->function_capacity * 2 : 64;
	Dwarf_Die *larger;
	int found;

	if (unit->function_count == unit->function_capacity) {
		if (!budget_take_memory(info->budget, capacity * sizeof(*larger)))
			return -ENOMEM;
		larger = reallocarray(unit->functions, capacity, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		unit->functions = larger;
		unit->function_capacity = capacity;
	}
	found = add_ranges(info, &unit->ranges, die, unit->function_count);
	if (found > 0)
		unit->functions[unit->function_count++] = *die;
	return found < 0 ? found : 0;
}

static bool holds_functions(int tag, bool deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust: methods of enums */
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return deep;
	default:
		return false;
	}
}

static int visit(struct walk *walk, struct unit *unit, Dwarf_Die *parent, bool deep,
		 int depth)
{
	Dwarf_Die die;
	int tag, error;

	if (depth > DEPTH_LIMIT || !first_child(walk, parent, &die))
		return 0;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram) {
			error = add_function(walk->info, unit, &die);
			if (error < 0)
				return error;
		}
		if (holds_functions(tag, deep)) {
			error = visit(walk, unit, &die, deep, depth + 1);
			if (error < 0)
				return error;
		}
	} while (next_sibling(walk, &die));
	return 0;
}

/* Brings the unit to this state. What was read stays valid when memory is short or the
 * budget is over. */
static void unit_read(const struct debug_info *info, struct unit *unit,
		      enum unit_state state)
{
	struct walk walk = {info, unit->die.addr};

	if (unit->state >= state || info->budget->is_over)
		return;
	unit->state = state;
	unit->function_count = unit->ranges.count = 0;
	(void)visit(&walk, unit, &unit->die, state == UNIT_DEEP, 0);
	ranges_sort(&unit->ranges);
}

static int add_unit(struct debug_info *info, Dwarf_Die *die, Dwarf_Die *split_die)
{
	size_t capacity = info->unit_capacity ? info->unit_capacity * 2 : 16;
	struct unit *unit;
	int found;

	if (info->unit_count == info->unit_capacity) {
		if (!budget_take_memory(info->budget, capacity * sizeof(*unit)))
			return -ENOMEM;
		unit = reallocarray(info->units, capacity, sizeof(*unit));
		if (!unit)
			return -ENOMEM;
		info->units = unit;
		info->unit_capacity = capacity;
	}
	found = add_ranges(info, &info->unit_ranges, die, info->unit_count);
	if (found <= 0)
		return found;
	unit = &info->units[info->unit_count++];
	*unit = (struct unit){
		.root = *die,
		.die = split_die->addr ? *split_die : *die,
		.directory = places_directory(&info->places, die),
	};
	return 0;
}

/* Makes libdw ready, when the file does not ask too much of it. */
static bool begin(struct debug_info *info, Elf *elf)
{
	if (!debug_text_fits(elf) || !elf_file_unpacks(elf))
		return false;
	(void)budget_look(info->budget);
	info->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!info->dwarf || !units_fit(info->dwarf, info->budget))
		return false;
	linked_shared_open(info->dwarf, info->budget, &info->shared);
	return true;
}

/* The next unit, and of a split one the root of its other half. libdw opens that by
 * itself when it is asked for it. false: there is none. */
static bool next_unit(struct debug_info *info, Dwarf_CU **cu, uint8_t *ret_type,
		      Dwarf_Die *ret, Dwarf_Die *ret_split)
{
	ret_split->addr = NULL;
	if (!budget_take(info->budget, 1) ||
	    dwarf_get_units(info->dwarf, *cu, cu, NULL, ret_type, ret, NULL) != 0)
		return false;
	if (*ret_type == DW_UT_skeleton &&
	    linked_split_fits(ret, &info->text, info->budget))
		(void)dwarf_cu_info(*cu, NULL, NULL, NULL, ret_split, NULL, NULL, NULL);
	return true;
}

struct debug_info *debug_info_open(Elf *elf, uint64_t low, uint64_t high,
				   struct strings *strings, struct budget *budget)
{
	struct debug_info *info = calloc(1, sizeof(*info));
	Dwarf_Die die, split_die;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	bool fits;
	int error = 0;

	if (!info)
		return NULL;
	places_open(&info->places, strings, &info->text, budget);
	info->shared.file = ELF_FILE_NONE;
	info->budget = budget;
	info->low = low;
	info->high = high;
	fits = begin(info, elf);
	while (fits && !error && next_unit(info, &cu, &type, &die, &split_die)) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			error = add_unit(info, &die, &split_die);
	}
	(void)budget_look(budget);
	if (!fits || !info->unit_count) {
		debug_info_close(info);
		return NULL;
	}
	ranges_sort(&info->unit_ranges);
	return info;
}

void debug_info_close(struct debug_info *info)
{
	size_t i;

	if (!info)
		return;
	for (i = 0; i < info->unit_count; i++) {
		ranges_done(&info->units[i].ranges);
		free(info->units[i].functions);
	}
	free(info->units);
	ranges_done(&info->unit_ranges);
	places_close(&info->places);
	if (info->dwarf)
		dwarf_end(info->dwarf);
	linked_shared_close(&info->shared);
	free(info);
}

static struct unit *find_unit(const struct debug_info *info, uint64_t address)
{
	const struct range *range = ranges_find(&info->unit_ranges, address);

	return range ? &info->units[range->item] : NULL;
}

/* The function around address, or NULL. ret_starts: whether one of its ranges begins
 * there. */
static Dwarf_Die *find_function(const struct debug_info *info, struct unit *unit,
				uint64_t address, bool *ret_starts)
{
	const struct range *range;

	unit_read(info, unit, UNIT_SHALLOW);
	range = ranges_find(&unit->ranges, address);
	if (!range) {
		unit_read(info, unit, UNIT_DEEP);
		range = ranges_find(&unit->ranges, address);
	}
	*ret_starts = range && range->low == address;
	return range ? &unit->functions[range->item] : NULL;
}

static void name_frame(struct debug_info *info, Dwarf_Die *die, struct debug_scope *ret)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_name, &attribute))
		ret->name = ret->source_name = debug_text_get(&info->text, &attribute);
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		ret->name = debug_text_get(&info->text, &attribute);
}

/* Follows DW_AT_abstract_origin and DW_AT_specification. */
static struct place declared_place(struct debug_info *info, struct unit *unit,
				   Dwarf_Die *die)
{
	Dwarf_Attribute file, line;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &file) ||
	    !dwarf_attr_integrate(die, DW_AT_decl_line, &line))
		return (struct place){NULL, 0};
	return places_told(&info->places, &file, &line, unit->directory);
}

/* Where an inlined function was called from. */
static struct place call_place(struct debug_info *info, struct unit *unit, Dwarf_Die *die)
{
	Dwarf_Attribute file, line;

	if (!dwarf_attr(die, DW_AT_call_file, &file) ||
	    !dwarf_attr(die, DW_AT_call_line, &line))
		return (struct place){NULL, 0};
	return places_told(&info->places, &file, &line, unit->directory);
}

/* Of a function that starts at address; die: NULL, or its own. */
static struct place function_place(struct debug_info *info, struct unit *unit,
				   Dwarf_Die *die, uint64_t address)
{
	struct place place = {NULL, 0};

	if (die)
		place = declared_place(info, unit, die);
	/* written in assembler, or made by the compiler: the line of its first byte */
	return place.file ? place : places_at(&info->places, &unit->root, address);
}

int debug_info_function(struct debug_info *info, uint64_t address,
			struct debug_scope *ret)
{
	struct unit *unit = find_unit(info, address);
	Dwarf_Die *die;
	bool starts;

	if (!unit)
		return -ENOENT;
	die = find_function(info, unit, address, &starts);
	if (die && !starts)
		return -ENOENT;
	(void)budget_take(info->budget, QUESTION_ENTRIES);
	*ret = (struct debug_scope){.name = NULL};
	if (die)
		name_frame(info, die, ret);
	ret->place = function_place(info, unit, die, address);
	return ret->name || ret->place.file ? 0 : -ENOENT;
}

const char *debug_info_file(struct debug_info *info, uint64_t address,
			    const struct place_wish *wish, bool *ret_is_known)
{
	struct unit *unit = find_unit(info, address);
	Dwarf_Die *die;
	bool starts;

	*ret_is_known = unit != NULL;
	if (unit && unit->wish == UNIT_NOT_ASKED)
		unit->wish = places_have(&info->places, &unit->root, wish)
				     ? UNIT_WISHED
				     : UNIT_NOT_WISHED;
	if (!unit || unit->wish != UNIT_WISHED ||
	    !budget_take(info->budget, QUESTION_ENTRIES))
		return NULL;
	die = find_function(info, unit, address, &starts);
	if (die && !starts)
		return NULL;
	return function_place(info, unit, die, address).file;
}

/* Appends the inlined calls around address, outermost first; count of them so far. */
static size_t find_inlined(struct walk *walk, Dwarf_Die *parent, uint64_t address,
			   Dwarf_Die *ret, size_t count, int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_LIMIT || !first_child(walk, parent, &die))
		return count;
	do {
		tag = dwarf_tag(&die);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		if (covers(walk->info, &die, address)) {
			if (tag == DW_TAG_inlined_subroutine && count < INLINE_LIMIT)
				ret[count++] = die;
			return find_inlined(walk, &die, address, ret, count, depth + 1);
		}
	} while (next_sibling(walk, &die));
	return count;
}

int debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *ret,
		      size_t capacity)
{
	struct unit *unit = find_unit(info, address);
	struct place place;
	Dwarf_Die inlined[INLINE_LIMIT], *function;
	size_t count = 0, i, written = 0;
	struct walk walk = {info, NULL};
	bool starts;

	if (!unit || !capacity)
		return -ENOENT;
	function = find_function(info, unit, address, &starts);
	if (function)
		count = find_inlined(&walk, function, address, inlined, 0, 0);
	place = places_at(&info->places, &unit->root, address);
	if (!function && !place.file)
		return -ENOENT;
	(void)budget_take(info->budget, QUESTION_ENTRIES * (count + 1));
	for (i = count; i > 0; i--) {
		if (i < capacity) {
			ret[written] = (struct debug_scope){.place = place};
			name_frame(info, &inlined[i - 1], &ret[written++]);
		}
		place = call_place(info, unit, &inlined[i - 1]);
	}
	ret[written] = (struct debug_scope){.place = place};
	if (function)
		name_frame(info, function, &ret[written]);
	written++;
	return (int)written;
}
