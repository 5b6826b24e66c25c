/* SPDX-License-Identifier: MIT */
/*
 * What sites had at the snapshots that have been taken: entries of the process's history.
 * Runs on: traced threads, any context; slow paths only.
 */
#pragma once

#include "common/segment_history.h"
#include "shim/memory/shadow.h"

/* The history, mapped, and made when `make` is set. NULL: there is none. */
struct segment_history *site_past_history(int make);

/* Reserves pages of it. 0, or -errno. */
int site_past_commit(void *history, uint64_t offset, uint64_t size);

/* A site is about to change for the first time since a snapshot: keeps what it has.
 * The caller has the site to itself. interval: the number of snapshots now. */
void site_past_keep(struct segment_site *site, uint32_t index, uint32_t interval);

/* A block that is older than the last snapshot has been freed. add: 1, or -1 when that
 * turned out not to be so. The caller has the site to itself. */
void site_past_add_free(const struct shadow_block *block, uint32_t interval, int add);
