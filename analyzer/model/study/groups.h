/* SPDX-License-Identifier: MIT */
/* Slow calls that were slow for the same reason: the same kind of cause, on one path. */
#pragma once

#include "analyzer/model/study/study.h"

struct study_group {
	enum study_kind kind;
	uint32_t path;
	size_t count;	      /* calls */
	size_t worst;	      /* the one with the largest difference, by index */
	double difference_ns; /* of all of them */
};

/* Of a study that has been judged, the one with the largest difference first; owned. NULL
 * and a count of 0: no call is slow. */
struct study_group *study_groups(const struct study *study, size_t *ret_count);
