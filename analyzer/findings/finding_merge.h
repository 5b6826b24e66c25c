/* SPDX-License-Identifier: MIT */
/* Completes a list of findings. */
#pragma once

#include "analyzer/findings/finding.h"

/*
 * Rates, merges and ranks findings, highest score first.
 *
 * Two findings of one kind (time or memory) that nest on one path are merged if the
 * inner one explains at least 80 % of the outer one's impact. The inner one stays, takes
 * the higher score, and lists the outer one in its also. On the same path the more
 * specific one stays, then the one with the higher score. A finding with a capped
 * severity takes in none that is more severe. Then findings of a rule that explains
 * another take in that rule's findings about the same function or the whole run, of any
 * kind, if together they explain 80 % of the impact; the one with most of it does so.
 */
void findings_finish(struct findings *findings, const struct calltree *tree);
