/* SPDX-License-Identifier: MIT */
/* What all of a program did in a span: the head of frames and of the log. */
#pragma once

#include "analyzer/live/live.h"

struct totals {
	double span_s;
	double computing, ready; /* threads, on the average */
	double calls_per_s, allocs_per_s, alloc_bytes_per_s;
	size_t thread_count; /* that live */
};

void totals_find(struct totals *ret, const struct live *live);
