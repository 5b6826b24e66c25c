/* SPDX-License-Identifier: MIT */
/* The list of views, and what is in each. */
#include "analyzer/export/views.h"

#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>

int64_t view_amount(const struct view *view, const struct profile_sample *sample)
{
	if (view->lane != VIEW_ALL && view->lane != sample->lane)
		return 0;
	return sample->values[view->metric] > 0 ? sample->values[view->metric] : 0;
}

void view_name(const struct profile *profile, const struct view *view,
	       struct strbuf *text)
{
	strbuf_puts(text, profile_metrics[view->metric].name);
	if (view->lane == PROFILE_NONE)
		strbuf_puts(text, ": no thread");
	else if (view->lane != VIEW_ALL)
		strbuf_printf(text, ": %s (%" PRId64 ")",
			      profile->lanes[view->lane].thread,
			      profile->lanes[view->lane].tid);
}

struct view *views_of(const struct profile *profile, size_t *ret_count)
{
	struct view *views =
		xcalloc(profile->lane_count + PROFILE_METRICS + 1, sizeof(*views));
	bool *has_time = xcalloc(profile->lane_count + 1, sizeof(*has_time));
	size_t count = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		uint32_t lane = profile->samples[i].lane;

		if (profile->samples[i].values[PROFILE_WALL] > 0)
			has_time[lane == PROFILE_NONE ? profile->lane_count : lane] =
				true;
	}
	for (size_t i = 0; i <= profile->lane_count; i++)
		if (has_time[i])
			views[count++] = (struct view){
				PROFILE_WALL,
				i < profile->lane_count ? (uint32_t)i : PROFILE_NONE};
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		if (i != PROFILE_WALL && profile->sums[i] > 0)
			views[count++] = (struct view){(enum profile_metric)i, VIEW_ALL};
	free(has_time);
	*ret_count = count;
	return views;
}
