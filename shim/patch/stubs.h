/* SPDX-License-Identifier: MIT */
/*
 * Code that call sites of hooks are led to, near their objects. Runs on: traced threads,
 * under the process lock; the stubs run in all threads of the program. A stub may use
 * nothing of a thread but `lane_self`: it may have no lane, or be a forked child's.
 *
 * ENTRY, one for each function (number n), reached instead of the enter hook:
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
 * Common code looks for any other site in a table of all functions (numbers.h). If it
 * is not there either, the call goes on in counted_edge(), which counts it and tells the
 * stubs. The sites and offsets are data beside the code: a stray write could hit them, as
 * it could the counts. Calls of inlined copies have one count, 8*n(%rcx), for all sites.
 *
 * One instruction counts, so a signal handler comes before or after it. slow and pulse
 * jump to counted_enter() and counted_pulse() as if these had been called instead of the
 * hook. Half an address is enough to tell functions of one object apart. (A count in
 * thread-local memory needs one load less and is 0.05 ns faster. But a kill loses it, a
 * forked child goes on in it, and it takes room from the program's stacks. Letting the
 * count itself run out as the pulse saves an instruction, but a kill while it is refilled
 * would leave it wrong.)
 *
 * EXIT, one for all functions, reached instead of the exit hook:
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
	STUB_NOTHING, /* for entries of a function that is off, which others may share */
	STUB_EXIT,    /* one for all functions */
};

/* The slow paths that the code jumps to, and the hooks that it replaces. Set by boot,
 * before the first call. */
struct stub_targets {
	uintptr_t enter_hook, exit_hook;
	void (*enter)(void *function, void *call_site);
	void (*pulse)(void *function, void *call_site);
	void (*leave)(void *function, void *call_site, uintptr_t frame_pointer);
	void (*edge)(void *function, void *call_site, uint32_t place);
};

extern struct stub_targets stub_targets __attribute__((visibility("hidden")));

/* How a function's calls are counted. A place always has the same. */
struct stub_entry {
	uintptr_t function;
	uint32_t number; /* for all its calls, without has_edges */
	uint32_t place;	 /* index of its code and of the sites it compares */
	int has_edges;	 /* by call site: see stubs_tell() */
};

#define STUB_EDGE_PLACES (1u << 17) /* has_edges: below that */

/* Where code is called from. */
struct stub_site {
	uintptr_t at, object; /* the instruction; where its object begins */
	uintptr_t hook;	      /* its original target; 0: not by a displacement */
	int needs_pads;	      /* see stubs_has_pad() */
};

/* The code for a site. *ret_slot: a word with its address, also in reach of the site. 0:
 * no memory within reach, or code cannot be written. */
uintptr_t stubs_find(const struct stub_site *site, enum stub_kind kind,
		     const struct stub_entry *entry, const uintptr_t **ret_slot);

/*
 * Other threads may see a displacement that lies in two units half old and half new
 * (text.h). So an arena has code wherever such a half-written displacement may lead, made
 * when it is asked for:
 *
 * PADS jump to the enter hook. They lie where a displacement leads of which only the
 * upper part has changed: a multiple of ARENA_PADS_BYTES from the site's original target.
 *
 * BOARDS jump to a stub. They lie a multiple of 256 from that target, so a displacement
 * that leads to one keeps its lowest byte.
 */

/* Is there a pad at this place? */
int stubs_has_pad(uintptr_t at);

/* The board of a stub, for sites whose original target is `hook`. 0: there is no more
 * room. */
uintptr_t stubs_board(uintptr_t stub, uintptr_t hook);

/* From now on stubs count calls from this site under the number, for which every lane
 * must already have a count. */
void stubs_tell(uint32_t place, uintptr_t call_site, uint32_t number);

/* Other code may be mapped at [low, high): forgets what was told of call sites there. No
 * thread may be in a call from one of them. */
void stubs_forget(uintptr_t low, uintptr_t high);
