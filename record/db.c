/* SPDX-License-Identifier: MIT */
/*
 * Opening run.db for prof-record's few questions. Must not create the file, or believe
 * what stands in its schema.
 */
#include "record/db.h"

#include <errno.h>
#include <sqlite3.h>

int record_db_open(struct record_db *ret, const char *path, enum guard_use use,
		   int busy_ms)
{
	enum held_use held = use == GUARD_READ ? HELD_READ : HELD_WRITE;
	int flags = use == GUARD_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	char reason[512];
	int is_valid = 0, code, result;

	*ret = (struct record_db){.file.directory_fd = -1};
	result = held_find(path, held, &ret->file, reason, sizeof(reason));
	if (result < 0)
		return result;
	code = held_connect(&ret->file, NULL, flags, &ret->db);
	if (code == SQLITE_OK) {
		guard_connection(ret->db, use);
		sqlite3_busy_timeout(ret->db, busy_ms);
		code = guard_schema(ret->db, use, &is_valid, reason, sizeof(reason));
	}
	if (code == SQLITE_OK && is_valid)
		return 0;
	record_db_close(ret);
	return -EINVAL;
}

void record_db_close(struct record_db *db)
{
	sqlite3_close(db->db);
	db->db = NULL;
	held_done(&db->file);
}
