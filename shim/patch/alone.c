/* SPDX-License-Identifier: MIT */
/*
 * Looks at the bytes before a site. Nobody disassembles: what could be a hindrance is
 * one.
 */
#include "shim/patch/alone.h"

#include "shim/patch/scan.h"

/* Bytes between where %rdi is set and the call: moves of results, spills. */
#define BETWEEN_MOST 16u

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

/* How many bytes before `at` an instruction begins that sets %rdi to the function, with
 * nothing between it and `at`. 0: none does. */
static unsigned int set_before(uintptr_t at, uintptr_t function)
{
	const uint8_t *bytes = bytes_at(at);

	/* lea function(%rip), %rdi */
	if (bytes[-7] == 0x48 && bytes[-6] == 0x8d && bytes[-5] == 0x3d &&
	    at + (intptr_t)number_at(at - 4) == function)
		return 7;
	/* mov $function, %rdi; mov $function, %edi */
	if (bytes[-7] == 0x48 && bytes[-6] == 0xc7 && bytes[-5] == 0xc7 &&
	    (uintptr_t)(intptr_t)number_at(at - 4) == function)
		return 7;
	return bytes[-5] == 0xbf && (uint32_t)number_at(at - 4) == function ? 5 : 0;
}

/* How many bytes before `at` an instruction begins that loads %rsi from the stack or
 * another register; 0: none that is known. The one that sets %rdi must be there then. */
static unsigned int load_before(uintptr_t at, unsigned int choice)
{
	const uint8_t *bytes = bytes_at(at);

	switch (choice) {
	case 0: /* mov n(%rsp), %rsi */
		return bytes[-5] == 0x48 && bytes[-4] == 0x8b && bytes[-3] == 0x74 &&
				       bytes[-2] == 0x24
			       ? 5
			       : 0;
	case 1: /* mov n(%rbp), %rsi */
		return bytes[-4] == 0x48 && bytes[-3] == 0x8b && bytes[-2] == 0x75 ? 4
										   : 0;
	case 2: /* mov %r, %rsi */
		return (bytes[-3] & 0xfb) == 0x48 && bytes[-2] == 0x89 &&
				       (bytes[-1] & 0xc7) == 0xc6
			       ? 3
			       : 0;
	default: /* mov n(%rsp), %rsi, farther */
		return bytes[-8] == 0x48 && bytes[-7] == 0x8b && bytes[-6] == 0xb4 &&
				       bytes[-5] == 0x24
			       ? 8
			       : 0;
	}
}

/* The register that the instruction before `at` copies to %rdi, or -1. */
static int register_before(uintptr_t at)
{
	const uint8_t *bytes = bytes_at(at);

	if ((bytes[-3] & 0xfb) != 0x48 || bytes[-2] != 0x89 || (bytes[-1] & 0xc7) != 0xc7)
		return -1;
	return (bytes[-1] >> 3 & 7) | (bytes[-3] & 4) << 1;
}

/* May an instruction in [low, high) set %rdi, or jump or call? */
static int is_disturbed(uintptr_t low, uintptr_t high)
{
	for (uintptr_t at = low; at < high; at++) {
		uint8_t byte = *bytes_at(at), next = at + 1 < high ? bytes_at(at)[1] : 0;

		if (byte == 0xe8 || byte == 0xe9 || byte == 0xeb || byte == 0xff ||
		    byte == 0xbf || byte == 0x5f || (byte >= 0xa4 && byte <= 0xab))
			return 1;
		/* from a register to a place, or from a place to a register; arithmetic
		 * has the same bits */
		if (((byte & 1) && (next & 0xc7) == 0xc7) ||
		    ((byte & 2) && (next & 0x38) == 0x38))
			return 1;
	}
	return 0;
}

/* How far before the site the last instruction begins that sets %rdi, when it sets it to
 * the function; or 0. */
static unsigned int set_somewhere(const struct site *site, const struct scan *scan,
				  uintptr_t low, uintptr_t function)
{
	for (unsigned int gap = 0; gap <= BETWEEN_MOST; gap++) {
		uintptr_t at = site->at - gap;
		int number;

		if (at < low + 8 || is_disturbed(at, site->at))
			return 0;
		if (set_before(at, function))
			return gap + set_before(at, function);
		number = register_before(at);
		if (number >= 0)
			return scan_has_only(scan, (unsigned int)number, function)
				       ? gap + 3
				       : 0;
	}
	return 0;
}

static unsigned int set_right_before(const struct site *site, uintptr_t function)
{
	unsigned int set = set_before(site->at, function);

	for (unsigned int choice = 0; !set && choice < 4; choice++) {
		unsigned int load = load_before(site->at, choice);

		if (load && set_before(site->at - load, function))
			set = load + set_before(site->at - load, function);
	}
	return set;
}

int alone_is_set(const struct site *site, uintptr_t function)
{
	return set_right_before(site, function) != 0;
}

int alone_is_site(const struct site *site, const struct code *code, uintptr_t function)
{
	const struct scan *scan;
	struct extent extent;
	unsigned int set;

	if (code_function(code, site->at, &extent) < 0 || extent.low < code->text.low ||
	    extent.high > code->text.high || site->at < extent.low + 16)
		return 0;
	/* the exits of what is inlined come before a function's own, and are calls */
	if (site->is_exit && (site->form == SITE_JUMP || site->form == SITE_JUMP_SLOT) &&
	    extent.low == function)
		return 1;
	set = set_right_before(site, function);
	if (!set && !site->is_exit)
		return 0;
	scan = scan_find(code, &extent);
	if (scan && !set)
		set = set_somewhere(site, scan, extent.low, function);
	return scan && set && !scan_is_jumped_to(scan, site->at - set, site->at);
}
