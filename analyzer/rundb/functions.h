/* SPDX-License-Identifier: MIT */
/*
 * The SQL functions that prof-analyze adds to SQLite.
 *
 *     quantile(x, q)    q from 0 to 1; the values of x in order, linear in between
 *     percentile(x, p)  p from 0 to 100
 *     median(x)
 *     x REGEXP pattern  POSIX extended
 *     last_known(x)     over a window: the last x so far that is not NULL
 *     grown(x)          likewise: how much more it is than in the row before
 *     tied_rank(x, e)   over a window, from high to low: of the rows whose x are within
 *                       their errors e of the first of them the place of that one
 *
 * and those of courses.h.
 */
#pragma once

struct sqlite3;

/* SQLITE_OK or a SQLite error. */
int functions_register(struct sqlite3 *handle);
