/* SPDX-License-Identifier: MIT */
/*
 * State of a live view, shared by screens, frames, the log and the terminal. A look
 * reads the whole run as reports do, and puts its numbers into tables in memory
 * (live.sql). Screens show differences between looks.
 */
#pragma once

#include "analyzer/live/source.h"
#include "analyzer/names/name_pool.h"
#include "analyzer/rundb/rundb.h"
#include "common/base/map.h"

struct screen; /* show.h */

#define LIVE_FILTER_MOST 200
#define LIVE_LOOKS_KEPT 8

struct live_path {
	uint32_t parent, function; /* parent 0: a root */
};

/* As of the last look. */
struct live_facts {
	uint32_t process_count, living_count;
	int32_t pid;	   /* first of the shown processes */
	int32_t first_pid; /* first that lives, to which commands go; 0: none */
	char *program;	   /* owned; NULL: not known */
	int64_t run_ns, live_bytes;
	double overhead_percent; /* 0: no budget */
	bool is_over;		 /* all have ended */
};

struct live {
	struct source source;
	struct rundb *db; /* the tables */
	struct live_facts facts;
	/* Numbers of looks from 1: the latest, the one it is compared with (the look
	 * before, or the latest one older than the window), and the zero point. */
	int64_t look, last, zero;
	uint64_t window_ns;		    /* 0: compare with the look before */
	uint64_t looks_ns[LIVE_LOOKS_KEPT]; /* times of looks, a ring by number */
	uint64_t now_ns, last_ns, zero_ns;

	const struct screen *screen;
	bool is_since_zero; /* compare with the zero point */
	bool is_of_process; /* only one of several processes is shown */
	int sort;	    /* column of the screen; -1: its own */
	bool is_reversed;
	char filter[LIVE_FILTER_MOST + 1]; /* "": all */
	uint32_t zoom;			   /* path, 0: all */

	struct intern
		functions; /* functions by what identifies them; gives their numbers */
	char **names;	   /* names of functions, cleaned */
	int64_t *function_looks; /* the look in which each function was last seen */
	struct map path_map;
	struct live_path *paths; /* by number; [0] is the root above all */
	size_t path_count;
	struct name_pool *pool;
};

/* Initializes a view; takes the source. */
void live_init(struct live *live, struct source *source, const struct screen *screen);
void live_done(struct live *live);
/* Continues with another run in the same view; takes the source. */
void live_follow(struct live *live, struct source *source);

/* Reads the run as it is now. -EIO: it cannot be read any more. */
int live_look(struct live *live);
/* Whether the chosen process lives; for a run, its first process. */
bool live_goes_on(const struct live *live);
/* Sets the zero point to now. */
void live_set_zero(struct live *live);
/* How many seconds the screens cover; 0: none yet. */
double live_span_s(const struct live *live);
/* Starts a query on the tables with the looks and the selection bound. */
struct cursor *live_query(const struct live *live, const char *sql);

/* What the whole program did in a span, for the heads of frames and of the log. */
struct live_totals {
	double span_s;
	double computing, ready; /* threads, on average */
	double calls_per_s, allocs_per_s, alloc_bytes_per_s;
	size_t thread_count; /* living threads */
};

struct live_totals live_totals(const struct live *live);
/* Sets ret to the path's names, from the outermost (below the zoom) on, as a COLUMN_CHAIN
 * cell. */
void live_chain(const struct live *live, uint32_t path, struct strbuf *ret);

/* A series of looks and their cost, for the log, frames and the terminal. */
struct top {
	struct live live;
	const char *word;  /* as the user named it */
	unsigned every_ms; /* between two looks, as asked for */
	long count;	   /* number of looks; 0: until the program ends */
	uint64_t began_ns; /* start of the last look, by CLOCK_MONOTONIC */
	uint64_t cost_ns;  /* recent CPU time of a look and all that is shown of it */
};

/* Looks once and measures the cost. -EIO: it cannot be read any more. */
int top_look(struct top *top);
/* Adds the cost of showing it. began_ns: top_cpu_ns() before. */
void top_add_cost(struct top *top, uint64_t began_ns);
uint64_t top_cpu_ns(void);
/* How long to wait for the next look: until every_ms after the start of the last one, or
 * longer so that looking takes at most a 20th of a CPU. */
unsigned top_pause_ms(const struct top *top);
