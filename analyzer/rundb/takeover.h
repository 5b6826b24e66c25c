/* SPDX-License-Identifier: MIT */
/*
 * What is done about the spool beside a run.db before it is read: wait for a collector
 * that is writing, recover a run whose collector died, read a run that is still being
 * recorded.
 */
#pragma once

#include "analyzer/rundb/rundb.h"

struct takeover_talk {
	/* A sentence for the user. */
	void (*say)(void *context, const char *sentence);
	/* What is being waited for, called again and again; NULL: it is over. May be
	 * NULL itself when nobody is there to watch. */
	void (*progress)(void *context, const char *what, unsigned waited_ms);
	void *context;
	const char *run; /* that was asked for by --run; NULL: none was */
	bool no_wait;	 /* for collectors and locks: take what there is */
};

/* Opens path after the spool beside it has been dealt with. want_latest: the user did
 * not ask for an earlier run, so a living one is read (rundb_live()). Returns as
 * rundb_open(). */
int takeover_open(const char *path, bool want_latest, const struct takeover_talk *talk,
		  struct rundb **ret_db, struct strbuf *error);
