/* SPDX-License-Identifier: MIT */
/*
 * Of entries that were only counted, those that are no calls: of constructors and
 * destructors one variant calls another for the same object (merge/variants.h). Who
 * called them is not known, but that is: a variant that was seen to do so does it each
 * time. So a function was called as often as there were entries, less those of variants
 * that call another. Must not be asked before all lanes are kept.
 */
#pragma once

#include "collector/account/kept.h"

/* Moves them from the calls of each count to its nested_calls. */
void nested_find(struct kept *kept, struct merge *merge);
