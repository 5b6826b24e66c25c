/* SPDX-License-Identifier: MIT */
/*
 * Runs laid side by side: every function, call path and allocation site of any of them
 * once, with its numbers in each run. Must not know SQL, or judge (compare_judge.h).
 *
 * Use, in this order: compare_init(); for every run compare_add_function(); then
 * match_functions(); for every run compare_add_path() and compare_add_site(); then
 * compare_sum_owned() and match_sites(). Runs are numbered from 0, those of the side
 * before first.
 */
#pragma once

#include "common/base/map.h"
#include "common/base/intern.h"
#include "common/base/strbuf.h"
#include "common/quantities.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPARE_NONE UINT32_MAX

/* What functions and paths have of common/quantities.def, in its order; and of functions
 * the allocations by itself or by library functions and allocation wrappers that it
 * called, so that strdup() stands for its caller: compare_sum_owned(). */
#define COMPARE_METRIC(OF, name, ...)                                                    \
	QUANTITY_WHEN(QUANTITY_IN_##OF(name, __VA_ARGS__))(COMPARE_##name, )
enum compare_metric {
	QUANTITIES(COMPARE_METRIC, COMPARED) COMPARE_QUANTITIES,
	/* What the hooks took of it, ns: what was taken off self_ns, or of calls that
	 * were not timed each what they would have taken. */
	COMPARE_HOOKS = COMPARE_QUANTITIES,
	/* What self_cpu_ns may be off by: self_error_ns without what waits add to it. */
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
	COMPARE_BEFORE = 1, /* recorded in some run of the side */
	COMPARE_AFTER = 2,
	COMPARE_BOTH = 3,
};

struct compare_function {
	const char *name; /* the later side's; texts live as long as the comparison */
	const char *full_name;			  /* demangled, with all it has */
	const char *linkage_name, *module, *file; /* NULL: not known */
	/* As the side before had them; NULL: it is not there, or not known. */
	const char *name_before, *full_before, *linkage_before, *file_before;
	const char *component; /* that a map or the program named; NULL: none */
	uint32_t line_before, line_after; /* of the definition; 0: not known */
	uint32_t merged_into;		  /* another's number, or its own */
	uint8_t presence;		  /* enum compare_presence */
	uint8_t hooked;			  /* the sides on which its calls were counted */
	/* The sides on which not each of its calls was timed; and those on which its own
	 * time is what such callees left of it. */
	uint8_t estimated, holder;
	bool is_renamed; /* and somebody said so */
	bool is_library;
	/* A call of libc that waits or moves data; what allocates for its caller: the
	 * caller sets them. */
	bool is_libc, is_wrapper;
};

struct compare_path {
	uint32_t parent; /* COMPARE_NONE: a root */
	uint32_t function;
	uint8_t presence;
	/* Of an estimated function, which other recordings of the same calls do not have
	 * here: no other path stands below it. */
	bool is_left_out;
	uint32_t call_line; /* in its caller's file; 0: not known; the caller sets it */
};

struct compare_site {
	uint32_t path;
	const char *file;		  /* NULL: not known */
	uint32_t line_before, line_after; /* of the call; 0: not known */
	int32_t offset;			  /* from the function's definition */
	uint32_t merged_into;
	uint8_t presence;
	bool is_at_home; /* in the file of its function, whatever that is called */
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

/* Was timed call by call in all runs, or its self time was taken alike on both sides. */
bool compare_is_alike(const struct compare_function *function);

void compare_init(struct comparison *comparison, size_t before_count, size_t after_count);
void compare_free(struct comparison *comparison);

/* Each returns the subject's number. Numbers of one subject in one run add up. */
uint32_t compare_add_function(struct comparison *comparison, size_t run,
			      const struct compare_function_row *row);
/* parent: of another path, or COMPARE_NONE. Recursion is folded: a function that stands
 * above already is that path again. */
uint32_t compare_add_path(struct comparison *comparison, size_t run, uint32_t parent,
			  uint32_t function, const int64_t *values);
uint32_t compare_add_site(struct comparison *comparison, size_t run, uint32_t path,
			  const char *file, uint32_t line, const int64_t *values);

/* The innermost path from this one up that is neither of a library function nor a
 * wrapper; the path itself when there is none. */
uint32_t compare_owner(const struct comparison *comparison, uint32_t path);
/* What functions allocate, of all paths. Once, before compare_fold_left_out(). */
void compare_sum_owned(struct comparison *comparison);

/* The innermost path from this one up that is not left out. */
uint32_t compare_kept(const struct comparison *comparison, uint32_t path);
/* Adds what the paths that are left out have by themselves to those above them, which all
 * recordings have. Sums over all paths stay, by function they do not. */
void compare_fold_left_out(struct comparison *comparison);

/* Appends the file name of a path, of a shared library without its version:
 * libz.so.1.2.13 gives libz.so. NULL gives nothing. */
void compare_add_base(struct strbuf *key, const char *path);

/* The numbers of a subject: one for each run. Borrowed until one is added. */
int64_t *compare_values(const struct compare_series *series, uint32_t subject,
			size_t metric);
/* Adds all numbers of one subject to those of another, and clears them. */
void compare_move_values(struct compare_series *series, uint32_t from, uint32_t to);
