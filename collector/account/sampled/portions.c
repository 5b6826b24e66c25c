/* SPDX-License-Identifier: MIT */
/* Row by row. */
#include "collector/account/sampled/portions.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collector/account/sampled/trail.h"
#include "common/base/xalloc.h"

struct portions {
	const struct merge *merge;
	const uint32_t *is_counted;
	const struct held *held;
	size_t count;
	uint32_t *matches; /* by call: of the row that is looked at */
};

/* Which calls agree with most of the row's stack: those that match as the one that is
 * returned does, if any does. */
static uint32_t match(struct portions *portions, const struct sampled_row *row)
{
	uint32_t most = 0;
	struct trail trail;

	trail_find(&trail, portions->merge, portions->is_counted, row);
	for (size_t i = 0; i < portions->count; i++) {
		portions->matches[i] = trail_match(&trail, portions->merge, row->path,
						   portions->held[i].path);
		if (portions->matches[i] > most)
			most = portions->matches[i];
	}
	return most;
}

/* What each call has of ns, of those that match so well. */
static bool add(const struct portions *portions, uint32_t most, double ns,
		double *weights)
{
	double calls = 0;

	for (size_t i = 0; i < portions->count; i++)
		if (portions->matches[i] == most)
			calls += portions->held[i].calls;
	for (size_t i = 0; i < portions->count && calls > 0; i++)
		if (portions->matches[i] == most)
			weights[i] += ns * portions->held[i].calls / calls;
	return calls > 0;
}

double portions_add(const struct merge *merge, const uint32_t *is_counted,
		    const struct sampled_row *rows, size_t row_count,
		    const struct held *held, size_t count, double *weights)
{
	struct portions portions = {merge, is_counted, held, count,
				    xcalloc(count, sizeof(*portions.matches))};
	double known_ns = 0, rest_ns = 0;

	for (size_t i = 0; i < row_count; i++) {
		double ns = (double)rows[i].cpu_ns;

		if (count > 1 && rows[i].caller &&
		    add(&portions, match(&portions, &rows[i]), ns, weights))
			known_ns += ns;
		else
			rest_ns += ns;
	}
	for (size_t i = 0; i < count; i++)
		portions.matches[i] = 0;
	add(&portions, 0, rest_ns, weights);
	free(portions.matches);
	return known_ns;
}
