/* SPDX-License-Identifier: MIT */
/* The rows of snapshots. */
#include <sqlite3.h>

#include "collector/store/ids.h"
#include "collector/store/row.h"

static const char *cause_text(uint32_t cause)
{
	switch (cause) {
	case SEGMENT_SNAPSHOT_SIGNAL:
		return "signal";
	case SEGMENT_SNAPSHOT_FUNCTION:
		return "function";
	case SEGMENT_SNAPSHOT_INTERVAL:
		return "interval";
	case SEGMENT_SNAPSHOT_COMMAND:
		return "command";
	default:
		return "call";
	}
}

static int insert_snapshots(struct store *store, const struct snapshots *snapshots,
			    const struct store_ids *ids)
{
	struct row row;

	row_open_with(&row, store, "snapshot",
		      "snapshot_id, run_id, process_id, number, label, taken_by, time_ns",
		      QUANTITY_OF_SNAPSHOT);
	for (size_t i = 0; i < snapshots->count; i++) {
		const struct snapshot_row *from = &snapshots->all[i];

		row_int(&row, ids->snapshot + (int64_t)i);
		row_int(&row, ids->run);
		row_int(&row, ids->process + from->process);
		row_int(&row, from->number);
		row_text(&row, from->from->label); /* may be empty, but is there */
		row_text(&row, cause_text(from->from->cause));
		row_int(&row, from->time_ns);
		row_quantities(&row, QUANTITY_OF_SNAPSHOT, from->quantities);
		row_next(&row);
	}
	return row_close(&row);
}

static int insert_sites(struct store *store, const struct snapshots *snapshots,
			const struct store_ids *ids)
{
	struct row row;

	row_open_with(&row, store, "snapshot_site",
		      "process_id, site_id, snapshot_id, until_id", QUANTITY_OF_HELD);
	for (size_t i = 0; i < snapshots->site_count; i++) {
		const struct snapshot_site *from = &snapshots->sites[i];

		row_int(&row, ids->process + from->process);
		row_int(&row, ids->site + from->site);
		row_int(&row, ids->snapshot + from->first);
		row_int(&row, ids->snapshot + from->until);
		row_quantities(&row, QUANTITY_OF_HELD, from->quantities);
		row_next(&row);
	}
	return row_close(&row);
}

static int insert_paths(struct store *store, const struct snapshots *snapshots,
			const struct store_ids *ids)
{
	struct row row;

	row_open_with(&row, store, "snapshot_path",
		      "process_id, path_id, snapshot_id, until_id", QUANTITY_OF_PAST);
	for (size_t i = 0; i < snapshots->path_count; i++) {
		const struct snapshot_path *from = &snapshots->paths[i];

		row_int(&row, ids->process + from->process);
		row_int(&row, store_path_id(ids, from->path));
		row_int(&row, ids->snapshot + from->first);
		row_int(&row, ids->snapshot + from->until);
		row_quantities(&row, QUANTITY_OF_PAST, from->quantities);
		row_next(&row);
	}
	return row_close(&row);
}

/* born_id 0: before the first snapshot. */
static int insert_frees(struct store *store, const struct snapshots *snapshots,
			const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "snapshot_free",
		 "process_id, site_id, born_id, freed_id, free_count, free_bytes");
	for (size_t i = 0; i < snapshots->free_count; i++) {
		const struct change_free *from = &snapshots->frees[i];

		row_int(&row, ids->process + from->process);
		row_int(&row, ids->site + from->site);
		row_int(&row, from->born ? ids->snapshot + from->born - 1 : 0);
		row_int(&row, ids->snapshot + from->freed - 1);
		row_count(&row, from->count);
		row_count(&row, from->bytes);
		row_next(&row);
	}
	return row_close(&row);
}

int store_snapshot_rows(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	const struct snapshots *snapshots = &ingest->snapshots;
	int code = insert_snapshots(store, snapshots, ids);

	if (code == SQLITE_OK)
		code = insert_sites(store, snapshots, ids);
	if (code == SQLITE_OK)
		code = insert_paths(store, snapshots, ids);
	return code == SQLITE_OK ? insert_frees(store, snapshots, ids) : code;
}
