/* SPDX-License-Identifier: MIT */
/*
 * A lazy index over libdw: compile units by address, and functions by address in the
 * units asked for. A damaged file may make libdw loop; the child's time limit ends that.
 *
 * .debug_aranges is not used: clang does not write it, and a program mixes objects of
 * many compilers. A unit's own DW_AT_ranges are always there.
 *
 * A unit's functions are found by walking its top level, namespaces included; types and
 * function bodies are skipped. Functions inside those (nested functions of GNU C, methods
 * of local classes with some compilers) are found by a second, deep walk, made only when
 * the first did not find an address.
 */
#include "collector/symbols/places.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/xalloc.h"

#define INLINE_LIMIT 256 /* inlined calls at one place */

enum unit_state { UNIT_UNREAD, UNIT_SHALLOW, UNIT_DEEP };
enum unit_wish { UNIT_NOT_ASKED, UNIT_WISHED, UNIT_NOT_WISHED };

/* root: the unit's root, with its addresses and lines; die: the DIE with its functions,
 * in the .dwo file if the unit is split. A function whose cold part lies apart has two
 * ranges. */
struct unit {
	Dwarf_Die root, die;
	const char *directory; /* DW_AT_comp_dir */
	enum unit_state state;
	enum unit_wish wish;
	bool is_measured;
	uint64_t dropped_end; /* see places.h; valid if is_measured */
	struct ranges ranges;
	Dwarf_Die *functions;
	size_t function_count;
};

struct debug_info {
	Dwarf *dwarf;
	struct places places;
	uint64_t low, high;
	struct ranges unit_ranges;
	struct unit *units;
	size_t unit_count;
};

/* Adds the DIE's address ranges that lie in the module's code. false: it has none. */
static bool add_ranges(const struct debug_info *info, struct ranges *ranges,
		       Dwarf_Die *die, size_t item)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool is_found = false;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (low >= high || low < info->low || high > info->high)
			continue;
		ranges_add(ranges, low, high, (uint32_t)item);
		is_found = true;
	}
	return is_found;
}

static bool covers(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
		if (address >= low && address < high)
			return true;
	return false;
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

static void visit(const struct debug_info *info, struct unit *unit, Dwarf_Die *parent,
		  bool deep)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram) {
			unit->functions = array_room(unit->functions,
						     unit->function_count, sizeof(die));
			unit->functions[unit->function_count] = die;
			unit->function_count += add_ranges(info, &unit->ranges, &die,
							   unit->function_count);
		}
		if (holds_functions(tag, deep))
			visit(info, unit, &die, deep);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Brings the unit to this state. */
static void unit_read(const struct debug_info *info, struct unit *unit,
		      enum unit_state state)
{
	if (unit->state >= state)
		return;
	unit->state = state;
	unit->function_count = unit->ranges.count = 0;
	visit(info, unit, &unit->die, state == UNIT_DEEP);
	ranges_sort(&unit->ranges);
}

static void add_unit(struct debug_info *info, Dwarf_Die *die, Dwarf_Die *split_die)
{
	if (!add_ranges(info, &info->unit_ranges, die, info->unit_count))
		return;
	ARRAY_ADD(info->units, info->unit_count) = (struct unit){
		.root = *die,
		.die = split_die->addr ? *split_die : *die,
		.directory = places_directory(die),
	};
}

/* Finds the next unit and, for a split one, the root in its .dwo file, which libdw opens
 * when asked. false: there are no more units. */
static bool next_unit(struct debug_info *info, Dwarf_CU **cu, uint8_t *ret_type,
		      Dwarf_Die *ret, Dwarf_Die *ret_split)
{
	ret_split->addr = NULL;
	if (dwarf_get_units(info->dwarf, *cu, cu, NULL, ret_type, ret, NULL) != 0)
		return false;
	if (*ret_type == DW_UT_skeleton && linked_split_fits(ret))
		(void)dwarf_cu_info(*cu, NULL, NULL, NULL, ret_split, NULL, NULL, NULL);
	return true;
}

struct debug_info *debug_info_open(Elf *elf, uint64_t low, uint64_t high,
				   struct strings *strings)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	struct debug_info *info;
	Dwarf_Die die, split_die;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	if (!dwarf)
		return NULL;
	info = xcalloc(1, sizeof(*info));
	info->dwarf = dwarf;
	info->places.strings = strings;
	info->low = low;
	info->high = high;
	linked_shared_find(dwarf);
	while (next_unit(info, &cu, &type, &die, &split_die))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(info, &die, &split_die);
	ranges_sort(&info->unit_ranges);
	return info->unit_count ? info : NULL;
}

bool debug_info_is_cut(const struct debug_info *info)
{
	return info->places.is_cut;
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

static void name_frame(Dwarf_Die *die, struct debug_scope *ret)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(die, DW_AT_name, &attribute))
		ret->name = ret->source_name = dwarf_formstring(&attribute);
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		ret->name = dwarf_formstring(&attribute);
}

/* The place that these attributes give, of the DIE or those that it refers to: where a
 * function was declared, or where an inlined one was called. */
static struct source_place told_place(struct debug_info *info, const struct unit *unit,
				      Dwarf_Die *die, unsigned int file_name,
				      unsigned int line_name)
{
	Dwarf_Attribute file, line;

	if (!dwarf_attr_integrate(die, file_name, &file) ||
	    !dwarf_attr_integrate(die, line_name, &line))
		return (struct source_place){NULL, 0};
	return places_told(&info->places, &file, &line, unit->directory);
}

/* The place of the instruction at address; unknown where rows of dropped code may lie. */
static struct source_place instruction_place(struct debug_info *info, struct unit *unit,
					     uint64_t address)
{
	if (!unit->is_measured) {
		unit->is_measured = true;
		unit->dropped_end = places_dropped_end(&info->places, &unit->root,
						       info->low, &info->unit_ranges);
	}
	if (address < unit->dropped_end)
		return (struct source_place){NULL, 0};
	return places_at(&info->places, &unit->root, address);
}

/* The place of a function that starts at address. die: its own, or NULL. */
static struct source_place function_place(struct debug_info *info, struct unit *unit,
					  Dwarf_Die *die, uint64_t address)
{
	struct source_place place = {NULL, 0};

	if (die)
		place = told_place(info, unit, die, DW_AT_decl_file, DW_AT_decl_line);
	/* written in assembler, or made by the compiler: the line of its first byte */
	return place.file ? place : instruction_place(info, unit, address);
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
	*ret = (struct debug_scope){.name = NULL};
	if (die)
		name_frame(die, ret);
	ret->place = function_place(info, unit, die, address);
	return ret->name || ret->place.file ? 0 : -ENOENT;
}

const char *debug_info_file(struct debug_info *info, uint64_t address,
			    const struct source_wish *wish, bool *ret_is_known)
{
	struct unit *unit = find_unit(info, address);
	Dwarf_Die *die;
	bool starts;

	*ret_is_known = unit != NULL;
	if (unit && unit->wish == UNIT_NOT_ASKED)
		unit->wish = places_have(&info->places, &unit->root, wish)
				     ? UNIT_WISHED
				     : UNIT_NOT_WISHED;
	if (!unit || unit->wish != UNIT_WISHED)
		return NULL;
	die = find_function(info, unit, address, &starts);
	if (die && !starts)
		return NULL;
	return function_place(info, unit, die, address).file;
}

/* Appends the inlined calls around address, outermost first, to `count` others. */
static size_t find_inlined(Dwarf_Die *parent, uint64_t address, Dwarf_Die *ret,
			   size_t count)
{
	Dwarf_Die die;
	int tag;

	if (dwarf_child(parent, &die) != 0)
		return count;
	do {
		tag = dwarf_tag(&die);
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		if (covers(&die, address)) {
			if (tag == DW_TAG_inlined_subroutine && count < INLINE_LIMIT)
				ret[count++] = die;
			return find_inlined(&die, address, ret, count);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return count;
}

static struct debug_scope scope_of(struct debug_info *info, struct unit *unit,
				   Dwarf_Die *die, struct source_place place)
{
	struct debug_scope scope = {.place = place};

	name_frame(die, &scope);
	scope.own_file =
		told_place(info, unit, die, DW_AT_decl_file, DW_AT_decl_line).file;
	return scope;
}

int debug_info_scopes(struct debug_info *info, uint64_t address, struct debug_scope *ret,
		      size_t capacity)
{
	struct unit *unit = find_unit(info, address);
	struct source_place place;
	Dwarf_Die inlined[INLINE_LIMIT], *function;
	size_t count = 0, i, written = 0;
	bool starts;

	if (!unit || !capacity)
		return -ENOENT;
	function = find_function(info, unit, address, &starts);
	if (function)
		count = find_inlined(function, address, inlined, 0);
	place = instruction_place(info, unit, address);
	if (!function && !place.file)
		return -ENOENT;
	for (i = count; i > 0; i--) {
		if (i < capacity)
			ret[written++] = scope_of(info, unit, &inlined[i - 1], place);
		place = told_place(info, unit, &inlined[i - 1], DW_AT_call_file,
				   DW_AT_call_line);
	}
	ret[written++] = function ? scope_of(info, unit, function, place)
				  : (struct debug_scope){.place = place};
	return (int)written;
}
