/* SPDX-License-Identifier: MIT */
/* Hashes of functions and call paths, see hashes.h. */
#include "analyzer/push/hashes.h"

#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"
#include "common/base/map.h"

#include "clickhouse_rows.sql.h"

#include <stdlib.h>

/* A path while its caller's hash may be unknown. */
struct pending {
	int64_t parent;
	uint64_t parts[2]; /* function and kind */
	bool is_done;
};

/* What a cursor passes on as it is: others are out of its bounds. */
static int64_t kept_bits(uint64_t hash)
{
	return (int64_t)(hash >> 3);
}

static struct hash_of *find(struct hash_of *list, size_t count, int64_t id)
{
	size_t at = COUNT_BEFORE(count, i, list[i].id < id);

	return at < count && list[at].id == id ? &list[at] : NULL;
}

static struct cell function_hash(void *context, const struct cell *values)
{
	const struct hashes *hashes = context;
	const struct hash_of *found =
		find(hashes->functions, hashes->function_count, cell_whole(&values[0]));

	return cell_integer(found ? found->hash : 0);
}

static struct cell stack_hash(void *context, const struct cell *values)
{
	const struct hashes *hashes = context;
	const struct hash_of *found =
		find(hashes->stacks, hashes->stack_count, cell_whole(&values[0]));

	return cell_integer(found ? found->hash : 0);
}

static bool load_functions(struct report_input *input, struct hashes *ret)
{
	struct cursor *cursor =
		report_query(input, clickhouse_rows_sql_function_identities);

	while (cursor_next(cursor) > 0) {
		const char *identity = cursor_text(cursor, "identity");

		ARRAY_ADD(ret->functions, ret->function_count) =
			(struct hash_of){cursor_integer(cursor, "id"),
					 kept_bits(hash_text(identity ? identity : ""))};
	}
	return report_finish(input, cursor) == 0;
}

/* Callers come before what they call, except in a file that somebody has changed; what is
 * its own caller there has none. */
static void chain(struct hashes *hashes, struct pending *pending)
{
	size_t done = 0, before = 1;

	for (bool is_last = false; done < hashes->stack_count;) {
		is_last = done == before;
		before = done;
		for (size_t i = 0; i < hashes->stack_count; i++) {
			struct hash_of *caller = find(hashes->stacks, hashes->stack_count,
						      pending[i].parent);
			uint64_t parts[3] = {0, pending[i].parts[0], pending[i].parts[1]};

			if (pending[i].is_done ||
			    (caller && !is_last &&
			     !pending[caller - hashes->stacks].is_done))
				continue;
			if (caller)
				parts[0] = (uint64_t)caller->hash;
			hashes->stacks[i].hash =
				kept_bits(hash_bytes(parts, sizeof(parts)));
			pending[i].is_done = true;
			done++;
		}
	}
}

static bool load_stacks(struct report_input *input, struct hashes *ret)
{
	struct cursor *cursor = report_query(input, clickhouse_rows_sql_path_identities);
	auto_free struct pending *pending = NULL;
	size_t count = 0;

	while (cursor_next(cursor) > 0) {
		const struct hash_of *function =
			find(ret->functions, ret->function_count,
			     cursor_integer(cursor, "function_id"));

		ARRAY_ADD(ret->stacks, ret->stack_count) =
			(struct hash_of){cursor_integer(cursor, "id"), 0};
		ARRAY_ADD(pending, count) =
			(struct pending){cursor_integer(cursor, "parent"),
					 {function ? (uint64_t)function->hash : 0,
					  (uint64_t)cursor_integer(cursor, "kind")},
					 false};
	}
	chain(ret, pending);
	return report_finish(input, cursor) == 0;
}

bool hashes_begin(struct report_input *input, struct hashes *ret)
{
	*ret = (struct hashes){0};
	if (!load_functions(input, ret) || !load_stacks(input, ret))
		return false;
	if (rundb_function(input->db, "function_hash", 1, function_hash, ret) == 0 &&
	    rundb_function(input->db, "stack_hash", 1, stack_hash, ret) == 0)
		return true;
	report_fail_db(input);
	return false;
}

void hashes_end(struct report_input *input, struct hashes *hashes)
{
	rundb_function(input->db, "function_hash", 1, NULL, NULL);
	rundb_function(input->db, "stack_hash", 1, NULL, NULL);
	free(hashes->functions);
	free(hashes->stacks);
}
