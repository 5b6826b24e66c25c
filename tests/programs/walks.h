/* SPDX-License-Identifier: MIT */
/* What this is:  what the libraries of walks.c have. */
#pragma once

/* One of each thread. */
struct walks {
	void (*wander)(unsigned *state, int depth);
	void (*dive)(int depth);
	void (*sort)(void);
	int (*meet)(void); /* 0: nothing was met */
	void (*interrupt)(void);
	void (*between)(void); /* set by the program: called in the middle of a walk */
	long allocation_count;
};

/* Of the calling thread. */
struct walks *walks_of(void);
/* Installs handlers of SIGUSR1 and, on the alternate stack, of SIGUSR2. */
void walks_handle(void);
