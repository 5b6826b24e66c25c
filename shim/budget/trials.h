/* SPDX-License-Identifier: MIT */
/*
 * Functions that are counted are timed again now and then, for some hundred calls: their
 * mean may have changed. Runs on: traced threads, slow paths of the hooks, any context.
 * Must not make a system call but to write call sites.
 *
 * Each is, after 1, 4, 16 s and so on, six times at most. Two hundred calls later it is
 * counted again when they were short against their hooks, and so many that these cost
 * something; else the next two hundred are judged. That takes some 30 us, so it needs no
 * forecast of how often a function is going to be called.
 */
#pragma once

#include "shim/lane/lane.h"

/* A call with a frame has ended whose function has been counted before. */
struct trials_call {
	uint64_t function, exit_return_address, call_site;
	uint64_t ticks; /* it took */
	uint64_t now;
};

void trials_note_call(struct lane_context *context, const struct trials_call *call);

/* The mean of the latest two hundred calls; 0: there have not been so many. */
double trials_mean(uint32_t number);

/* Begins those that are due. */
void trials_look(struct lane_context *context, uint64_t now);
