/* SPDX-License-Identifier: MIT */
/*
 * What the recorder asks of the parts of the shim that are built on it. Runs on: traced
 * threads, any context; set by the constructor before the recording begins. Until then,
 * and in tests, they do nothing.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

struct lane_context;

struct upcalls {
	/* Makes sure that the module of a code address is in the process's module table.
	 * 1: it had been unloaded and its nodes are back. */
	int (*note_module)(uint64_t address);
	/* Has it decided which functions of that module are off. */
	void (*select_module)(uint64_t address);
	/* For a lane that was taken over: nodes of objects that are not mapped here are
	 * marked so. Under the process lock. */
	void (*check_modules)(void);
	/* A call of this node whose frame has triggers was left without its exit. By the
	 * run's clock. */
	void (*leave_call)(struct lane_context *context, uint64_t function, uint32_t node,
			   uint64_t begin_ticks, uint64_t ticks);
	/* TRIGGER_* of what is watched by this name, which a region or a step has. */
	uint32_t (*watch_mark)(const char *name);
	/* A hook has been left while it was at work on this part of the lane, which is
	 * nobody's now: what is half done is finished, or nothing comes of it. */
	void (*put_in_order)(struct lane_context *context, uint32_t part);
	/* The calling thread has got a lane; wants to know of its end. */
	void (*thread_begins)(void);
};

extern hidden struct upcalls upcalls;
