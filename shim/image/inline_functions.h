/* SPDX-License-Identifier: MIT */
/* Which functions of an object its headers may have brought, by its symbol tables. */
#pragma once

#include "common/segment.h"

/* Of an object of C++ that is recorded: tells shim/lane/headers.h. dynamic: its dynamic
 * section. Traced threads, under the process lock. */
void inline_functions_look(const struct segment_module *module, const void *dynamic);
