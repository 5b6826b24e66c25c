/* SPDX-License-Identifier: MIT */
/* A list of findings when it is complete. */
#pragma once

#include "analyzer/findings/finding.h"

/*
 * Rates, merges and ranks: highest score first.
 *
 * Two findings of one kind (of time or of memory) that nest on one path are merged when
 * the inner one explains at least 80 % of the outer one's impact: it stays, takes over
 * the higher score, and lists the outer one in its also. On the very same path the more
 * specific one stays, then the one with the higher score. One that is capped takes
 * nothing in that is more severe. Then the findings of a rule that explains another one
 * take in its findings about the same function or about the whole run, whatever their
 * kinds, when together they explain 80 % of the impact; the one with most of it does.
 */
void findings_finish(struct findings *findings, const struct calltree *tree);
