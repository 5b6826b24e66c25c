/* SPDX-License-Identifier: MIT */
/*
 * Which rows of two runs are the same thing: the same function, the same path of such
 * functions, the same site of such a path. Only whoever packs a run asks.
 */
#pragma once

#include "analyzer/archive/rows.h"

#define SAME_NONE UINT32_MAX

/* For each table and row of rows the row of reference, or SAME_NONE. Owned by caller, as
 * is each element. */
uint32_t **same_rows(const struct rows *rows, const struct rows *reference);
