/* SPDX-License-Identifier: MIT */
/*
 * The result of a report: ordered sections that any format can draw.
 *
 * Section names are the keys of the json document; titles are for people.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/document/timeline.h"
#include "analyzer/model/table.h"
#include "analyzer/tree/flame.h"
#include "analyzer/tree/profile.h"
#include "common/base/xalloc.h"

/*
 * Source lines with what was measured on them, by file. Must not know where files are,
 * or formats.
 */

/* A mark of one line: a function that begins there, or what the line allocated. */
struct source_mark {
	uint32_t line;
	const char *function; /* NULL: the line allocated */
	bool has_time;
	int64_t self_ns, self_error_ns, calls;
	int64_t alloc_bytes, alloc_count;
};

struct source_line {
	uint32_t number;
	const char *text;
};

struct source_file {
	const char *recorded;	   /* its name in the recording */
	const char *found;	   /* the file that was taken for it; NULL: none */
	const char *trouble;	   /* why its lines are missing; NULL: they are there */
	bool is_newer;		   /* changed after the run began */
	struct source_mark *marks; /* sorted by line once lines are read */
	size_t mark_count;
	struct source_line *lines; /* ascending, with gaps */
	size_t line_count;
};

struct source_view {
	const char *about; /* sentences on what is shown and what was left out */
	struct source_file *files;
	size_t file_count;
	struct arena texts; /* not cleaned */
};

/* The file of this recorded name, created if needed; borrowed until the next call. */
struct source_file *source_view_file(struct source_view *view, const char *recorded);
/* A new mark, borrowed until the next. */
struct source_mark *source_file_mark(struct source_file *file, uint32_t line);
/* Copies the text of size bytes. */
void source_file_line(struct source_view *view, struct source_file *file, uint32_t number,
		      const char *text, size_t size);
struct findings;  /* analyzer/findings/finding.h */
struct name_pool; /* analyzer/names/name_pool.h */

enum section_kind {
	SECTION_NOTE,	/* a sentence, perhaps with advice */
	SECTION_VALUES, /* names and values */
	SECTION_TABLE,	/* a table, or a tree when it has a depth column */
	SECTION_PLOT,	/* numbers over time, drawn small */
	SECTION_FINDINGS,
	SECTION_LANES, /* for people: what happened side by side over time */
};

enum note_level { NOTE_PLAIN, NOTE_GOOD, NOTE_WARNING };

enum section_flag {
	SECTION_MACHINE = 1u << 0, /* json only */
	SECTION_HUMAN = 1u << 1,   /* text and md only */
	SECTION_MAIN = 1u << 2,	   /* the table that csv shows */
	SECTION_STACK = 1u << 3, /* table: when narrow, the name gets a line of its own */
	/* table with the columns check, result, failed, message: junit shows it */
	SECTION_CHECKS = 1u << 4,
	SECTION_BRIEF = 1u << 5, /* findings: only the most important lines of each */
	SECTION_SQL = 1u << 6,	 /* findings: with the query that proves each */
	SECTION_GATE = 1u << 7,	 /* findings: a build may fail because of these */
	SECTION_VERBATIM =
		1u << 8,	/* note: will be copied, so it must stay in one line */
	SECTION_PAGE = 1u << 9, /* with SECTION_MACHINE: html shows it, too */
	/* values: machine values with a title are parts of a whole; html draws them
	 * instead of what people see elsewhere */
	SECTION_PARTS = 1u << 10,
	SECTION_TIGHT = 1u << 11, /* no empty line above it */
	SECTION_NAMES = 1u << 12, /* table: names stay readable, other columns give way */
};

struct section_value {
	const char *name, *title;
	enum column_type type;
	unsigned flags; /* COLUMN_MACHINE, COLUMN_HUMAN */
	struct cell cell;
};

struct section {
	enum section_kind kind;
	const char *name;
	const char *title; /* NULL: none */
	unsigned flags;	   /* enum section_flag */
	int64_t about;	   /* the function that all of it is about; 0: none */
	/* note */
	enum note_level level;
	const char *text, *advice; /* advice may be NULL */
	/* values */
	struct section_value *values;
	size_t value_count;
	/* table */
	struct table *table;
	const char *depth_column; /* tree: 1 for roots; the rows are in tree order */
	const char *footer;	  /* what was left out, or NULL */
	size_t total_row_count;	  /* before limits */
	/* plot: values over [0, span_ns], or up to what `span` says */
	const char *span;
	enum column_type plot_type;
	double *points; /* NAN: nothing known at that time */
	size_t point_count;
	double peak;
	int64_t span_ns;
	/* lanes */
	struct lanes *lanes; /* owned */
	/* findings, in order of rank; the first shown_count are drawn */
	struct findings *findings;
	size_t shown_count;
};

struct doc {
	const char *report;
	struct section *sections;
	size_t section_count;
	struct flame *flame;	    /* for export/; NULL: nothing to draw or to export */
	struct profile *profile;    /* for formats that need it; else NULL */
	struct heap_course *heap;   /* the same */
	struct timeline *timeline;  /* the same; its texts are the profile's */
	struct source_view *source; /* of pages with --source; else NULL */
	struct arena texts;	    /* of titles, notes and values */
	struct name_pool *names;    /* names of functions, borrowed; or NULL */
};

void doc_init(struct doc *doc, const char *report);
void doc_free(struct doc *doc);
/* A copy that lives as long as the document. NULL stays NULL. */
const char *doc_copy(struct doc *doc, const char *text);

/* Each adds a section, borrowed until the next one is added. name and title must outlive
 * the document (see doc_copy()). */
struct section *doc_note(struct doc *doc, const char *name, enum note_level level,
			 const char *text, const char *advice);
struct section *doc_values(struct doc *doc, const char *name, const char *title);
/* Takes the table. */
struct section *doc_table(struct doc *doc, const char *name, const char *title,
			  struct table *table);
/* Takes points (malloc). */
struct section *doc_plot(struct doc *doc, const char *name, const char *title,
			 enum column_type type, double *points, size_t count);
/* Where a plot ends, for people. */
void doc_put_span(struct strbuf *ret, const struct section *section);

/* Takes lanes. */
struct section *doc_lanes(struct doc *doc, const char *name, const char *title,
			  struct lanes *lanes);

/* Takes the findings out of *findings, which becomes empty. */
struct section *doc_findings(struct doc *doc, const char *name, const char *title,
			     struct findings *findings, size_t shown_count);

/* Adds a value to a values section; text is copied. */
void doc_add(struct section *section, const char *name, const char *title,
	     enum column_type type, struct cell cell);
void doc_add_text(struct doc *doc, struct section *section, const char *name,
		  const char *title, const char *text);
/* The same, but only machines or only people see it. */
void doc_add_machine(struct section *section, const char *name, enum column_type type,
		     struct cell cell);
void doc_add_human(struct doc *doc, struct section *section, const char *title,
		   const char *text);
