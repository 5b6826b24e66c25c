/* SPDX-License-Identifier: MIT */
/* The compilers of a file's units, from its debug information. */
#pragma once

#include <stddef.h>

#include <libelf.h>

/* Called for each compile unit; producer is borrowed. */
typedef void producers_visitor(const char *producer, void *context);

/* Visits the units. elf: mapped, see elf.h. */
void producers_each(Elf *elf, producers_visitor *visit, void *context);
