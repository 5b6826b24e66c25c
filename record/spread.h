/* SPDX-License-Identifier: MIT */
/*
 * The times of one side's runs in a few numbers. Must not decide whether two sides differ
 * (prof-analyze compare does).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_spread {
	double median_ns, lowest_ns, highest_ns;
	double deviation;    /* median absolute deviation, as a share of the median */
	double first_excess; /* of the first run over the median of the others, as a part
			      */
	bool is_first_outlier; /* it is slower than chance explains */
};

/* wall_ns: of count > 0 runs in the order of recording. */
struct record_spread record_spread(const int64_t *wall_ns, size_t count);
