/* SPDX-License-Identifier: MIT */
/*
 * The functions that have sites, by number and by address: private tables, which a forked
 * child goes on with. Runs on: owners_add(): under the process lock; the rest: traced
 * threads, any context, no lock.
 */
#pragma once

#include <stdint.h>

#include "shim/patch/sites.h"

/* Those with the numbers from 1 on. */
struct site_owner *owners_at(uint32_t number);

/* The number of the function in this host, or with 0 of its own entry; 0: it has none. */
uint32_t owners_find(uint64_t function, uint64_t host);

/* Is there one in this host? */
int owners_have_host(uint64_t host);

/* Is there perhaps one of a function in [low, high), mapped or not? */
int owners_may_be_in(uint64_t low, uint64_t high);

/* The next number is its own; its address is that of the function, whether it is mapped
 * or not. 0: there is no room. */
int owners_add(const struct site_owner *owner);
