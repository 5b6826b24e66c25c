/* SPDX-License-Identifier: MIT */
/*
 * What is watched, and how it is looked at: the state that screens, frames, the log and
 * the terminal share. A look reads the whole run as reports do, and leaves its numbers in
 * tables in memory (live.sql), from which screens ask for differences.
 */
#pragma once

#include "analyzer/live/source.h"
#include "analyzer/names/name_pool.h"
#include "analyzer/rundb/rundb.h"
#include "common/base/intern.h"
#include "common/base/map.h"

struct screen; /* show.h */

#define LIVE_FILTER_MOST 200
#define LIVE_LOOKS_KEPT 8

struct live_path {
	uint32_t parent, function; /* parent 0: a root */
};

/* Of the last look. */
struct live_facts {
	uint32_t process_count, living_count;
	int32_t pid;	   /* the first process of those that are shown */
	int32_t first_pid; /* of those that live, for commands to it; 0: none does */
	char *program;	   /* owned; NULL: not known */
	int64_t run_ns, live_bytes;
	double overhead_percent; /* 0: no budget */
	bool is_over;		 /* all have ended */
};

struct live {
	struct source source;
	struct rundb *db; /* the tables */
	struct live_facts facts;
	/* numbers of looks, from 1: the newest, the one that it is compared with, which
	 * is older than the window, and the zero point */
	int64_t look, last, zero;
	uint64_t window_ns;		    /* 0: it is the look before */
	uint64_t looks_ns[LIVE_LOOKS_KEPT]; /* by their numbers, going round */
	uint64_t now_ns, last_ns, zero_ns;

	const struct screen *screen;
	bool is_since_zero; /* else since the look before */
	bool is_of_process; /* there are others, which are not shown */
	int sort;	    /* column of the screen; -1: its own */
	bool is_reversed;
	char filter[LIVE_FILTER_MOST + 1]; /* "": all */
	uint32_t zoom;			   /* path, 0: all */

	struct intern functions; /* by what tells them apart; their numbers */
	char **names;		 /* of functions, as they can be shown */
	int64_t *function_looks; /* in which they were seen last */
	struct map path_map;
	struct live_path *paths; /* by number; [0] is the root above all */
	size_t path_count;
	struct name_pool *pool;
};

/* Takes the source. */
void live_init(struct live *live, struct source *source, const struct screen *screen);
void live_done(struct live *live);
/* Shows another run in the same way. Takes the source. */
void live_follow(struct live *live, struct source *source);

/* Reads the run as it is now. -EIO: nothing can be read any more. */
int live_look(struct live *live);
/* Does the process live that was asked for, or of a run the first that did? */
bool live_goes_on(const struct live *live);
/* From now on there is a zero point. */
void live_set_zero(struct live *live);
/* What the screens show is of so many seconds; 0: of none. */
double live_span_s(const struct live *live);
/* A query of the tables, with the looks and what is chosen bound. */
struct cursor *live_query(const struct live *live, const char *sql);

/* What all of a program did in a span: the head of frames and of the log. */
struct live_totals {
	double span_s;
	double computing, ready; /* threads, on the average */
	double calls_per_s, allocs_per_s, alloc_bytes_per_s;
	size_t thread_count; /* that live */
};

struct live_totals live_totals(const struct live *live);
/* The path's names from the outermost (below the zoom) on, as a COLUMN_CHAIN cell has
 * them. */
void live_chain(const struct live *live, uint32_t path, struct strbuf *ret);

/* A look after the other, and what they cost: for the log, frames and the terminal. */
struct top {
	struct live live;
	const char *word;  /* as the user named it */
	unsigned every_ms; /* between two looks, as asked for */
	long count;	   /* looks; 0: until the program ends */
	uint64_t began_ns; /* the last look, by CLOCK_MONOTONIC */
	uint64_t cost_ns;  /* CPU time of a look with all that is shown, lately */
};

/* A look, and what it cost so far. -EIO: nothing can be read any more. */
int top_look(struct top *top);
/* What showing it cost in addition. began_ns: top_cpu_ns() before. */
void top_add_cost(struct top *top, uint64_t began_ns);
uint64_t top_cpu_ns(void);
/* How long to wait for the next look, which begins every_ms behind the last one, or
 * later: so that looking takes a 20th of a CPU at most. */
unsigned top_pause_ms(const struct top *top);
