/* SPDX-License-Identifier: MIT */
/* The runs of a file as repetitions, see run_list.sql. Must not judge or show them. */
#pragma once

#include "common/base/arena.h"
#include "analyzer/reports/report.h"

struct listed_run {
	int64_t run_id, unit;	     /* unit: the run that stands for its repetition */
	const char *label, *command; /* NULL: none */
	const char *job;	     /* the same in every file; NULL: of none */
};

struct run_list {
	struct listed_run *runs; /* by number */
	size_t count, unit_count;
	struct arena texts;
};

/* Reads the runs of input->db. 0 or -errno (then the error is set). Free in any case. */
int run_list_read(struct report_input *input, struct run_list *ret);
void run_list_free(struct run_list *list);

/* The run that stands for a run's unit. */
const struct listed_run *run_list_head(const struct run_list *list, size_t run);

/* Which runs are of the group of this unit: ret has count entries. 0 or -errno. */
int run_list_group(struct report_input *input, const struct run_list *list, int64_t unit,
		   bool *ret);
