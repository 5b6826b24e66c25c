/* SPDX-License-Identifier: MIT */
/*
 * A report is a function that fills a document. Most are an .sql file run by the engine;
 * analyzer/reports/sql/README.md says how to add one.
 */
#pragma once

#include "common/base/command.h"
#include "common/base/text.h"
#include "analyzer/document/doc.h"
#include "analyzer/tree/filter.h"
#include "analyzer/rundb/hooks.h"
#include "analyzer/rundb/rundb.h"

/* The user's options; strings are NULL when not given. */
struct report_options {
	const char *argument;	    /* FUNC, QUERY or A */
	const char *other_argument; /* B */
	const char *program;	    /* doctor --program */
	const char *until;	    /* delta */
	const char *by;		    /* components, delta, compare */
	const char *process;	    /* PID or #PROCESS_ID */
	const char *suppressions;   /* a file */
	const char *rules;	    /* a file */
	const char **sources;	    /* directories of sources */
	size_t source_count;
	const char **renames; /* OLD=NEW, functions of the two sides */
	size_t rename_count;
	const char *focus, *ignore, *thread, *sort;
	const char *before, *after;	      /* compare: runs of the sides */
	const char *limits, *fail_on;	      /* what a gate checks */
	const char *credentials;	      /* push: a file */
	const char *from, *to;		      /* times since the run began */
	const char *metric, *snapshot, *diff; /* flame graphs; diff is a file */
	unsigned width;			      /* of a picture, in pixels */
	bool run_is_chosen;		      /* by --run */
	long limit;			      /* -1: the report's own limit */
	double min_share;		      /* percent; negative: the report's own */
	bool raw, unfold, inlined, fold_library, unfold_threads;
	bool show_sql, list_rules; /* bottlenecks */
	bool machine;		   /* json or csv: nothing is left out unless asked for */
	bool page;		   /* html: room for many rows */
	unsigned every_ms;	   /* top: time between looks; 0: the default */
	long top, count;	   /* top; 0: not given */
	const char *view;	   /* top */
	const char *archive;	   /* TAKES_FILES: the file that the words are about */
	const char **files;	   /* and those behind it */
	size_t file_count;
	const char **tags; /* NAME=VALUE */
	size_t tag_count;
	bool profile, timeline;	    /* export: all of a run, not one metric */
	const struct report *lines; /* export: this .sql file; NULL: none */
};

enum report_takes {
	TAKES_RUN = 1u << 0, /* works on one run */
	TAKES_LIMIT = 1u << 1,
	TAKES_SORT = 1u << 2,
	TAKES_FILTER = 1u << 3, /* --focus, --ignore */
	TAKES_THREAD = 1u << 4,
	TAKES_RAW = 1u << 5,
	TAKES_TREE = 1u << 6, /* --min-share, --unfold, --fold-library */
	TAKES_PROGRAM = 1u << 7,
	TAKES_NO_DATABASE = 1u << 8, /* the database may be left out */
	TAKES_EMPTY = 1u << 9,	     /* works on a file without a run (run_id 0), too */
	TAKES_SIDES = 1u << 10,	     /* several databases, perhaps in two sides */
	TAKES_MANY = 1u << 18,	     /* a word, then several databases */
	TAKES_PUSH = 1u << 23,	     /* --credentials */
	TAKES_GATE = 1u << 11,	     /* --gate METRIC=..., --fail-on, --format junit */
	TAKES_DELTA = 1u << 12,	     /* --until */
	TAKES_BY = 1u << 22,	     /* --by */
	TAKES_PROCESS = 1u << 13,
	TAKES_SUPPRESSIONS = 1u << 14,
	TAKES_ONLY_WORDS = 1u << 15, /* two words, and no database */
	TAKES_FLAME = 1u << 20,	     /* --metric, --snapshot, --diff, --before, --after,
				      * --fold-library */
	TAKES_PICTURE = 1u << 21,    /* --width, --min-share, --unfold-threads */
	TAKES_INLINED = 1u << 19,    /* --inlined */
	TAKES_SHARE = 1u << 24,	     /* --min-share, of rows */
	TAKES_RULES = 1u << 16,	     /* --rules */
	TAKES_LIVE = 1u << 28,	     /* --every, --count, --top, --view */
	TAKES_CLIENT = 1u << 26,     /* no document: it answers a client; no build */
	TAKES_SOURCE = 1u << 30,     /* --source, of a page */
	TAKES_MAYBE = 1u << 31,	     /* arguments may be left out */
	TAKES_RANGE = 1u << 27,	     /* --from, --to */
	TAKES_ARCHIVE = 1u << 25,    /* its database is an archive; --tag */
	TAKES_FILES = 1u << 29, /* a word, an archive and files, which it opens; --tag */
	TAKES_GROWTH = 1ull << 32, /* --fail-on METRIC ~ LAW, --format junit */
	TAKES_FINDINGS = 1u << 17, /* --show-sql, --list-rules, --fail-on, sarif */
};

struct calltree;
struct compare_state;
struct report_part; /* analyzer/reports/engine/engine.h */

/* The run in numbers: the row of facts.sql, whose columns queries find bound as :calls
 * and so on. Zeroed: of no run. */
struct run_facts {
	struct table *row;
	struct hooks hooks;
};

struct report_input {
	struct rundb *db;      /* NULL when none was given */
	struct rundb *diff_db; /* --diff */
	int64_t run_id;
	/* TAKES_SIDES: all databases; how many come before "--", 0: no "--". */
	struct rundb **databases;
	size_t database_count, before_databases;
	const struct report_options *options;
	struct run_facts facts; /* loaded by report_open() */
	struct filter filter;
	struct name_pool *names; /* names of all functions, for people; else NULL */
	struct calltree *tree;	 /* set by report_call_tree() on first use */
	struct compare_state *compared; /* of compare, while its queries run */
	/* Opens a recording as the commands do, waiting for its collector. */
	struct rundb *(*open)(struct report_input *input, const char *path);
	const void *request; /* of the program, for open */
	struct strbuf error; /* one sentence when the status is not 0 */
};

struct report {
	const char *name;
	const char *argument;	    /* "FUNC", "QUERY" or NULL */
	const char *other_argument; /* a second one, or NULL */
	const char *by;	     /* words that --by accepts, between spaces; NULL: any */
	const char *summary; /* for the list of commands */
	const char *description;
	const char *example;
	/* Its only format for other programs (export/); NULL: see --format. */
	const char *format;
	uint64_t takes; /* enum report_takes */
	/* For engine_build(): the parts of an .sql file. */
	const struct report_part *parts;
	size_t part_count;
	/* Fills the document. With STATUS_NOTHING and STATUS_REGRESSION there is a
	 * document, too; after other failures input->error is set. */
	enum exit_status (*build)(struct report_input *input, struct doc *doc);
	/* Used instead by commands that show their output themselves while they run;
	 * fails with input->error. */
	enum exit_status (*serve)(struct report_input *input);
};

extern const struct report *const report_registry[];
extern const size_t report_registry_count;
/* Exports that are .sql files, with a row for each line; ends with NULL. */
extern const struct report *const report_exports[];

/* Declares report_NAME. */
#define SQL_REPORT REPORT
#define SQL_PART REPORT
#define SQL_EXPORT REPORT
#define REPORT(name) extern const struct report report_##name;
#include "analyzer/reports/registry.def"
#undef REPORT
#undef SQL_EXPORT
#undef SQL_PART
#undef SQL_REPORT
