/* SPDX-License-Identifier: MIT */
/* The upcalls of a recorder that nothing is built on. */
#include "shim/lane/upcalls.h"

static int note_nothing(uint64_t address)
{
	(void)address;
	return 0;
}

static void do_nothing(void)
{
}

static void select_nothing(uint64_t address)
{
	(void)address;
}

static void leave_nothing(struct lane_context *context, uint64_t function, uint32_t node,
			  uint64_t begin_ticks, uint64_t ticks)
{
	(void)context, (void)function, (void)node, (void)begin_ticks, (void)ticks;
}

static void put_nothing(struct lane_context *context, uint32_t part)
{
	(void)context, (void)part;
}

static uint32_t watch_nothing(const char *name)
{
	(void)name;
	return 0;
}

struct upcalls upcalls = {note_nothing,	 select_nothing, do_nothing, leave_nothing,
			  watch_nothing, put_nothing,	 do_nothing};
