/* SPDX-License-Identifier: MIT */
/* Hashes of functions and call paths, see hashes.h. */
#include "analyzer/push/hashes.h"

#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"
#include "common/base/map.h"

#include "clickhouse_rows.sql.h"

#include <stdlib.h>

/* A path while its caller's hash may be unknown. */
struct path {
	int64_t id, parent, hash;
	uint64_t parts[2]; /* function and kind */
	bool is_done;
};

/* What a cursor passes on as it is: others are out of its bounds. */
static int64_t kept_bits(uint64_t hash)
{
	return (int64_t)(hash >> 3);
}

static struct cell hash_of(void *context, const struct cell *values)
{
	(void)context;
	return cell_integer(
		kept_bits(hash_text(values[0].kind == CELL_TEXT ? values[0].text : "")));
}

static struct path *find(struct path *paths, size_t count, int64_t id)
{
	size_t at = COUNT_BEFORE(count, i, paths[i].id < id);

	return at < count && paths[at].id == id ? &paths[at] : NULL;
}

/* Callers come before what they call, except in a file that somebody has changed; what is
 * its own caller there has none. */
static void chain(struct path *paths, size_t count)
{
	size_t done = 0, before = 1;

	for (bool is_last = false; done < count;) {
		is_last = done == before;
		before = done;
		for (size_t i = 0; i < count; i++) {
			struct path *caller = find(paths, count, paths[i].parent);
			uint64_t parts[3] = {0, paths[i].parts[0], paths[i].parts[1]};

			if (paths[i].is_done || (caller && !is_last && !caller->is_done))
				continue;
			if (caller)
				parts[0] = (uint64_t)caller->hash;
			paths[i].hash = kept_bits(hash_bytes(parts, sizeof(parts)));
			paths[i].is_done = true;
			done++;
		}
	}
}

void hashes_keep(struct report_input *input)
{
	struct rundb_insert *insert;
	struct path *paths = NULL;
	struct cursor *cursor;
	size_t count = 0;

	rundb_function(input->db, "hash_of", 1, hash_of, NULL);
	rundb_keep(input->db, "hashed_function", clickhouse_rows_sql_hashed_function,
		   input->run_id);
	rundb_keep(input->db, "hashed_path", clickhouse_rows_sql_hashed_path,
		   input->run_id);
	cursor = report_query(input, clickhouse_rows_sql_path_identities);
	while (cursor_next(cursor))
		ARRAY_ADD(paths, count) = (struct path){
			.id = cursor_integer(cursor, "id"),
			.parent = cursor_integer(cursor, "parent"),
			.parts = {(uint64_t)cursor_integer(cursor, "hash"),
				  (uint64_t)cursor_integer(cursor, "kind")}};
	cursor_close(cursor);
	chain(paths, count);
	insert = rundb_insert_begin(input->db, "hashed_path");
	for (size_t i = 0; i < count; i++)
		rundb_insert_row(insert, (struct cell[]){cell_integer(paths[i].id),
							 cell_integer(paths[i].hash)});
	rundb_insert_end(insert);
	free(paths);
}
