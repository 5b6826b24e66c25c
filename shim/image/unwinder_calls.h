/* SPDX-License-Identifier: MIT */
/* What libunwind calls, bound to functions of ours. Runs on: see each function. */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* Binds the calls of the library with this handle, while nobody is inside of it. 0, or
 * -errno: not all of them could be bound, and it is a danger to the host. */
int unwinder_bind_calls(void *library);

/* Not 0: it has asked for an object in the way that is answered. */
extern hidden uint32_t unwinder_found_objects;
