/* SPDX-License-Identifier: MIT */
/*
 * Frames of call paths that are nobody's code: what stands for many of them. Must not
 * know what the paths weigh, or which tree they are of.
 *
 * FRAMES_LIBRARY: functions of libraries, one below the other or side by side, are one
 * frame "library". FRAMES_THREADS: those between the start of a thread and the function
 * that it was started for are one frame "thread of F"; those through which a task of a
 * future is run are "task of F"; "threads" and "tasks" when they lead to several.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAMES_NONE UINT32_MAX

enum { FRAMES_LIBRARY = 1, FRAMES_THREADS = 2 };

struct frames_node {
	uint32_t parent;   /* an earlier one; FRAMES_NONE: a root */
	uint32_t function; /* any number; FRAMES_NONE: not known */
	const char *name;  /* of the function */
	bool is_library;
	bool is_libc; /* a call of libc that waits or moves data: stays, and leads nowhere
		       */
};

/* Of each node: the one that it is merged into, itself, or an earlier one that is not
 * merged; what that is called, NULL: its function. Nodes below what was merged are, too.
 */
struct frames {
	uint32_t *into;
	const char **labels;
	size_t merged_count; /* nodes that are no more */
	bool any;	     /* some label was given */
	struct frames_texts *texts;
};

/* Owned by the caller: frames_done(). */
struct frames frames_fold(const struct frames_node *nodes, size_t count, unsigned what);
void frames_done(struct frames *frames);

/* Is its total inside that of the node that it is merged into, not beside it? */
static inline bool frames_is_inside(const struct frames *frames,
				    const struct frames_node *nodes, size_t node)
{
	return nodes[node].parent != FRAMES_NONE &&
	       frames->into[node] == frames->into[nodes[node].parent];
}
