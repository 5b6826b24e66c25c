/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: does to a sound run.db what its owner could do with
 *                SQL, and then shows it and stores a run into it.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      collector/store/guard.h; analyzer/rundb/limits.h; fuzz_rundb.c,
 * damage below SQL
 *
 * An input is a list of 12-byte changes: 1 byte which of the patterns below, 1 byte each
 * for its object, column and value, and the rest as a number. Nothing is checked while
 * they are made (PRAGMA writable_schema).
 */
#include <sqlite3.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/ingest/ingest.h"
#include "collector/store/store.h"
#include "tests/fuzz/fuzz_sql.h"
#include "tests/unit/collector/make_segment.h"

#define CHANGE_BYTES 12
#define CHANGES 12
#define ATTACK_LOOKS 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const objects[] = {
	"run",		 "process",	   "lane",	     "thread",
	"module",	 "function",	   "path",	     "path_lane",
	"mode",		 "edge",	   "lock",	     "lock_wait",
	"site",		 "target",	   "transfer",	     "snapshot",
	"snapshot_site", "snapshot_path",  "snapshot_free",  "step",
	"counter",	 "setting",	   "resource",	     "gpu_sample",
	"series",	 "series_extreme", "series_span",    "trust",
	"storing",	 "runs",	   "processes",	     "functions",
	"call_paths",	 "recordings",	   "call_edges",     "allocation_sites",
	"snapshots",	 "snapshot_sites", "snapshot_paths", "steps",
	"counters",	 "settings",	   "step_totals",    "resources",
	"gpu",		 "sqlite_stat1",   "mine",	     "stall",
};
static const char *const columns[] = {
	"run_id",   "process_id",  "path_id",	  "parent_path_id", "function_id",
	"depth",    "kind",	   "calls",	  "total_ns",	    "self_ns",
	"name",	    "label",	   "token",	  "touched",	    "file",
	"line",	    "alloc_count", "alloc_bytes", "live_bytes",	    "snapshot_id",
	"until_id", "time_ns",	   "value",	  "number",	    "series_id",
	"lane_id",  "site_id",	   "wall_ns",	  "command",	    "started_utc",
	"pid",	    "text",	   "rowid",	  "histogram",
};
static const char *const values[] = {
	"0",
	"-1",
	"NULL",
	"9223372036854775807",
	"-9223372036854775808",
	"'x'",
	"''",
	"x'ff00'",
	"1e308",
	"9e999",
	"randomblob(300)",
	"printf('%.*c', 70000, '(')",
	"char(27, 0x202e, 10)",
	"rowid",
	"-rowid",
	"rowid + 1",
	"run_id",
	"1",
	"2",
	"(SELECT MAX(rowid) FROM path)",
	"zeroblob(1000000)",
	"'0123456789abcdef'",
};
/* $o object, $c column, $v value, $n number */
static const char *const patterns[] = {
	"UPDATE $o SET $c = $v",
	"UPDATE $o SET $c = $n",
	"UPDATE $o SET $c = $v WHERE rowid % 3 = $n % 3",
	"DELETE FROM $o",
	"DELETE FROM $o WHERE rowid % 2",
	"INSERT OR IGNORE INTO $o SELECT * FROM $o",
	"DROP TABLE $o",
	"DROP VIEW $o",
	"CREATE VIEW $o AS SELECT $v AS $c",
	"CREATE VIEW $o AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
	"FROM n) SELECT i AS $c, i AS run_id FROM n",
	"CREATE VIEW $o AS SELECT a.* FROM path a, path b, path c, path d, path e, "
	"path f",
	"CREATE TRIGGER t$n AFTER INSERT ON $o BEGIN INSERT INTO trust SELECT "
	"a.run_id, 1, 'x', 1, 'y' FROM trust a, trust b; END",
	"CREATE TRIGGER u$n BEFORE DELETE ON $o BEGIN SELECT "
	"randomblob(100000000); "
	"END",
	"CREATE INDEX i$n ON $o($c)",
	"CREATE INDEX j$n ON $o(printf('%.*c', 10000000, 'x'))",
	"ALTER TABLE $o ADD COLUMN extra AS (printf('%.*c', 1000000000, 'x'))",
	"ALTER TABLE $o RENAME COLUMN $c TO renamed",
	"ALTER TABLE $o RENAME TO mine",
	"CREATE TABLE $o ($c, run_id)",
	"UPDATE sqlite_master SET sql = replace(sql, 'SELECT', 'SELECT DISTINCT') WHERE "
	"name = '$o'",
	"UPDATE sqlite_master SET sql = $v WHERE name = '$o'",
	"UPDATE sqlite_master SET rootpage = $n % 90 WHERE name = '$o'",
	"UPDATE sqlite_master SET tbl_name = 'run' WHERE name = '$o'",
	"UPDATE sqlite_master SET type = 'view' WHERE name = '$o'",
	"INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = '$o'",
	"DELETE FROM sqlite_master WHERE name = '$o'",
	"INSERT INTO storing (run_id, token, touched, process_id, lane_id, thread_id, "
	"module_id, function_id, path_id, site_id, snapshot_id, series_id) VALUES "
	"($n % 5, '$o', $v, 1, 1, 1, 1, 1, $n, 1, 1, 1)",
	"INSERT INTO path (path_id, run_id, parent_path_id, depth, function_id, kind, "
	"calls, total_ns, self_ns, raw_total_ns, raw_self_ns, min_ns, max_ns, "
	"alloc_count, alloc_bytes, live_bytes, at_peak_bytes) "
	"SELECT path_id + $n, run_id, path_id, depth + 1, function_id, "
	"kind, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, min_ns, max_ns, "
	"alloc_count, alloc_bytes, live_bytes, at_peak_bytes FROM path",
	"ANALYZE",
	"PRAGMA journal_mode = WAL",
	"PRAGMA user_version = $n",
	"PRAGMA encoding = 'UTF-16'",
	"UPDATE sqlite_stat1 SET stat = $v",
	"VACUUM",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct make_run run;
static struct make_file file;
static struct ingest ingest;
static uint8_t *sound;
static size_t sound_size;

static void read_sound(void)
{
	FILE *stream = fopen(run.output, "rbe");
	struct stat status;

	if (!stream || fstat(fileno(stream), &status) < 0)
		abort();
	sound_size = (size_t)status.st_size;
	sound = malloc(sound_size);
	if (!sound || fread(sound, 1, sound_size, stream) != sound_size)
		abort();
	fclose(stream);
}

static void end(void)
{
	ingest_done(&ingest);
	free(sound);
	make_file_free(&file);
	make_run_free(&run);
}

/* A run with calls, a site and a spool, and the file with that run in it. */
static void begin(void)
{
	static const struct ingest_watch nothing;
	struct segment_process *process;
	struct make_lane lane;
	char error[512];
	uint32_t slot, node;

	make_run(&run, MAKE_TOKEN);
	make_file(&file, &run, "100-1");
	process = make_process(&file, 100, MAKE_START, MAKE_START + 5000, &slot);
	make_lane(&lane, &file, process, slot);
	node = make_call(&lane, 1, 0x1000, 1, 1000);
	node = make_call(&lane, node, 0x2000, 5, 500);
	make_site(process, &lane, node, 2, 20, 1, 10);
	if (ingest_load(&ingest, &run.rundir, &nothing, error, sizeof(error)) < 0 ||
	    store_run(run.output, &ingest, NULL, NULL, error, sizeof(error)) < 0)
		abort();
	read_sound();
	atexit(end);
}

static int stop_attack(void *context)
{
	return ++*(int *)context > ATTACK_LOOKS;
}

/* Puts object, column, value and number in. */
static void expand(const char *pattern, const uint8_t *data, long long number, char *ret,
		   size_t size)
{
	size_t at = 0;

	for (; *pattern && at + 1 < size; pattern++) {
		const char *word = "";
		char digits[32];

		if (*pattern != '$') {
			ret[at++] = *pattern;
			continue;
		}
		snprintf(digits, sizeof(digits), "%lld", number);
		switch (*++pattern) {
		case 'o':
			word = objects[data[1] % COUNT(objects)];
			break;
		case 'c':
			word = columns[data[2] % COUNT(columns)];
			break;
		case 'v':
			word = values[data[3] % COUNT(values)];
			break;
		default:
			word = digits;
		}
		at += (size_t)snprintf(ret + at, size - at, "%s", word);
	}
	ret[at < size ? at : size - 1] = 0;
}

static void make_changes(const uint8_t *data, size_t size)
{
	struct sqlite3 *db;
	int looks = 0, off;

	if (sqlite3_open(run.output, &db) != SQLITE_OK)
		abort();
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, &off);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 2 << 20);
	sqlite3_progress_handler(db, 1000, stop_attack, &looks);
	sqlite3_exec(db,
		     "PRAGMA writable_schema = ON; PRAGMA synchronous = OFF;"
		     "PRAGMA max_page_count = 2000",
		     NULL, NULL, NULL);
	for (int i = 0; i < CHANGES && size >= CHANGE_BYTES; i++) {
		char sql[1024];
		long long number;

		memcpy(&number, data + 4, sizeof(number));
		number = data[0] & 0x80 ? number : (long long)((uint64_t)number % 1000);
		looks = 0;
		expand(patterns[data[0] % COUNT(patterns)], data, number, sql,
		       sizeof(sql));
		sqlite3_exec(db, sql, NULL, NULL, NULL);
		data += CHANGE_BYTES;
		size -= CHANGE_BYTES;
	}
	sqlite3_close(db);
}

static void store(uint64_t token)
{
	char error[512] = "";

	ingest.run.page.token = token;
	if (store_run(run.output, &ingest, NULL, NULL, error, sizeof(error)) < 0 &&
	    !*error)
		abort();
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
	char path[160];
	double began;
	int fd;

	if (!sound)
		begin();
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", run.output, suffixes[i]);
		unlink(path);
	}
	fd = open(run.output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, sound, sound_size) != (ssize_t)sound_size)
		abort();
	close(fd);
	make_changes(data, size);
	began = cpu_seconds();
	fuzz_sql_show(run.output, size ? data[size / 2] + size : 0);
	store(size & 1 ? MAKE_TOKEN : 7);
	if (cpu_seconds() - began > 5)
		abort(); /* a hang */
	return 0;
}
