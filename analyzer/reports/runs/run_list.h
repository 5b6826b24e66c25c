/* SPDX-License-Identifier: MIT */
/*
 * The runs of a file as repetitions: a run, or all ranks of one job, is a unit; units of
 * one label, or without label of one command and build, are a group. Must not judge or
 * show anything.
 */
#pragma once

#include "common/base/intern.h"
#include "analyzer/reports/report.h"

struct listed_run {
	int64_t run_id;
	const char *label;   /* NULL: none */
	const char *command; /* NULL: not known */
	int64_t rank;	     /* -1: none */
	uint32_t unit;
};

struct run_list {
	struct listed_run *runs; /* by number */
	size_t count, capacity;
	size_t *unit_runs; /* the run that stands for a unit: its first, lowest rank */
	size_t unit_count;
	struct intern units; /* by name */
	struct arena texts;
};

/* Reads the runs of input->db. 0 or -errno (then the error is set). Free in any case. */
int run_list_read(struct report_input *input, struct run_list *ret);
void run_list_free(struct run_list *list);

/* Names the job of a run in the same way in every file; NULL: of no job. Borrowed. */
const char *run_list_job(const struct run_list *list, size_t run);
/* The run that stands for a run's unit. */
const struct listed_run *run_list_head(const struct run_list *list, size_t run);

/* Which units are of the group of this one: ret has unit_count entries. 0 or -errno. */
int run_list_group(struct report_input *input, const struct run_list *list, uint32_t unit,
		   bool *ret);
