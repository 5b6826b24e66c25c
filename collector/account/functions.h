/* SPDX-License-Identifier: MIT */
/* Functions and edges of the tree. Must not read the spool. */
#pragma once

#include "collector/merge/merge.h"

/* Sums up functions and edges over the finished tree, with the errors of all. */
void account_functions(struct merge *merge);
