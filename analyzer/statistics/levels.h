/* SPDX-License-Identifier: MIT */
/*
 * Where the level of a course of values changes: the runs of a program over versions.
 * Pure functions, no state, no random numbers. Must not call a change what chance
 * explains, or judge counts that are exact: those are compared.
 *
 * Sources: the rank statistic for an unknown place of change, Pettitt, Applied Statistics
 * 28 (1979) 126; intervals in which to look for it, halves that overlap by half, so that
 * a level which lasts for a part of the course is found, too: Kovacs, Buhlmann, Li and
 * Munk, Biometrika 110 (2023) 249. What the test at a place says is multiplied by the
 * number of all places in all intervals (Bonferroni), which needs no assumption about the
 * values but that they could stand in any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/statistics/statistics.h"

/* A side of a change has at least so many values. */
#define LEVELS_LEAST 4

/* Sets ret (room for count) to the places at which a new level begins, in order, and
 * returns how many there are. alpha: how likely any is found where there is none. */
size_t levels_find(const double *values, size_t count, double alpha, size_t *ret);

/* Whether the values follow a line more closely than these levels: they drift. */
bool levels_drift(const double *values, size_t count, const size_t *places,
		  size_t places_count);

/* The p-value of "one more value is like these" of this level, and its ratio to their
 * mean with an interval (95 %): Student's prediction interval on logarithms. Of values
 * that are not all > 0 by ranks, with no interval. */
double levels_next(const double *values, size_t count, double next,
		   struct statistics_shift *ret_ratio);

/* A value like those of this level lies between low and high in 95 of 100 cases: median
 * -+ two standard deviations by the median deviation. Sorts values. */
void levels_band(double *values, size_t count, double *ret_median, double *ret_low,
		 double *ret_high);
