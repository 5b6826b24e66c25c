/* SPDX-License-Identifier: MIT */
/*
 * The other files that debug information names: the one it shares with other programs
 * (.gnu_debugaltlink) and those beside the objects (.dwo). Must not let libdw open a
 * path before it was looked at: it would wait at a fifo.
 */
#pragma once

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "collector/symbols/budget.h"
#include "collector/symbols/elf.h"
#include "collector/symbols/dwarf/text.h"

struct linked_shared {
	struct elf_file file;
	Dwarf *dwarf;
};

/* Finds the shared file of a Dwarf by its build-id, below /usr/lib/debug only, and tells
 * libdw, which then looks for none itself. When there is none, it is an empty one. To be
 * closed after the Dwarf. */
void linked_shared_open(Dwarf *dwarf, struct budget *budget, struct linked_shared *ret);
void linked_shared_close(struct linked_shared *shared);

/* Whether libdw may open the .dwo file that the unit's root names: a sound file, below
 * directories in which nobody but root and this user can exchange it. */
bool linked_split_fits(Dwarf_Die *root, struct debug_text *text, struct budget *budget);
