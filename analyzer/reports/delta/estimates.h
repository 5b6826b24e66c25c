/* SPDX-License-Identifier: MIT */
/*
 * How far times between two moments can be wrong. Snapshots hold calls that have a frame:
 * what a function was only counted is known of the whole run, so functions that were not
 * timed call by call are left out of the paths, and what they have there is their
 * callers'. Errors are those of the whole run, in proportion. Must not know SQL.
 *
 * Use: delta_estimates_new() of the run's numbers; with those between the moments in the
 * tree delta_estimates_fold(), then delta_estimates_finish().
 */
#pragma once

#include "analyzer/tree/calltree.h"

struct delta_estimates;

struct delta_estimates *delta_estimates_new(const struct calltree *tree);
/* Puts the times of what is left out to their callers, and takes its calls away. */
void delta_estimates_fold(struct calltree *tree);
/* Gives the times of the tree their errors. */
void delta_estimates_finish(struct delta_estimates *estimates, struct calltree *tree);
