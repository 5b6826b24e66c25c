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
	/* Called repeatedly while something is waited for; what NULL: the wait is over.
	 * May be NULL if nobody watches. */
	void (*progress)(void *context, const char *what, unsigned waited_ms);
	void *context;
	const char *run; /* as given by --run, or NULL */
	bool no_wait;	 /* for collectors and locks: take what there is */
};

/* Opens path after dealing with the spool beside it. want_latest: the user did not
 * ask for an earlier run, so a running one is read (rundb_live()). Returns like
 * rundb_open(). */
int takeover_open(const char *path, bool want_latest, const struct takeover_talk *talk,
		  struct rundb **ret_db, struct strbuf *error);
