/* SPDX-License-Identifier: MIT */
/*
 * SQL functions about durations, in ticks, and courses of values. NULL where there is
 * nothing to say:
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
 */
#pragma once

struct sqlite3;

/* SQLITE_OK or a SQLite error. */
int courses_register(struct sqlite3 *handle);
