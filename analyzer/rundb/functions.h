/* SPDX-License-Identifier: MIT */
/*
 * The SQL functions that prof-analyze adds to SQLite.
 *
 *     quantile(x, q)    q from 0 to 1; the values of x in order, linear in between
 *     percentile(x, p)  p from 0 to 100
 *     median(x)
 *     x REGEXP pattern  POSIX extended
 *     square_root(x), erfc(x), poisson_low(count), poisson_high(count)
 *     last_known(x)     over a window: the last x so far that is not NULL
 *     grown(x)          likewise: how much more it is than in the row before
 *     tied_rank(x, e)   over a window, from high to low: of the rows whose x are within
 *                       their errors e of the first of them the place of that one
 *
 * and about durations, in ticks, and courses of values, NULL where there is nothing to
 * say (courses.c):
 *
 *     histogram_sum(h), histogram_quantile(h, q)
 *     histogram_slowest(h, part)        what that part of the calls has of the time
 *     histogram_beyond(h, from, most)   what calls took beyond from, each at most most
 *     histogram_mode(h, valley, least_part, 'slow_median')
 *                                       a member of struct histogram_modes
 *     doublings(factor)                 how often one doubles for it
 *     rising_p(x, y)                    how likely y, which rises over x, is by chance
 *     growth(seconds, bytes, freed)     how it develops, see leak_class.h: a list of
 *                                       JSON of the class, the slope and p
 *
 * and about growth over runs of several sizes (growths.c, analyzer/statistics/scaling.h):
 *
 *     scaling(n, x, error)              the fit of a quantity, a value of its own kind;
 *                                       error: half a 95 % interval, NULL: x is a count
 *     scaling_is(fit, 'law')            or exponent, low, high, exact, sizes
 *     scaling_at(fit, n)                what it will be; with 'low', 'high': the bounds
 *     scaling_held(fit, law)            kept, exceeded, inconclusive or not measured
 *     serial_share(p, time, error)      over numbers of threads, a list of JSON: the
 *                                       share, its least and its most
 */
#pragma once

struct sqlite3;

/* SQLITE_OK or a SQLite error. */
int functions_register(struct sqlite3 *handle);
