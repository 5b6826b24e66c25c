/* SPDX-License-Identifier: MIT */
/* The rows of what the run was asked for while it went on. */
#include <sqlite3.h>

#include "collector/store/ids.h"
#include "collector/store/row.h"

int store_setting_rows(struct store *store, const struct ingest *ingest,
		       const struct store_ids *ids)
{
	const struct read_settings *settings = &ingest->run.settings;
	struct row row;

	row_open(&row, store, "setting",
		 "run_id, setting_number, time_ns, overhead_percent, only_rules, "
		 "skip_rules");
	for (uint32_t i = 0; i < settings->count; i++) {
		const struct segment_setting *setting = &settings->all[i];

		row_int(&row, ids->run);
		row_count(&row, setting->generation);
		row_int(&row, ticks_since_start_ns(&ingest->ticks, setting->ticks));
		if (setting->overhead_percent > 0)
			row_real(&row, setting->overhead_percent);
		else
			row_null(&row);
		row_text(&row, setting->only);
		row_text(&row, setting->skip);
		row_next(&row);
	}
	return row_close(&row);
}
