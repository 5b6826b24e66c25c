/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what the files of rundb/ share.
 * Must not:      be included from anywhere else.
 */
#pragma once

#include "analyzer/base/strbuf.h"

#include <sqlite3.h>

struct rundb {
	sqlite3 *handle;
	char *path;
	struct strbuf error;
	int live_pid;
};

/* Turns a SQLite result into the database's error sentence and -errno. */
int rundb_fail(struct rundb *db, int code);
