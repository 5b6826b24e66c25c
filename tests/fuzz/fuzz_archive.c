/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: damages packed runs of an archive, reads them back
 *                and stores what comes out.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      analyzer/archive/pack.h, analyzer/archive/rows.h
 *
 * An input is a byte that says of what (bit 0: a difference from a reference; bit 1: the
 * rest is the packed run itself) and a list of 3-byte changes: 2 bytes where, 1 byte
 * what.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>

#include "analyzer/archive/pack.h"
#include "collector/store/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Some of every kind of value, and a tree. */
static const char made[] =
	"INSERT INTO run (run_id, token, label, complete, ticks_per_second, wall_ns) "
	"VALUES (1, 'abc', 'before', 1, 2.5e9, 12345678);"
	"INSERT INTO process VALUES (5, 1, NULL, 100, '/bin/app', 'ab12', 'app', 0, 100, "
	"0, "
	"NULL, 1, 0, 0, 0, 0, 0, NULL, NULL);"
	"INSERT INTO module VALUES (3, 1, '/bin/app', 'ab12', 'debug', NULL);"
	"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
	"INSERT INTO function (function_id, run_id, name, module_id, file, line, calls, "
	"total_ns, self_ns, raw_total_ns, raw_self_ns, alloc_count, alloc_bytes, "
	"recording, "
	"histogram) SELECT i + 10, 1, 'function_' || i, 3, 'a' || i % 3 || '.c', i * 7, "
	"i, "
	"i * 1000, i * 900, i * 1010, i * 910, 0, 0, 'exact', "
	"CASE WHEN i % 2 THEN x'0102030405' END FROM n;"
	"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
	"INSERT INTO path (path_id, run_id, parent_path_id, depth, function_id, kind, "
	"calls, "
	"total_ns, self_ns, raw_total_ns, raw_self_ns, alloc_count, alloc_bytes, "
	"live_bytes, "
	"at_peak_bytes) SELECT i, 1, CASE WHEN i > 1 THEN i / 2 END, 1 + i % 7, "
	"11 + i % 40, 0, i, i * 99, i * 90, i * 100, i * 91, 0, 0, 0, 0 FROM n;"
	"INSERT INTO trust VALUES (1, 5, 'hook_calls', 99, NULL), (1, NULL, 'tool', 1, "
	"'x');";
static const char changed[] =
	"UPDATE path SET self_ns = self_ns + 17, total_ns = total_ns + path_id % 5;"
	"DELETE FROM path WHERE path_id > 190;"
	"UPDATE function SET calls = calls + 1, name = name || 'b' WHERE function_id > "
	"45;";

static sqlite3 *database;
static struct rows reference, run;
static struct strbuf packed[2]; /* alone, and as a difference */

static void need(int code)
{
	if (code != SQLITE_OK)
		abort();
}

static void describe(struct rows *rows)
{
	*rows = (struct rows){0};
	need(rows_describe(rows, database));
}

static void begin(void)
{
	need(guard_open_memory(&database));
	need(sqlite3_exec(database, made, NULL, NULL, NULL));
	describe(&reference);
	need(rows_read(&reference, database, 1));
	need(sqlite3_exec(database, changed, NULL, NULL, NULL));
	describe(&run);
	need(rows_read(&run, database, 1));
	pack_write(&run, NULL, &packed[0]);
	pack_write(&run, &reference, &packed[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rows *from;
	struct strbuf bytes = {0};
	sqlite3 *target;
	struct rows rows;

	if (!database)
		begin();
	if (!size)
		return 0;
	from = data[0] & 1 ? &reference : NULL;
	if (data[0] & 2)
		strbuf_add(&bytes, (const char *)data + 1, size - 1);
	else
		strbuf_add(&bytes, packed[data[0] & 1].data, packed[data[0] & 1].size);
	for (size_t i = 1; i + 3 <= size && !(data[0] & 2); i += 3)
		bytes.data[(data[i] | (size_t)data[i + 1] << 8) % bytes.size] =
			(char)data[i + 2];
	describe(&rows);
	if (pack_read(&rows, from, strbuf_text(&bytes), bytes.size)) {
		need(guard_open_memory(&target));
		/* numbers that occur twice are refused by the tables */
		(void)rows_write(&rows, target, 7);
		sqlite3_close(target);
	} else if (size < 4 && !(data[0] & 2)) {
		abort(); /* nothing was changed */
	}
	rows_free(&rows);
	strbuf_free(&bytes);
	return 0;
}
