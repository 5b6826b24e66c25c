/* SPDX-License-Identifier: MIT */
/*
 * The code that call sites of hooks are led to, near the objects they are in. Runs on:
 * under the process lock; what is made runs in the program's threads. Must not need
 * anything of a thread but `lane_self`: it may have no lane, or be a forked child's.
 *
 * ENTRY, for each function (number n), reached in the place of the enter hook:
 *
 *         cmp   function(%rip), %edi     compilers let two functions have one call
 *         jne   hook
 *         mov   %fs:lane_self, %rax
 *         mov   counts(%rax), %rcx
 *         test  %rcx, %rcx               no lane, a forked child, or a pause
 *         jz    slow
 *         cmp   site(%rip), %rsi         what it was called from, one of three
 *         jne   ...
 *         mov   offset(%rip), %rdx
 *         incq  (%rcx,%rdx)
 *         decl  pulse(%rax)
 *         js    pulse
 *         ret
 *
 * A site that is none of the three is looked for in a table of all functions
 * (edge_table.h), by code that all have in common; where it is not, the call goes on in
 * edge, which counts it and says where. What is compared, and offsets, are data beside
 * the code, which a write that has gone astray could hit as it could the counts. Calls of
 * copies that are inlined have one count, 8*n(%rcx), whatever they come from.
 *
 * One instruction counts, so a signal handler comes before or after it. slow and pulse
 * continue in counted_enter() and counted_pulse() as if they had been called in the
 * place of the hook. Half of an address tells functions of one object apart. (A count per
 * thread at a fixed place of its thread-local memory is one load less and 0.05 ns faster,
 * but a kill loses it, a child by fork goes on in it, and thread-local memory is taken
 * from the program's stacks. A count that runs out and so is the pulse too saves an
 * instruction, but cannot be refilled without a moment in which a kill leaves it wrong.)
 *
 * EXIT, one for all, reached in the place of the exit hook:
 *
 *         mov   %fs:lane_self, %rax
 *         mov   top(%rax), %rcx
 *         test  %rcx, %rcx
 *         jz    slow
 *         cmp   %rdi, top[-1].function
 *         je    slow                     perhaps the end of a call with a frame
 *         ret
 *
 * slow continues in counted_exit(), with %rbp as third argument.
 */
#pragma once

#include <stdint.h>

enum stub_kind {
	STUB_COUNTED,
	STUB_NOTHING, /* for entries of who is off that others may have, too */
	STUB_EXIT,    /* one for all functions */
};

/* What the code continues in, and the hooks in whose place it stands. Set by boot, before
 * the first call. */
struct stub_targets {
	uintptr_t enter_hook, exit_hook;
	void (*enter)(void *function, void *call_site);
	void (*pulse)(void *function, void *call_site);
	void (*leave)(void *function, void *call_site, uintptr_t frame_pointer);
	void (*edge)(void *function, void *call_site, uint32_t place);
};

extern struct stub_targets stub_targets __attribute__((visibility("hidden")));

/* What a function's calls are counted as. The same for a place each time. */
struct stub_entry {
	uintptr_t function;
	uint32_t number; /* of all of them, without has_edges */
	uint32_t place;	 /* of its code in arenas, and of what it compares */
	int has_edges;	 /* by call site: see stubs_tell() */
};

#define STUB_EDGE_PLACES (1u << 17) /* has_edges: below that */

/* Where code is called from. */
struct stub_site {
	uintptr_t at, object; /* and where its object begins */
	uintptr_t hook; /* where it leads of itself; 0: not there by a displacement */
	int needs_pads; /* see stubs_has_pad() */
};

/* The code for a site; *ret_slot: where its address is stored, in reach of the site like
 * the code. 0: no memory within reach, or code cannot be written. */
uintptr_t stubs_find(const struct stub_site *site, enum stub_kind kind,
		     const struct stub_entry *entry, const uintptr_t **ret_slot);

/*
 * Other threads may see a displacement that lies in two units half old and half new
 * (text.h). In an arena there is, or is made when it is asked for, code at places where
 * what they see is right all the same:
 *
 * PADS go on in the enter hook. They lie where a hook would with only the upper half of a
 * displacement changed, or more of it: as far from what a site leads to of itself as
 * ARENA_PADS_BYTES go.
 *
 * BOARDS go on in a stub. They lie in multiples of 256 from there: so all but the lowest
 * byte of a displacement leads to them.
 */

/* Is there a pad at this place? */
int stubs_has_pad(uintptr_t at);

/* The board of a stub, for sites that lead to this place of themselves. 0: there is no
 * more room. */
uintptr_t stubs_board(uintptr_t stub, uintptr_t hook);

/* Calls that come from this site are counted under the number from now on: every lane has
 * a count for it already. */
void stubs_tell(uint32_t place, uintptr_t call_site, uint32_t number);

/* Other code may come to [low, high): what was told of call sites there is forgotten. No
 * thread is in a call from one of them. */
void stubs_forget(uintptr_t low, uintptr_t high);
