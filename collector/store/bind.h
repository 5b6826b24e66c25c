/* SPDX-License-Identifier: MIT */
/* Values that several tables have in one form. */
#pragma once

#include "collector/processes/liveness.h"
#include "collector/store/row.h"
#include "common/segment.h"

static inline void store_bind_status(struct row *row, const struct exit_status *status)
{
	if (status->is_known && !status->exit_signal)
		row_int(row, status->exit_code);
	else
		row_null(row);
	if (status->is_known && status->exit_signal)
		row_int(row, status->exit_signal);
	else
		row_null(row);
}

static inline void store_bind_job(struct row *row, const struct segment_job *job)
{
	row_filled_text(row, job->name);
	if (job->name[0] && job->rank >= 0)
		row_int(row, job->rank);
	else
		row_null(row);
}
