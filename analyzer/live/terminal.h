/* SPDX-License-Identifier: MIT */
/* The live view on a terminal. */
#pragma once

#include "analyzer/live/looks.h"

/* Shows it until the user has enough, or for top->count looks. false: there is no
 * terminal that can. */
bool terminal_run(struct top *top);
