/* SPDX-License-Identifier: MIT */
/* Who waits while a run is stored, and for how long. */
#pragma once

/* How long a turn lasts (store.h), about. */
#define STORE_TURN_NS 50000000ull

/* What is done for those who wait for us. Every function may be NULL. */
struct store_waiting {
	/* Somebody else has had the database for waited_ms. 0: give up (-EBUSY). */
	int (*locked)(void *context, unsigned waited_ms);
	/* begins 1: the disk is waited for; 0: no longer. */
	void (*syncing)(void *context, int begins);
	/* The run can be read; only a power cut could still take it away. */
	void (*readable)(void *context);
	void *context;
};
