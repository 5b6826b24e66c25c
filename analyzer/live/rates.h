/* SPDX-License-Identifier: MIT */
/*
 * What the paths and functions of a program did in a span, made of what its ledgers
 * gained: corrected for the hooks, calls that were only counted among them, with errors.
 * Must not read anything.
 *
 * COUNTED CALLS have no path and no time of their own: how often a function was called is
 * exact; where, and how long, is estimated from all its calls that were timed so far. The
 * time is taken from the callers that had a frame, in which it was spent.
 */
#pragma once

#include "analyzer/live/rates_parts.h"
#include "collector/follow/follow.h"

/* The span, and which paths are shown: what screens need that show no rates. */
void rates_begin(struct rates *rates, const struct follow *follow,
		 enum ledger_since since, uint32_t below);
/* below: only at and below this path; 0: all. */
void rates_find(struct rates *rates, const struct follow *follow, enum ledger_since since,
		uint32_t below);
void rates_done(struct rates *rates);

/* What was found of a path; of the same follow, before its next look. */
struct rate rates_of_path(const struct rates *rates, const struct follow *follow,
			  uint32_t path);

/* How far off the self time may be, ns (95 %). */
double rate_error_ns(const struct rate *rate);
/* What of it was computed. */
double rate_cpu_ns(const struct rate *rate);
