/* SPDX-License-Identifier: MIT */
/*
 * Whether libdw can be let loose on a file's compile units: it keeps a kilobyte for each
 * of them, and reads an abbreviation table to its end. Must not allocate.
 */
#pragma once

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "collector/symbols/budget.h"

/* Looks at the headers of all units and at the tables of abbreviations that they name,
 * before libdw remembers any of them. false: there are more than any compiler makes, or
 * the budget is over. */
bool units_fit(Dwarf *dwarf, struct budget *budget);
