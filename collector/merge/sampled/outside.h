/* SPDX-License-Identifier: MIT */
/* The samples of programs that have no hooks. */
#pragma once

#include "collector/merge/merge.h"
#include "collector/processes/cpu_book.h"

/* Adds them, without a path: when all lanes are merged. */
void sampled_add_outside(struct merge *merge, const struct cpu_book *book);
