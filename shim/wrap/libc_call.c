/* SPDX-License-Identifier: MIT */
/* Whether calls of libc are nodes. */
#include "shim/wrap/libc_call.h"

int libc_call_is_wanted;
