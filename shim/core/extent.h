/* SPDX-License-Identifier: MIT */
/* A piece of the address space. */
#pragma once

#include <stdint.h>

struct extent {
	uintptr_t low, high; /* [low, high) */
};
