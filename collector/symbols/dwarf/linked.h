/* SPDX-License-Identifier: MIT */
/*
 * The other files that debug information names: the one it shares with other programs
 * (.gnu_debugaltlink) and those beside the objects (.dwo). Must not let libdw open a
 * path before it was looked at: it would wait at a fifo.
 */
#pragma once

#include <stdbool.h>

#include <elfutils/libdw.h>

/* Finds the shared file of a Dwarf by its build-id, below /usr/lib/debug only, and tells
 * libdw, which then looks for none itself. When there is none, it is an empty one. */
void linked_shared_find(Dwarf *dwarf);

/* Whether libdw may open the .dwo file that the unit's root names: a plain file, below
 * directories in which nobody but root and this user can exchange it. */
bool linked_split_fits(Dwarf_Die *root);
