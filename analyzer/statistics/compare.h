/* SPDX-License-Identifier: MIT */
/*
 * Runs side by side: each function, call path and allocation site of any run once, with
 * its numbers in each run. Must not know SQL, or judge (compare_judge.h does).
 *
 * Use, in this order: compare_init(); for every run compare_add_function(); then
 * match_functions(); for every run compare_add_path() and compare_add_site(); then
 * compare_sum_owned() and match_sites(). Runs are numbered from 0, those of the side
 * before first.
 */
#pragma once

#include "common/base/map.h"
#include "common/base/text.h"
#include "common/quantities.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARE_NONE UINT32_MAX

/* The quantities of common/quantities.def that functions and paths have, in order.
 * Functions also have allocations made by themselves or on their behalf by libraries and
 * wrappers, so that strdup() counts for its caller: compare_sum_owned(). */
#define COMPARE_METRIC(OF, name, ...)                                                    \
	QUANTITY_WHEN(QUANTITY_IN_##OF(name, __VA_ARGS__))(COMPARE_##name, )
enum compare_metric {
	QUANTITIES(COMPARE_METRIC, COMPARED) COMPARE_QUANTITIES,
	/* The hooks' part in ns: what was subtracted from self_ns, or would have been for
	 * calls that were not timed. */
	COMPARE_HOOKS = COMPARE_QUANTITIES,
	/* The error of self_cpu_ns: self_error_ns without the error from waits. */
	COMPARE_CPU_ERROR,
	COMPARE_PATH_METRICS,
	COMPARE_OWN_COUNT = COMPARE_PATH_METRICS,
	COMPARE_OWN_BYTES,
	COMPARE_FUNCTION_METRICS
};
enum compare_site_metric {
	COMPARE_SITE_alloc_count,
	COMPARE_SITE_alloc_bytes,
	COMPARE_SITE_live_bytes,
	COMPARE_SITE_at_peak_bytes,
	COMPARE_SITE_METRICS
};

/* The numbers of all subjects of one kind. */
struct compare_series {
	int64_t *values;
	size_t metric_count, run_count, count;
};

enum compare_presence {
	COMPARE_BEFORE = 1, /* recorded in some run of this side */
	COMPARE_AFTER = 2,
	COMPARE_BOTH = 3,
};

struct compare_function {
	const char *name; /* as on the later side; texts live as long as the comparison */
	const char *full_name;			  /* demangled, with all it has */
	const char *linkage_name, *module, *file; /* NULL: not known */
	/* As on the side before; NULL: not there or not known. */
	const char *name_before, *full_before, *linkage_before, *file_before;
	const char *component;		  /* from a map or the program; NULL: none */
	uint32_t line_before, line_after; /* of the definition; 0: not known */
	uint32_t merged_into; /* function it became part of, or its own number */
	uint8_t presence;     /* enum compare_presence */
	uint8_t hooked;	      /* the sides on which its calls were counted */
	/* The sides on which some calls were not timed; and those on which its self time
	 * is what such callees left. */
	uint8_t estimated, holder;
	bool is_renamed; /* joined by the user */
	bool is_library;
	/* Set by the caller: a call of libc that waits or moves data; a function that
	 * allocates for its callers. */
	bool is_libc;
};

struct compare_path {
	uint32_t parent; /* COMPARE_NONE: root */
	uint32_t function;
	uint8_t presence;
	/* Path of an estimated function, which other recordings of the same calls may not
	 * have; nothing is below it. */
	bool is_left_out;
	uint32_t call_line; /* in the caller's file; 0: not known; set by the caller */
};

struct compare_site {
	uint32_t path;
	uint32_t owner;			  /* the function that asked for the memory */
	const char *file;		  /* NULL: not known */
	uint32_t line_before, line_after; /* of the call; 0: not known */
	int32_t offset;			  /* from the owner's definition */
	uint32_t merged_into;
	uint8_t presence;
	bool is_definition; /* line: the owner's, as that of the call is not known */
	bool is_at_home;    /* in its owner's file, whatever that is called */
};

struct comparison {
	size_t before_count; /* runs */
	struct compare_function *functions;
	struct compare_path *paths;
	struct compare_site *sites;
	struct compare_series function_values, path_values, site_values;
	struct intern function_keys, texts;
	struct map path_keys, place_keys, site_keys;
};

/* A function as one run has it. module: the base name, "" for the program itself. */
struct compare_function_row {
	/* full_name: NULL: as name. */
	const char *name, *full_name, *linkage_name, *module, *build_id, *file,
		*component;
	uint32_t line;
	bool is_hooked, is_library, is_estimated, is_holder;
	int64_t values[COMPARE_FUNCTION_METRICS];
};

/* Whether all runs timed each call, or both sides took its self time in the same way. */
bool compare_is_alike(const struct compare_function *function);

void compare_init(struct comparison *comparison, size_t before_count, size_t after_count);

/* These return the subject's number. Numbers of one subject in one run add up. */
uint32_t compare_add_function(struct comparison *comparison, size_t run,
			      const struct compare_function_row *row);
/* parent: the number of another path, or COMPARE_NONE. Recursion is folded: if the
 * function is on the path already, that path is returned. */
uint32_t compare_add_path(struct comparison *comparison, size_t run, uint32_t parent,
			  uint32_t function, const int64_t *values);
/* Gives a path's own time, which values has, to a path above it, and to that one's
 * function. */
void compare_give_time(struct comparison *comparison, size_t run, uint32_t path,
		       uint32_t above, const int64_t *values);
/* Of the row path, owner, file and is_definition count. */
uint32_t compare_add_site(struct comparison *comparison, size_t run,
			  const struct compare_site *row, uint32_t line,
			  const int64_t *values);

/* Sums what functions asked for over all sites. Once, when all runs are in. */
void compare_sum_owned(struct comparison *comparison);

/* The innermost path from this one upwards that is not left out. */
uint32_t compare_kept(const struct comparison *comparison, uint32_t path);
/* Adds the numbers of left out paths to the paths above, which all recordings have. Sums
 * over all paths stay the same; sums by function do not. */
void compare_fold_left_out(struct comparison *comparison);

/* Appends the base name of a path, for shared libraries without version: libz.so.1.2.13
 * gives libz.so. NULL gives nothing. */
void compare_add_base(struct strbuf *key, const char *path);

/* The numbers of a subject, one for each run. Borrowed until a subject is added. */
int64_t *compare_values(const struct compare_series *series, uint32_t subject,
			size_t metric);
/* Adds all numbers of one subject to those of another, and clears them. */
void compare_move_values(struct compare_series *series, uint32_t from, uint32_t to);
