/* SPDX-License-Identifier: MIT */
/*
 * Recognises a call of a hook in the program's code and overwrites it. Runs on: traced
 * threads; writing: under the process lock. No other thread may execute a half-written
 * call: the displacement is one store, which threads see whole, old or new (text_unit()).
 * One displacement in 20 crosses a cache line, three in 8 one of AMD's words. Such a one
 * is written byte by byte while the process has one thread. Later an exit is cut out
 * first: a thread that passes it meanwhile leaves a frame open, which its caller closes.
 * An entry is written in two parts if an arena has code for what threads see in between
 * (stubs.h).
 *
 * We find a site when a hook is called from it: by the return address. A hook that was
 * jumped to does not know from where; then we search the function's code for the five
 * bytes of the jump.
 */
#pragma once

#include "shim/code/code.h"

enum site_form {
	SITE_CALL,	/* e8 rel32: call hook@plt */
	SITE_JUMP,	/* e9 rel32: jmp hook@plt, a sibling call */
	SITE_CALL_SLOT, /* ff 15 rel32: call *hook@gotpcrel(%rip), -fno-plt */
	SITE_JUMP_SLOT, /* ff 25 rel32 */
	SITE_EARLY, /* none of these, or it cannot be written: leads to the hook for good
		     */
};

struct site {
	uintptr_t at;	      /* of the instruction */
	int32_t displacement; /* of the original */
	int32_t written;      /* the present one, or the one before it was cut */
	uint32_t next;	      /* of the same function, index in the table; 0: none */
	uint32_t number;      /* that its calls are counted under */
	uint16_t form;	      /* enum site_form */
	uint16_t is_exit;
	uint16_t is_cut; /* cut out: control goes on behind it */
	uint16_t is_led; /* it leads elsewhere */
};

/* Describes the call that returns to this address, if it calls this hook. 0; -ENOENT: it
 * is another instruction, or leads elsewhere already. */
int site_before(const struct code *code, uintptr_t return_address, uintptr_t hook,
		struct site *ret);

/* Finds the first jump to the hook in this extent from *at on, and moves *at behind it.
 * 0, or -ENOENT. */
int site_jump(const struct code *code, const struct extent *function, uintptr_t hook,
	      uintptr_t *at, struct site *ret);

/* Is the site still as recognised or as we wrote it? Not if a debugger has a breakpoint
 * in it, or another object has taken its place. */
int site_is_there(const struct site *site, const struct code *code);

/* In a forked child whose parent was writing the site: reads its state from the code. */
void site_look(struct site *site, const struct code *code);

/* Must it be written in two units while other threads may execute it? Then it needs an
 * arena made for its original target (stubs.h). */
int site_is_in_units(const struct site *site);

/* Its original target; 0: it leads by a slot. */
uintptr_t site_hook(const struct site *site);

/* Leads the site to a stub; slot: a word with the stub's address, both in reach. 0;
 * -EXDEV: it lies in two units and other threads may execute it; or -errno: the code
 * cannot be written. On failure the site is unchanged. */
int site_lead(struct site *site, const struct code *code, uintptr_t target,
	      const uintptr_t *slot);

/* Cuts the site out: control goes on behind it. 0, or -errno. */
int site_cut(struct site *site, const struct code *code);

/* Does it lead into [low, high), or would it if it were not cut out? */
int site_leads_into(const struct site *site, uintptr_t low, uintptr_t high);

/* Restores the original. 0, or -errno. */
int site_restore(struct site *site, const struct code *code);
