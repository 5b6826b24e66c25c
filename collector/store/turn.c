/* SPDX-License-Identifier: MIT */
/*
 * The turns in which a run is written into a file that others use, its ids, and the
 * removal of invalid rows. Runs on: one thread at a time; several processes take turns.
 * Must not hold the database for much longer than STORE_TURN_NS.
 *
 * SQLite's locks have no queue: waiters poll. So after a turn the lock stays free for
 * longer than any of ours sleeps between two polls.
 */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "collector/store/ids.h"
#include "collector/processes/ticks.h"

#include "remove.sql.h"
#include "store.sql.h"

#define LOCKED_LIMIT_MS 30000
#define POLL_US 4000
#define GAP_US 10000
/* A writer that has not renewed its claim for this long is dead, or its machine slept. */
#define CLAIM_SECONDS 120
/* Rows removed by one statement of remove_sql. */
#define ROWS_REMOVED 4000
/* Our ids never come near this. */
#define ID_MOST (INT64_MAX / 4)

int store_busy(void *context, int count)
{
	struct store *store = context;
	const struct store_waiting *waiting = store->waiting;
	uint64_t now = ticks_monotonic_ns();

	if (count == 0)
		store->locked_ns = now;
	store->waited_ms = (unsigned)((now - store->locked_ns) / 1000000);
	if (store->waited_ms > LOCKED_LIMIT_MS)
		return 0;
	if (waiting && waiting->locked &&
	    !waiting->locked(waiting->context, store->waited_ms))
		return 0;
	usleep(count < 10 ? POLL_US / 4 : POLL_US);
	return 1;
}

static int execute(struct store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

/* Binds :run, :token, :now, :low and :high where the statement has them, and steps once.
 * Returns SQLITE_ROW with *ret_statement to be finalized, SQLITE_DONE, or an error. */
struct bound {
	int64_t run, low, high;
};

static void bind_int(sqlite3_stmt *statement, const char *name, int64_t value)
{
	sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, name),
			   value);
}

static int start(struct store *store, const char *sql, const struct bound *bound,
		 sqlite3_stmt **ret, const char **ret_rest)
{
	char token[17];
	int code = sqlite3_prepare_v2(store->db, sql, -1, ret, ret_rest);

	if (code != SQLITE_OK || !*ret)
		return code == SQLITE_OK ? SQLITE_DONE : code;
	snprintf(token, sizeof(token), "%016" PRIx64, store->ingest->run.page.token);
	bind_int(*ret, ":run", bound->run);
	bind_int(*ret, ":low", bound->low);
	bind_int(*ret, ":high", bound->high);
	bind_int(*ret, ":now", (int64_t)time(NULL));
	bind_int(*ret, ":limit", ROWS_REMOVED);
	bind_int(*ret, ":dead", CLAIM_SECONDS);
	sqlite3_bind_text(*ret, sqlite3_bind_parameter_index(*ret, ":token"), token, -1,
			  SQLITE_TRANSIENT);
	return sqlite3_step(*ret);
}

/* Runs one statement, which changed *ret_changes rows. */
static int run_one(struct store *store, const char *sql, const struct bound *bound,
		   int *ret_changes, const char **ret_rest)
{
	sqlite3_stmt *statement = NULL;
	int code = start(store, sql, bound, &statement, ret_rest);

	*ret_changes = statement ? sqlite3_changes(store->db) : 0;
	sqlite3_finalize(statement);
	return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Reads two numbers of the first row; 0 when there is none. */
static int query(struct store *store, const char *sql, const struct bound *bound,
		 int64_t *first, int64_t *second)
{
	sqlite3_stmt *statement = NULL;
	int code = start(store, sql, bound, &statement, NULL);

	*first = 0;
	if (second)
		*second = 0;
	if (code == SQLITE_ROW) {
		*first = sqlite3_column_int64(statement, 0);
		if (second)
			*second = sqlite3_column_int64(statement, 1);
	}
	sqlite3_finalize(statement);
	return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

int store_begin(struct store *store)
{
	int code = execute(store, "BEGIN IMMEDIATE");

	store->turn_ns = ticks_monotonic_ns();
	return code;
}

int store_commit(struct store *store)
{
	const struct store_waiting *waiting = store->waiting;
	int code;

	if (waiting && waiting->syncing)
		waiting->syncing(waiting->context, 1);
	code = execute(store, "COMMIT");
	if (waiting && waiting->syncing)
		waiting->syncing(waiting->context, 0);
	return code;
}

/* Announces the run, or renews its claim. */
static int claim(struct store *store)
{
	const struct bound bound = {.run = store->ids.run};
	sqlite3_stmt *statement = NULL;
	char token[17];
	int code, changes;

	if (store->is_claimed)
		return run_one(store, store_sql_touch, &bound, &changes, NULL);
	code = sqlite3_prepare_v2(store->db, store_sql_announce, -1, &statement, NULL);
	if (code != SQLITE_OK)
		return code;
	snprintf(token, sizeof(token), "%016" PRIx64, store->ingest->run.page.token);
	sqlite3_bind_int64(statement, 1, store->ids.run);
	sqlite3_bind_text(statement, 2, token, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 3, (int64_t)time(NULL));
	for (int i = 1; i < STORE_ID_KINDS; i++)
		sqlite3_bind_int64(statement, 3 + i, store->ends.all[i]);
	code = sqlite3_step(statement);
	sqlite3_finalize(statement);
	store->is_claimed = code == SQLITE_DONE;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Checks that no other process took us for dead. */
static int check_claim(struct store *store)
{
	const struct bound bound = {.run = store->ids.run};
	int64_t is_there;
	int code = query(store, store_sql_claim, &bound, &is_there, NULL);

	if (code == SQLITE_OK && !is_there) {
		store->is_lost = 1;
		return SQLITE_ABORT;
	}
	return code;
}

int store_yield(struct store *store)
{
	int code = SQLITE_OK;

	if (!store->may_yield || ticks_monotonic_ns() - store->turn_ns < STORE_TURN_NS)
		return SQLITE_OK;
	if (store->has_ids)
		code = claim(store);
	if (code == SQLITE_OK)
		code = store_commit(store);
	if (code != SQLITE_OK)
		return code;
	usleep(GAP_US);
	code = store_begin(store);
	return code == SQLITE_OK && store->has_ids ? check_claim(store) : code;
}

/* Removes the rows of the run, some at a time. */
static int remove_rows(struct store *store, int64_t run_id)
{
	struct bound bound = {.run = run_id, .low = INT64_MIN};
	const char *sql = remove_sql, *rest;
	int64_t is_some;
	int changes = 0, code;

	code = run_one(store, store_sql_remove_run, &bound, &changes, NULL);
	while (code == SQLITE_OK) {
		/* by existing paths, as a planted file may number them in any way */
		code = query(store, store_sql_path_range, &bound, &bound.high, &is_some);
		if (code != SQLITE_OK || !is_some)
			break;
		code = run_one(store, store_sql_remove_shares, &bound, &changes, NULL);
		if (code == SQLITE_OK)
			code = store_yield(store);
		if (bound.high == INT64_MAX)
			break;
		bound.low = bound.high + 1;
	}
	while (code == SQLITE_OK && *sql) {
		code = run_one(store, sql, &bound, &changes, &rest);
		if (changes < ROWS_REMOVED)
			sql = rest;
		if (code == SQLITE_OK)
			code = store_yield(store);
	}
	return code;
}

/* Removes what dead writers left, and an earlier attempt at this run. */
static int remove_dead(struct store *store)
{
	const struct bound none = {0};

	for (;;) {
		struct bound bound = {0};
		int changes, code = query(store, store_sql_dead, &none, &bound.run, NULL);

		if (code != SQLITE_OK || !bound.run)
			return code;
		code = remove_rows(store, bound.run);
		if (code == SQLITE_OK)
			code = run_one(store, store_sql_unclaim, &bound, &changes, NULL);
		if (code != SQLITE_OK)
			return code;
	}
}

static void add_counts(const struct ingest *ingest, const union store_ids *first,
		       union store_ids *ret)
{
	*ret = *first;
	ret->process += (int64_t)ingest->run.process_count;
	ret->lane += (int64_t)ingest->run.lane_count;
	for (size_t i = 0; i < ingest->run.process_count; i++)
		ret->thread += ingest->run.processes[i].thread_count;
	ret->module += (int64_t)ingest->merge.identify.modules.count;
	ret->function += (int64_t)ingest->merge.function_count;
	ret->path += ingest->merge.path_count;
	ret->site += (int64_t)ingest->merge.site_count;
	ret->snapshot += (int64_t)ingest->snapshots.count;
	ret->series += (int64_t)ingest->merge.marks.count;
}

/* The next id. A planted file may have any numbers; ours never begin that high. */
static int64_t next_id(int64_t highest)
{
	return highest >= 0 && highest < ID_MOST ? highest + 1 : 0;
}

static int find_ids(struct store *store)
{
	union store_ids *ids = &store->ids;
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(store->db, store_sql_maxima, -1, &statement, NULL);

	if (code != SQLITE_OK)
		return code;
	code = sqlite3_step(statement);
	for (int i = 0; code == SQLITE_ROW && i < STORE_ID_KINDS; i++)
		ids->all[i] = next_id(sqlite3_column_int64(statement, i));
	sqlite3_finalize(statement);
	if (code != SQLITE_ROW)
		return code;
	for (int i = 0; i < STORE_ID_KINDS; i++) {
		if (!ids->all[i])
			return SQLITE_CORRUPT;
	}
	add_counts(store->ingest, ids, &store->ends);
	return SQLITE_OK;
}

int store_prepare(struct store *store)
{
	const struct bound none = {0};
	int64_t replaced = 0;
	int code = remove_dead(store);

	if (code == SQLITE_OK)
		code = query(store, store_sql_run_of_token, &none, &replaced, NULL);
	if (code == SQLITE_OK)
		code = find_ids(store);
	if (code != SQLITE_OK)
		return code;
	if (replaced) /* a replaced run keeps its id */
		store->ids.run = replaced;
	store->has_ids = 1;
	return replaced ? remove_rows(store, replaced) : SQLITE_OK;
}

int store_unclaim(struct store *store)
{
	const struct bound bound = {.run = store->ids.run};
	int changes;

	return store->is_claimed
		       ? run_one(store, store_sql_unclaim, &bound, &changes, NULL)
		       : SQLITE_OK;
}

/* If this fails, the next writer does it. */
void store_give_up(struct store *store)
{
	int code;

	execute(store, "ROLLBACK");
	if (!store->is_claimed || store->is_lost || !store->may_yield)
		return;
	store->has_ids = 0;
	code = store_begin(store);
	if (code == SQLITE_OK)
		code = check_claim(store);
	if (code == SQLITE_OK)
		code = remove_rows(store, store->ids.run);
	if (code == SQLITE_OK)
		code = store_unclaim(store);
	execute(store, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
}
