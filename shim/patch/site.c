/* SPDX-License-Identifier: MIT */
/* Call and jump instructions of five or six bytes; the last four are relative to their
 * end. Runs on: as site.h says. */
#include "shim/patch/site.h"

#include <errno.h>
#include <sys/single_threaded.h>

#include "shim/patch/stubs.h"
#include "shim/patch/text.h"

static int32_t number_at(uintptr_t address)
{
	int32_t number;

	__builtin_memcpy(&number, (const void *)address, sizeof(number));
	return number;
}

static const uint8_t *bytes_at(uintptr_t address)
{
	return (const uint8_t *)address;
}

static int has_slot(const struct site *site)
{
	return site->form == SITE_CALL_SLOT || site->form == SITE_JUMP_SLOT;
}

/* Where the displacement is. */
static uintptr_t displacement_at(const struct site *site)
{
	return site->at + (has_slot(site) ? 2 : 1);
}

static uintptr_t end_of(const struct site *site)
{
	return displacement_at(site) + 4;
}

static int slot_holds(const struct code *code, uintptr_t slot, uintptr_t hook)
{
	return slot % sizeof(uintptr_t) == 0 &&
	       code_is_mapped(code, slot, sizeof(uintptr_t)) &&
	       *(const uintptr_t *)slot == hook;
}

/* The hook itself, or an entry of the procedure linkage table: [endbr64] [bnd] jmp
 * *slot(%rip). */
static int leads_to_hook(const struct code *code, uintptr_t target, uintptr_t hook)
{
	if (target == hook)
		return 1;
	if (target < code->text.low || target + 16 > code->text.high)
		return 0;
	if (number_at(target) == (int32_t)0xfa1e0ff3)
		target += 4;
	if (bytes_at(target)[0] == 0xf2)
		target++;
	if (bytes_at(target)[0] != 0xff || bytes_at(target)[1] != 0x25)
		return 0;
	return slot_holds(code, target + 6 + (intptr_t)number_at(target + 2), hook);
}

static int leads_by_slot(const struct code *code, const struct site *site, uintptr_t hook)
{
	return slot_holds(code, end_of(site) + (intptr_t)site->displacement, hook);
}

static void describe(struct site *ret, uintptr_t at, enum site_form form)
{
	*ret = (struct site){.at = at, .form = (uint16_t)form};
	ret->displacement = ret->written = number_at(displacement_at(ret));
}

int site_before(const struct code *code, uintptr_t return_address, uintptr_t hook,
		struct site *ret)
{
	if (return_address < code->text.low + 6 || return_address > code->text.high)
		return -ENOENT;
	if (bytes_at(return_address)[-5] == 0xe8) {
		describe(ret, return_address - 5, SITE_CALL);
		if (leads_to_hook(code, return_address + (intptr_t)ret->displacement,
				  hook))
			return 0;
	}
	if (bytes_at(return_address)[-6] == 0xff &&
	    bytes_at(return_address)[-5] == 0x15) {
		describe(ret, return_address - 6, SITE_CALL_SLOT);
		if (leads_by_slot(code, ret, hook))
			return 0;
	}
	return -ENOENT;
}

static int is_jump(const struct code *code, uintptr_t at, uintptr_t hook,
		   struct site *ret)
{
	if (bytes_at(at)[0] == 0xe9) {
		describe(ret, at, SITE_JUMP);
		return leads_to_hook(code, at + 5 + (intptr_t)ret->displacement, hook);
	}
	if (bytes_at(at)[0] == 0xff && bytes_at(at)[1] == 0x25) {
		describe(ret, at, SITE_JUMP_SLOT);
		return leads_by_slot(code, ret, hook);
	}
	return 0;
}

int site_jump(const struct code *code, const struct extent *function, uintptr_t hook,
	      uintptr_t *at, struct site *ret)
{
	if (function->low < code->text.low || function->high > code->text.high)
		return -ENOENT;
	if (*at < function->low)
		*at = function->low;
	for (; *at + 6 <= function->high + 1; ++*at) {
		if (*at + 5 <= function->high && is_jump(code, *at, hook, ret)) {
			*at += 5;
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * CUT OUT
 *
 * Changing one byte turns a call into an instruction of the same length that only sets
 * flags, which no call preserves: test $displacement, %eax; test %edx, slot(%rip). A jump
 * becomes a return. The displacement stays whole: a debugger, or the kernel when it
 * removes a uprobe, may write back the first byte that it saw or that the file has, and
 * then the call leads where it led before. (A two-byte jump over the rest would become a
 * call of anywhere.)
 */
static uint8_t first_byte(const struct site *site, int is_cut)
{
	switch (site->form) {
	case SITE_CALL:
		return is_cut ? 0xa9 : 0xe8;
	case SITE_JUMP:
		return is_cut ? 0xc3 : 0xe9;
	case SITE_CALL_SLOT:
		return is_cut ? 0x85 : 0xff;
	default:
		return is_cut ? 0xc3 : 0xff;
	}
}

static int is_second_byte_there(const struct site *site)
{
	return !has_slot(site) ||
	       bytes_at(site->at)[1] == (site->form == SITE_CALL_SLOT ? 0x15 : 0x25);
}

static int is_in_text(const struct site *site, const struct code *code)
{
	return site->form != SITE_EARLY && site->at >= code->text.low &&
	       end_of(site) <= code->text.high;
}

int site_is_there(const struct site *site, const struct code *code)
{
	return is_in_text(site, code) &&
	       bytes_at(site->at)[0] == first_byte(site, site->is_cut) &&
	       is_second_byte_there(site) &&
	       number_at(displacement_at(site)) == site->written;
}

void site_look(struct site *site, const struct code *code)
{
	if (!is_in_text(site, code))
		return;
	site->is_cut = bytes_at(site->at)[0] == first_byte(site, 1);
	site->written = number_at(displacement_at(site));
	site->is_led = site->is_cut || site->written != site->displacement;
}

/* Signals are blocked, so a process with one thread executes nothing else. */
static int is_alone(void)
{
	return __libc_single_threaded;
}

/* May the displacement be written in parts? Once the site is cut out nobody uses it,
 * except that of a slot, which is still read. */
static int may_be_in_parts(const struct site *site)
{
	return is_alone() || (site->is_cut && site->form != SITE_CALL_SLOT);
}

/* How many bytes of the displacement, the lower ones, lie in the first unit. */
static unsigned int lower_bytes(const struct site *site)
{
	return text_unit() - (unsigned int)(displacement_at(site) % text_unit());
}

static int32_t joined(const struct site *site, int32_t lower, int32_t upper)
{
	uint32_t mask = (1u << 8 * lower_bytes(site)) - 1;

	return (int32_t)(((uint32_t)lower & mask) | ((uint32_t)upper & ~mask));
}

/* Writes the bytes of one unit: those of the other do not change. */
static int write_unit(struct site *site, const struct code *code, int32_t displacement)
{
	unsigned int lower = lower_bytes(site), from = 0, to = 4;
	int result;

	if (joined(site, displacement, site->written) == site->written)
		from = lower;
	else
		to = lower;
	result = text_write(&(struct text_change){
		displacement_at(site) + from, (const uint8_t *)&site->written + from,
		(const uint8_t *)&displacement + from, to - from, code->protection});
	if (result == 0)
		site->written = displacement;
	return result;
}

/*
 * IN TWO UNITS
 *
 * Each unit is one store, and what threads see in between must lead to the hook, too. It
 * does with the original's lower part and the new upper part: an arena has code there
 * that jumps to the hook (stubs_has_pad()). text_sync() keeps threads from combining one
 * part from before the first store with the other from after the second.
 */
static int write_units(struct site *site, const struct code *code, int32_t displacement)
{
	int32_t before = site->written;
	int32_t led = displacement == site->displacement ? before : displacement;
	int32_t between = joined(site, site->displacement, led);
	int result;

	if (between == before || between == displacement)
		return write_unit(site, code, displacement);
	if (!stubs_has_pad(end_of(site) + (uintptr_t)(intptr_t)between) ||
	    text_sync() < 0)
		return -EXDEV;
	result = write_unit(site, code, between);
	if (result < 0)
		return result;
	if (text_sync() < 0) {
		write_unit(site, code, before);
		return -EXDEV;
	}
	return write_unit(site, code, displacement);
}

static int write_at_once(struct site *site, const struct code *code, int32_t displacement)
{
	struct text_change change = {displacement_at(site), &site->written, &displacement,
				     4, code->protection};
	int result = text_is_split(change.at, 4) ? text_write_parts(&change)
						 : text_write(&change);

	if (result == 0)
		site->written = displacement;
	return result;
}

static int write_displacement(struct site *site, const struct code *code,
			      int32_t displacement)
{
	int result = 0;

	if (!text_is_split(displacement_at(site), 4) || may_be_in_parts(site))
		return write_at_once(site, code, displacement);
	if (has_slot(site))
		return -EXDEV;
	if (site->written != site->displacement && displacement != site->displacement)
		result = write_units(site, code, site->displacement);
	return result < 0 ? result : write_units(site, code, displacement);
}

static int write_first_byte(struct site *site, const struct code *code, int is_cut)
{
	uint8_t before = first_byte(site, site->is_cut), byte = first_byte(site, is_cut);
	int result = text_write(
		&(struct text_change){site->at, &before, &byte, 1, code->protection});

	if (result == 0)
		site->is_cut = (uint16_t)is_cut;
	return result;
}

static int set_displacement(struct site *site, const struct code *code,
			    int32_t displacement)
{
	int result;

	if (!site->is_cut && site->written == displacement)
		return 0;
	if (!site->is_cut && site->is_exit && !is_alone() &&
	    site->form != SITE_CALL_SLOT && text_is_split(displacement_at(site), 4))
		site_cut(site, code);
	result = write_displacement(site, code, displacement);
	if (result < 0)
		return result;
	return site->is_cut ? write_first_byte(site, code, 0) : 0;
}

int site_is_in_units(const struct site *site)
{
	return !has_slot(site) && !site->is_exit &&
	       text_is_split(displacement_at(site), 4) && !may_be_in_parts(site);
}

uintptr_t site_hook(const struct site *site)
{
	return has_slot(site) ? 0
			      : end_of(site) + (uintptr_t)(intptr_t)site->displacement;
}

/* With one byte in the first unit, a board keeps that byte, so only the other unit has to
 * be written. */
static uintptr_t target_of(const struct site *site, uintptr_t target)
{
	return site_is_in_units(site) && lower_bytes(site) == 1
		       ? stubs_board(target, site_hook(site))
		       : target;
}

int site_lead(struct site *site, const struct code *code, uintptr_t target,
	      const uintptr_t *slot)
{
	uintptr_t to = has_slot(site) ? (uintptr_t)slot : target_of(site, target);
	intptr_t displacement = (intptr_t)(to - end_of(site));
	int result;

	if (!to)
		return -EXDEV;
	if (displacement != (int32_t)displacement)
		return -ERANGE;
	result = set_displacement(site, code, (int32_t)displacement);
	if (result == 0)
		site->is_led = 1;
	return result;
}

int site_cut(struct site *site, const struct code *code)
{
	int result = site->is_cut ? 0 : write_first_byte(site, code, 1);

	if (result == 0)
		site->is_led = 1;
	return result;
}

int site_restore(struct site *site, const struct code *code)
{
	int result = set_displacement(site, code, site->displacement);

	if (result == 0)
		site->is_led = 0;
	return result;
}

int site_leads_into(const struct site *site, uintptr_t low, uintptr_t high)
{
	uintptr_t to = end_of(site) + (uintptr_t)(intptr_t)site->written;

	return site->is_led && to >= low && to < high;
}
