/* SPDX-License-Identifier: MIT */
/* Callbacks for whoever waits while a run is stored. */
#pragma once

/* About how long a turn lasts (store.h). */
#define STORE_TURN_NS 50000000ull

/* Every function may be NULL. */
struct store_waiting {
	/* Another process has the database for waited_ms. 0: give up (-EBUSY). */
	int (*locked)(void *context, unsigned waited_ms);
	/* begins 1: we wait for the disk from now on; 0: no longer. */
	void (*syncing)(void *context, int begins);
	/* The run can be read. Only a power cut could still lose it. */
	void (*readable)(void *context);
	void *context;
};
