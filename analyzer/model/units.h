/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people read them: 1.23ms, 4.50MiB, 38,204,113, 31.2%. Must not depend on
 * the locale.
 */
#pragma once

#include "common/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct trust_counter; /* common/trust.h */

/* Each appends to buffer. Three significant digits, except for counts, which are
 * exact with a comma every three digits. */
void units_nsec(struct strbuf *buffer, int64_t ns);
/* A time that is an estimate, with its relative error: "1.20s ±8%"; sign stands between
 * the two. If it is not known (units_is_known()), the most it can be: "<80ms". An error
 * too small for the digits is left out, so that exact numbers look exact. */
#define UNITS_ERROR_SIGN " +-" /* for sentences */
void units_nsec_error(struct strbuf *buffer, int64_t ns, int64_t error_ns,
		      const char *sign);
/* Appends " +-8%" for an estimate of any unit that is known. */
void units_bytes(struct strbuf *buffer, int64_t bytes);
void units_count(struct strbuf *buffer, int64_t count);
void units_percent(struct strbuf *buffer, double percent);
/* Appends a factor with three digits: "1.02x", "26.2x". */
void units_factor(struct strbuf *buffer, double value);
/* A plain number, without trailing zeros. */
void units_real(struct strbuf *buffer, double value);
/* A value of unit "ns", "bytes", "count", "percent", "ratio" or "per_s". */
void units_limit(struct strbuf *buffer, double value, const char *unit);
/* The same for an estimate: "1.20s +-8%", or "<80ms" if it is not known. */
void units_estimate(struct strbuf *buffer, double value, double error, const char *unit);
/* "1 call", "2,000 calls": count and noun in the plural as needed. */
void units_counted(struct strbuf *buffer, int64_t count, const char *noun);

/* "13 calls folded into their callers", or "the disk was full". */
void units_trust(struct strbuf *buffer, const struct trust_counter *counter,
		 int64_t value);

/* Whether a number is larger than its error, or has none. */
bool units_is_known(double value, double error);
/* part of whole in percent, 0 when whole is 0. */
double units_share(double part, double whole);
