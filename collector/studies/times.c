/* SPDX-License-Identifier: MIT */
/* The time of a case's parts without what the hooks took. */
#include <stdlib.h>

#include "collector/studies/studies.h"
#include "common/base/xalloc.h"

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* Parts come before those that they are above: from the last to the first, each hands
 * what lies at and below it to the one above. */
void studies_times(const struct studies_case *from, const struct studies_cost *cost,
		   double *ret_total_ns, double *ret_self_ns)
{
	double *below_ns = xcalloc(from->part_count + 1u, sizeof(*below_ns));
	double *hooks_ns = xcalloc(from->part_count + 1u, sizeof(*hooks_ns));

	for (uint32_t i = from->part_count; i-- > 0;) {
		const struct studies_part *part = &from->parts[i];
		double calls = (double)part->call_count, raw_ns, inside_ns;

		inside_ns = hooks_ns[i] + (double)part->alloc_count * cost->alloc_ns +
			    calls * cost->inner_ns;
		raw_ns = (double)part->ticks * cost->ns_per_tick;
		ret_total_ns[i] =
			part->call_count ? positive(raw_ns - inside_ns) : below_ns[i];
		ret_self_ns[i] = positive(ret_total_ns[i] - below_ns[i]);
		if (part->parent >= i)
			continue; /* STUDIES_NONE, too */
		below_ns[part->parent] += ret_total_ns[i];
		hooks_ns[part->parent] += inside_ns + calls * cost->outer_ns;
	}
	free(below_ns);
	free(hooks_ns);
}
