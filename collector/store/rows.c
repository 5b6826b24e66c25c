/* SPDX-License-Identifier: MIT */
/* The order in which a run's rows are written. */
#include <sqlite3.h>

#include "collector/store/ids.h"

int store_all_rows(struct store *store)
{
	int (*const parts[])(struct store *, const struct ingest *,
			     const struct store_ids *) = {
		store_process_rows, store_gpu_rows,	 store_tree_rows,
		store_lock_rows,    store_transfer_rows, store_snapshot_rows,
		store_mark_rows,    store_span_rows,	 store_study_rows,
		store_last_rows,
	};
	int code = store_prepare(store);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && code == SQLITE_OK; i++)
		code = parts[i](store, store->ingest, &store->ids);
	return code == SQLITE_OK ? store_unclaim(store) : code;
}
