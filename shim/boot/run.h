/* SPDX-License-Identifier: MIT */
/* The run that this process records into. Runs on: the constructor. */
#pragma once

#include <stddef.h>

#include "shim/boot/config.h"

/* Joins the run that PROFSHIM_RUN names, or makes a new one: spool directory, run and
 * state, process_facts.run and .state. *ret_first: this process is the run's first. 0, or
 * -errno with a message in `error`: empty when there is nothing the user should be told.
 */
int run_open(const struct config *config, int *ret_first, char *error, size_t error_size);

/* Creates this image's segment file and process slot. 0, or -errno with a message in
 * `error`. */
int run_create_segment(const struct config *config, char *error, size_t error_size);

/* run_open() and run_create_segment() share a descriptor; this closes it. In any case,
 * before the program runs. */
void run_settle(void);

/* Removes a run that could not begin. */
void run_abandon(void);

/* The directory run_open() decided on. */
const char *run_directory(void);
