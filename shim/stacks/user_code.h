/* SPDX-License-Identifier: MIT */
/*
 * Is a call in code that no header has brought? Of such code the line of the call is the
 * user's, and who called it does not matter. Runs on: traced threads, inside an
 * allocation hook. Must not lock.
 */
#pragma once

#include <stdint.h>

/* The call that returns to this address. 0: a header's code, or of an object whose
 * functions nobody has looked at. */
int user_code_has(uint64_t return_address);
