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

static void use_nothing(const struct segment_setting *setting)
{
	(void)setting;
}

struct upcalls upcalls = {note_nothing, select_nothing, use_nothing, do_nothing,
			  do_nothing};
