/* SPDX-License-Identifier: MIT */
/* What streams leave to exit(). */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* exit() is about to flush all streams, inside of libc, after the last handler, which
 * calls this. Returns how many bytes they have. */
hidden int64_t stream_lives_exit(void);
