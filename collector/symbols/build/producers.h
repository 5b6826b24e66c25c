/* SPDX-License-Identifier: MIT */
/* The compilers of a file's units, from its debug information. */
#pragma once

#include <stddef.h>

#include <libelf.h>

#include "collector/symbols/budget.h"

/* Called for each compile unit; producer is borrowed. */
typedef void producers_visitor(const char *producer, void *context);

/* Visits the units until the budget is over. elf: read whole, see elf.h. Returns how many
 * there were; 0: no usable debug information. */
size_t producers_each(Elf *elf, struct budget *budget, producers_visitor *visit,
		      void *context);
