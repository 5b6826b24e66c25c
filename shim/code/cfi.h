/* SPDX-License-Identifier: MIT */
/*
 * What .eh_frame says about one place in the code: where its caller's frame is. Runs on:
 * any thread and context. Must not call libc, allocate, or read outside of the segment
 * that it is given: the tables are the program's, and may be damaged.
 *
 * Only what nearly all frames are is told: the canonical frame address (CFA) a constant
 * above the stack pointer or the frame pointer, the return address just below it, and the
 * frame pointer unchanged or stored at a constant distance; besides, the forms of
 * functions that align their stack, and of handlers. Of some 100,000 rows in the
 * tables of a system's libraries the others are those of linkage tables, of the loader's
 * own assembly, and of ciphers, none of which calls malloc.
 */
#pragma once

#include <stdint.h>

#include "shim/core/own_memory.h"

enum cfi_kind {
	CFI_UNLEARNED,
	CFI_STEP,      /* the fields say how to get at the caller */
	CFI_REALIGNED, /* the CFA is stored so many words below the frame pointer, which
			  points to the caller's */
	CFI_END,       /* the outermost frame */
	CFI_SIGNAL,  /* the kernel's, of a handler: the interrupted registers lie in it */
	CFI_UNKNOWN, /* no table is about this code */
	CFI_ODD,     /* not so simple */
};

struct cfi_rule {
	uint32_t kind : 3;		    /* enum cfi_kind */
	uint32_t is_from_frame_pointer : 1; /* CFA: else from the stack pointer */
	uint32_t cfa_words : 15;	    /* CFA: so many 8 bytes above it */
	uint32_t saved_words : 12; /* the caller's frame pointer is stored so many 8 bytes
				      below the CFA, 0: it is the frame's own */
};

_Static_assert(sizeof(struct cfi_rule) == 4, "a rule is packed, see code.c");

/* The tables of an object. */
struct cfi_object {
	const uint8_t *header; /* .eh_frame_hdr */
	uintptr_t low, high;   /* the readable segment that it lies in */
};

/* The rule of the frame that return_address returns to. */
struct cfi_rule cfi_find(const struct cfi_object *object, uint64_t return_address);

/* The function around an address, or the part of it that lies apart. 0: not known. */
int cfi_function(const struct cfi_object *object, uint64_t address, struct extent *ret);
