/* SPDX-License-Identifier: MIT */
/* What is said when a database cannot be written. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>

#include "collector/database/held.h"
#include "collector/store/ids.h"

/* What the connection says is of its last call, which may be another one. */
static const char *message_of(const struct store *store, int code)
{
	return store->db && (sqlite3_errcode(store->db) & 0xff) == (code & 0xff)
		       ? sqlite3_errmsg(store->db)
		       : sqlite3_errstr(code);
}

int store_fail(const struct store *store, int code, char *error, size_t error_size)
{
	const char *path = store->shown;

	switch (code & 0xff) {
	case SQLITE_NOTADB:
		snprintf(error, error_size,
			 "%s is not an SQLite database; move it away or name another "
			 "output (-o, PROFSHIM_OUTPUT)",
			 path);
		return -EINVAL;
	case SQLITE_CORRUPT:
		snprintf(error, error_size, "%s is damaged; move it away", path);
		return -EINVAL;
	case SQLITE_FULL:
		snprintf(error, error_size, "no space left on the disk of %s", path);
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		if (store->waited_ms < 1000)
			snprintf(error, error_size, "%s is locked by another program",
				 path);
		else
			snprintf(error, error_size,
				 "%s has been locked by another program for %u s", path,
				 store->waited_ms / 1000);
		return -EBUSY;
	case SQLITE_NOMEM:
		snprintf(error, error_size, "out of memory while writing %s", path);
		return -ENOMEM;
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		if (*held_refusal())
			snprintf(error, error_size, "cannot write %s: %s", path,
				 held_refusal());
		else
			snprintf(error, error_size,
				 "cannot write %s: %s; is its directory writable?", path,
				 message_of(store, code));
		return -EACCES;
	default:
		snprintf(error, error_size, "cannot write %s: %s", path,
			 message_of(store, code));
		return -EIO;
	}
}
