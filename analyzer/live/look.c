/* SPDX-License-Identifier: MIT */
/* A look: reads the run as reports do, and stores its numbers in the tables. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/live/live.h"
#include "collector/processes/ticks.h"
#include "collector/store/spool.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include "live.sql.h"

/* Longer names are cut: nobody reads one wider than any terminal. */
#define NAME_MOST 4000
/* How long a collector may take to store a run after its end. */
#define STORE_MOST_MS 5000
#define STORE_LOOK_MS 20

/* What a look reads. */
struct reading {
	struct live *live;
	struct rundb *db;
	int64_t run_id;
	struct spool_look who;
	uint32_t *functions; /* numbers by function_id, less the first id */
	uint32_t *paths;     /* the same for paths */
	int64_t first_function, first_path;
	size_t function_count, path_count;
};

static struct cursor *ask(struct reading *reading, const char *sql)
{
	struct cursor *cursor = rundb_query(reading->db, sql);

	cursor_bind_integer(cursor, ":run", reading->run_id);
	cursor_bind_integer(cursor, ":pid", reading->live->source.inner_pid);
	return cursor;
}

/* Opens the run in its run.db, where it is stored by now. */
static bool open_stored(struct reading *reading)
{
	const struct source *source = &reading->live->source;
	ended_by(strbuf_free) struct strbuf error = {0};
	struct cursor *cursor;
	char token[17];

	snprintf(token, sizeof(token), "%016" PRIx64, source->token);
	if (rundb_open(source->output, &reading->db, &error) == 0) {
		cursor = rundb_query(reading->db, live_sql_stored);
		cursor_bind_text(cursor, ":token", token);
		if (cursor_next(cursor) > 0)
			reading->run_id = cursor_integer(cursor, "run_id");
		cursor_close(cursor);
		if (!reading->run_id)
			rundb_close(reading->db);
	}
	return reading->run_id != 0;
}

static bool open_spool(struct reading *reading)
{
	struct strbuf error = {0};
	char reason[512];
	bool is_read;

	if (rundb_open_memory("top", &reading->db, &error) < 0) {
		strbuf_free(&error);
		return false;
	}
	reading->run_id = 1;
	is_read = spool_look(&reading->live->source.rundir, rundb_handle(reading->db),
			     &reading->who, reason, sizeof(reason)) == 0;
	if (!is_read)
		rundb_close(reading->db);
	return is_read;
}

static bool is_removed(const struct source *source)
{
	struct stat status;

	return fstat(source->rundir.fd, &status) < 0 || status.st_nlink == 0;
}

static bool is_attended(const struct source *source)
{
	int lock = rundir_lock(&source->rundir);

	if (lock >= 0)
		close(lock);
	return lock < 0;
}

/* Waits until the collector, if there is one, has stored the ended run. */
static bool wait_for_store(struct reading *reading)
{
	struct timespec pause = {.tv_nsec = STORE_LOOK_MS * 1000000L};

	for (int i = 0; i < STORE_MOST_MS / STORE_LOOK_MS; i++) {
		bool is_left = is_removed(&reading->live->source) ||
			       !is_attended(&reading->live->source);

		if (open_stored(reading))
			return true;
		if (is_left)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Whether the view is over: other processes may go on when one has ended. */
static bool is_over(struct reading *reading, bool lives)
{
	bool goes_on = lives || reading->who.living_count;

	if (reading->live->source.pid)
		reading->who.living_count = lives;
	return !goes_on;
}

/* Files of a spool may disappear while its run is stored. */
static bool open_run(struct reading *reading)
{
	const struct source *source = &reading->live->source;
	bool lives = source->pid && source_lives(source);
	struct rundb *spool;

	if (is_removed(source) || !open_spool(reading)) {
		reading->run_id = 0;
		return wait_for_store(reading);
	}
	if (!is_over(reading, lives))
		return true;
	spool = reading->db;
	reading->run_id = 0;
	if (wait_for_store(reading)) {
		rundb_close(spool);
		return true;
	}
	reading->db = spool;
	reading->run_id = 1;
	return true;
}

static void take_facts(struct reading *reading)
{
	struct live *live = reading->live;
	struct live_facts *facts = &live->facts;
	struct cursor *cursor = ask(reading, live_sql_facts);

	free(facts->program);
	*facts = (struct live_facts){.living_count = reading->who.living_count,
				     .first_pid = reading->who.first_pid};
	if (live->source.pid && facts->living_count) {
		facts->living_count = 1;
		facts->first_pid = live->source.pid;
	}
	if (!facts->living_count)
		facts->first_pid = 0;
	facts->is_over = !facts->living_count;
	if (cursor_next(cursor) > 0) {
		const char *program = cursor_text(cursor, "executable");

		facts->process_count = (uint32_t)cursor_integer(cursor, "process_count");
		live->is_of_process =
			live->source.pid && cursor_integer(cursor, "other_count") > 0;
		facts->pid = live->source.pid
				     ? live->source.pid
				     : (int32_t)cursor_integer(cursor, "first_pid");
		facts->program = program ? xstrdup(program) : NULL;
		facts->run_ns = cursor_integer(cursor, "wall_ns");
		facts->live_bytes =
			facts->is_over ? 0 : cursor_integer(cursor, "live_bytes");
		facts->overhead_percent = cursor_real(cursor, "overhead_percent");
	}
	cursor_close(cursor);
}

static char *shown_name(const char *name)
{
	ended_by(strbuf_free) struct strbuf clean = {0};
	char *cut = xstrndup(name, strnlen(name, NAME_MOST));

	utf8_clean(&clean, cut);
	free(cut);
	return xstrdup(strbuf_text(&clean));
}

/* Gives a function its name; short names change when another function has the same. */
static void name_function(struct live *live, uint32_t number, bool is_new,
			  struct cursor *from, struct cursor *put)
{
	const char *text = cursor_text(from, "name");
	char *name = shown_name(text ? text : "?");

	if (!is_new && strcmp(name, live->names[number]) == 0) {
		free(name);
		return;
	}
	if (!is_new)
		free(live->names[number]);
	live->names[number] = name;
	name_pool_add(live->pool, name);
	cursor_bind_integer(put, ":function", number);
	cursor_bind_text(put, ":name", name);
	cursor_run(put);
}

/* Functions that cannot be told apart get separate numbers. */
static uint32_t number_of_function(struct live *live, struct cursor *from, bool *ret_new)
{
	static const char *const columns[] = {"full_name", "linkage_name", "module",
					      "file"};
	ended_by(strbuf_free) struct strbuf key = {0};
	uint32_t number;

	strbuf_printf(&key, "%" PRId64, cursor_integer(from, "line"));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const char *text = cursor_text(from, columns[i]);

		strbuf_printf(&key, "\n%s", text ? text : "");
	}
	for (;;) {
		number = intern_text(&live->functions, strbuf_text(&key), ret_new);
		if (*ret_new || live->function_looks[number] != live->look)
			break;
		strbuf_puts(&key, "\n+");
	}
	if (*ret_new) {
		live->names = xreallocarray(live->names, number + 1, sizeof(char *));
		live->function_looks =
			xreallocarray(live->function_looks, number + 1, sizeof(int64_t));
	}
	live->function_looks[number] = live->look;
	return number;
}

static int take_functions(struct reading *reading)
{
	struct live *live = reading->live;
	struct cursor *from = ask(reading, live_sql_functions);
	struct cursor *put = rundb_query(live->db, live_sql_put_function);
	struct cursor *put_at = rundb_query(live->db, live_sql_put_node_at);
	bool is_new;

	cursor_bind_integer(put_at, ":look", live->look);
	cursor_bind_integer(put_at, ":is_path", 0);
	while (cursor_next(from) > 0) {
		uint32_t number = number_of_function(live, from, &is_new);

		name_function(live, number, is_new, from, put);
		if (!reading->function_count)
			reading->first_function = cursor_integer(from, "function_id");
		ARRAY_ADD(reading->functions, reading->function_count) = number;
		cursor_bind_integer(put_at, ":number", number);
		cursor_bind_row(put_at, from, 7);
		cursor_run(put_at);
	}
	cursor_close(put);
	cursor_close(put_at);
	return cursor_finish(from);
}

static bool is_outermost(const struct live *live, uint32_t parent, uint32_t function)
{
	for (; parent; parent = live->paths[parent].parent)
		if (live->paths[parent].function == function)
			return false;
	return true;
}

/* The number of a function or path id of this look; UINT32_MAX: none. */
static uint32_t number_at(const uint32_t *numbers, size_t count, int64_t first,
			  int64_t id)
{
	return id >= first && (uint64_t)(id - first) < count ? numbers[id - first]
							     : UINT32_MAX;
}

static uint32_t path_at(const struct reading *reading, int64_t path_id)
{
	return number_at(reading->paths, reading->path_count, reading->first_path,
			 path_id);
}

static uint32_t number_of_path(struct live *live, uint32_t parent, uint32_t function,
			       int64_t kind, int64_t is_inlined, struct cursor *put)
{
	bool is_new;
	uint32_t number =
		1 + map_number(&live->path_map, (uint64_t)parent << 32 | function,
			       (uint64_t)kind << 1 | (is_inlined != 0), 0, &is_new);

	if (!is_new)
		return number;
	ARRAY_ADD(live->paths, live->path_count) = (struct live_path){parent, function};
	cursor_bind_integer(put, ":path", number);
	cursor_bind_integer(put, ":parent", parent);
	cursor_bind_integer(put, ":function", function);
	cursor_bind_integer(put, ":kind", kind);
	cursor_bind_integer(put, ":is_outermost", is_outermost(live, parent, function));
	cursor_run(put);
	return number;
}

static int take_paths(struct reading *reading)
{
	struct live *live = reading->live;
	struct cursor *from = ask(reading, live->is_of_process ? live_sql_paths_of_process
							       : live_sql_paths);
	struct cursor *put = rundb_query(live->db, live_sql_put_path);
	struct cursor *put_at = rundb_query(live->db, live_sql_put_node_at);

	cursor_bind_integer(put_at, ":look", live->look);
	cursor_bind_integer(put_at, ":is_path", 1);
	while (cursor_next(from) > 0) {
		uint32_t function = number_at(reading->functions, reading->function_count,
					      reading->first_function,
					      cursor_integer(from, "function_id"));
		uint32_t parent =
			cursor_is_null(from, "parent_path_id")
				? 0
				: path_at(reading,
					  cursor_integer(from, "parent_path_id"));
		uint32_t number = UINT32_MAX;

		if (function != UINT32_MAX && parent != UINT32_MAX)
			number = number_of_path(live, parent, function,
						cursor_integer(from, "kind"),
						cursor_integer(from, "is_inlined"), put);
		if (!reading->path_count)
			reading->first_path = cursor_integer(from, "path_id");
		ARRAY_ADD(reading->paths, reading->path_count) = number;
		if (number == UINT32_MAX)
			continue;
		cursor_bind_integer(put_at, ":number", number);
		cursor_bind_row(put_at, from, 5);
		cursor_run(put_at);
	}
	cursor_close(put);
	cursor_close(put_at);
	return cursor_finish(from);
}

/* Takes rows that begin with a path id, or with first 0 those without one. */
static int take_rows(struct reading *reading, const char *select, const char *insert,
		     int first)
{
	struct cursor *from = ask(reading, select);
	struct cursor *put = rundb_query(reading->live->db, insert);

	cursor_bind_integer(put, ":look", reading->live->look);
	while (cursor_next(from) > 0) {
		uint32_t path =
			first ? path_at(reading, cursor_integer(from, "path_id")) : 0;

		if (path == UINT32_MAX)
			continue;
		if (first)
			cursor_bind_integer(put, ":path", path);
		cursor_bind_row(put, from, first);
		cursor_run(put);
	}
	cursor_close(put);
	return cursor_finish(from);
}

static void bind_known(struct cursor *cursor, const char *parameter, int64_t value)
{
	if (value >= 0)
		cursor_bind_integer(cursor, parameter, value);
}

static void take_threads(struct reading *reading)
{
	struct live *live = reading->live;

	for (size_t i = 0; i < reading->who.thread_count; i++) {
		const struct spool_thread *thread = &reading->who.threads[i];
		uint32_t path = thread->path_id ? path_at(reading, thread->path_id) : 0;
		char *name = shown_name(thread->name);
		struct cursor *put;

		if (!live->source.pid || thread->pid == live->source.inner_pid) {
			put = rundb_query(live->db, live_sql_put_thread_at);
			cursor_bind_integer(put, ":look", live->look);
			cursor_bind_integer(put, ":pid", thread->pid);
			cursor_bind_integer(put, ":tid", thread->tid);
			cursor_bind_text(put, ":name", name);
			bind_known(put, ":cpu_ns", thread->cpu_ns);
			bind_known(put, ":ready_ns", thread->ready_ns);
			cursor_bind_integer(put, ":path", path == UINT32_MAX ? 0 : path);
			cursor_run(put);
			cursor_close(put);
		}
		free(name);
	}
}

static void forget_old(struct live *live)
{
	static const char *const tables[] = {"node_at", "site_at", "io_at", "series_at",
					     "thread_at"};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char *sql = xasprintf(
			"DELETE FROM %s WHERE look < :last AND look <> :zero", tables[i]);
		struct cursor *cursor = live_query(live, sql);

		cursor_run(cursor);
		cursor_close(cursor);
		free(sql);
	}
}

/* Chooses the look to compare with: the one before, or older ones while they are within
 * the window. */
static void choose_last(struct live *live)
{
	live->looks_ns[live->look % LIVE_LOOKS_KEPT] = live->now_ns;
	live->last = live->look > 1 ? live->look - 1 : 1;
	while (live->last > 1 && live->look - live->last < LIVE_LOOKS_KEPT - 1 &&
	       live->now_ns - live->looks_ns[live->last % LIVE_LOOKS_KEPT] <
		       live->window_ns)
		live->last--;
	live->last_ns = live->look > 1 ? live->looks_ns[live->last % LIVE_LOOKS_KEPT] : 0;
}

static int take(struct reading *reading)
{
	struct live *live = reading->live;
	int result;

	live->look++;
	live->now_ns = ticks_monotonic_ns();
	choose_last(live);
	take_facts(reading);
	rundb_execute(live->db, "BEGIN");
	result = take_functions(reading);
	if (result == 0)
		result = take_paths(reading);
	if (result == 0)
		result = take_rows(reading, live_sql_sites, live_sql_put_site_at, 1);
	if (result == 0)
		result = take_rows(reading, live_sql_io, live_sql_put_io_at, 1);
	if (result == 0)
		result = take_rows(reading, live_sql_series, live_sql_put_series_at, 0);
	take_threads(reading);
	if (live->look == 1) {
		live->zero = 1;
		live->zero_ns = live->now_ns;
	}
	forget_old(live);
	rundb_execute(live->db, "COMMIT");
	return result < 0 ? -EIO : 0;
}

int live_look(struct live *live)
{
	struct reading reading = {.live = live};
	int result = -EIO;

	if (open_run(&reading)) {
		result = take(&reading);
		rundb_close(reading.db);
	}
	free(reading.who.threads);
	free(reading.functions);
	free(reading.paths);
	return result;
}
