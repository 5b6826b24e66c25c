/* SPDX-License-Identifier: MIT */
/*
 * What it takes to have a function counted: its code is written for some microseconds,
 * whatever becomes of it. So it is, like skis that are bought when renting them has cost
 * as much, once its hooks have: who does not know how often it is still going to be
 * called cannot promise to be better than that, twice what was best at the worst. Runs
 * on: traced threads, any context; all of them share the price.
 */
#pragma once

#include <stdint.h>

/* Have hooks that took so many ticks cost about as much as a function takes? Yes as long
 * as none is known. */
int price_is_paid(double hook_ticks);

/* One took so long. */
void price_note(uint64_t ticks);
