/* SPDX-License-Identifier: MIT */
/*
 * A call of a hook in the program's code: recognised, and written over. Runs on: traced
 * threads; writing: under the process lock. Must not have other threads execute half of
 * what was written: the displacement is one store, which they see whole, old or new
 * (text_unit()). One displacement in 20 lies in two lines, three in 8 in two words of
 * AMD's. It is written byte by byte as long as the process has one thread; of exits also
 * later, cut out first: a thread that comes by meanwhile leaves a frame open, which its
 * caller closes. Of entries the two parts are written one after the other, where an arena
 * has code for what is seen in between (stubs.h).
 *
 * A site is known because a hook was called from it: the return address tells. Only a
 * hook that was jumped to does not tell where from; then the function's code is searched
 * for the very five bytes.
 */
#pragma once

#include "shim/code/code.h"

enum site_form {
	SITE_CALL,	/* e8 rel32: call hook@plt */
	SITE_JUMP,	/* e9 rel32: jmp hook@plt, a sibling call */
	SITE_CALL_SLOT, /* ff 15 rel32: call *hook@gotpcrel(%rip), -fno-plt */
	SITE_JUMP_SLOT, /* ff 25 rel32 */
	SITE_EARLY,	/* none of these, or seen in parts: leads to the hook for good */
};

struct site {
	uintptr_t at;	      /* of the instruction */
	int32_t displacement; /* of the original */
	int32_t written;      /* the one that is there, or was before it was cut */
	uint32_t next;	      /* of the same function, index in the table; 0: none */
	uint32_t number;      /* under which its calls are counted */
	uint16_t form;	      /* enum site_form */
	uint16_t is_exit;
	uint16_t is_cut; /* control goes on behind it */
	uint16_t is_led; /* it leads elsewhere */
};

/* The call that returns to this address, when it calls this hook. 0; -ENOENT: it is
 * another instruction, or leads elsewhere already. */
int site_before(const struct code *code, uintptr_t return_address, uintptr_t hook,
		struct site *ret);

/* A jump to the hook in this extent of code, the first from *at on, which is moved behind
 * it. 0, or -ENOENT. */
int site_jump(const struct code *code, const struct extent *function, uintptr_t hook,
	      uintptr_t *at, struct site *ret);

/* Is what was recognised, or made of it, still there? Not when a debugger has a
 * breakpoint in it, or another object has come in the place. */
int site_is_there(const struct site *site, const struct code *code);

/* A forked child, whose parent was at it: finds out what has been made of it. */
void site_look(struct site *site, const struct code *code);

/* Does it take more than one store to lead it elsewhere, while other threads may be
 * there? Then the target's arena is one of its own (stubs.h). */
int site_is_in_units(const struct site *site);

/* Where it leads of itself; 0: by a slot. */
uintptr_t site_hook(const struct site *site);

/* Leads it to a target: a stub, and a word with the address in it, both in reach. 0;
 * -EXDEV: in two units, which cannot be written here while other threads may be there; or
 * -errno: the code cannot be written. Then it is as it was. */
int site_lead(struct site *site, const struct code *code, uintptr_t target,
	      const uintptr_t *slot);

/* Has control go on behind it. 0, or -errno. */
int site_cut(struct site *site, const struct code *code);

/* Does it lead, or would it if it were not cut out, to [low, high)? */
int site_leads_into(const struct site *site, uintptr_t low, uintptr_t high);

/* Makes it what it was. 0, or -errno. */
int site_restore(struct site *site, const struct code *code);
