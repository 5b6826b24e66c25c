/* SPDX-License-Identifier: MIT */
/*
 * The subjects of a comparison, added run by run. Must not use ids or addresses of a
 * run: they mean nothing in another.
 */
#include "analyzer/statistics/compare.h"

#include "common/base/xalloc.h"
#include "common/base/map.h"
#include "common/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void series_init(struct compare_series *series, size_t metric_count,
			size_t run_count)
{
	*series = (struct compare_series){.metric_count = metric_count,
					  .run_count = run_count};
}

/* Adds a subject with all numbers zero. */
static void series_grow(struct compare_series *series)
{
	size_t width = series->metric_count * series->run_count;

	series->values = array_room(series->values, series->count,
				    width * sizeof(*series->values));
	series->count++;
}

int64_t *compare_values(const struct compare_series *series, uint32_t subject,
			size_t metric)
{
	return series->values +
	       ((size_t)subject * series->metric_count + metric) * series->run_count;
}

static void series_add(struct compare_series *series, uint32_t subject, size_t run,
		       const int64_t *values)
{
	for (size_t i = 0; i < series->metric_count; i++)
		quantity_add(&compare_values(series, subject, i)[run], values[i]);
}

void compare_move_values(struct compare_series *series, uint32_t from, uint32_t to)
{
	size_t width = series->metric_count * series->run_count;
	int64_t *source = compare_values(series, from, 0);
	int64_t *target = compare_values(series, to, 0);

	for (size_t i = 0; i < width; i++)
		quantity_add(&target[i], source[i]);
	memset(source, 0, width * sizeof(*source));
}

void compare_init(struct comparison *comparison, size_t before_count, size_t after_count)
{
	size_t runs = before_count + after_count;

	*comparison = (struct comparison){.before_count = before_count};
	series_init(&comparison->function_values, COMPARE_FUNCTION_METRICS, runs);
	series_init(&comparison->path_values, COMPARE_PATH_METRICS, runs);
	series_init(&comparison->site_values, COMPARE_SITE_METRICS, runs);
}

bool compare_is_alike(const struct compare_function *function)
{
	return (function->estimated == 0 || function->estimated == COMPARE_BOTH) &&
	       (function->holder == 0 || function->holder == COMPARE_BOTH);
}

static uint8_t side_of(const struct comparison *comparison, size_t run)
{
	return run < comparison->before_count ? COMPARE_BEFORE : COMPARE_AFTER;
}

static const char *keep(struct comparison *comparison, const char *text)
{
	if (!text)
		return NULL;
	return intern_name(&comparison->texts,
			   intern_text(&comparison->texts, text, NULL));
}

void compare_add_base(struct strbuf *key, const char *path)
{
	const char *base, *version;

	if (!path)
		return;
	base = basename(path);
	version = strstr(base, ".so.");
	strbuf_add(key, base, version ? (size_t)(version - base) + 3 : strlen(base));
}

/* The function of the same module, name with parameters (of any copy that the compiler
 * made), and file, since C has static namesakes. */
static uint32_t function_number(struct comparison *comparison,
				const struct compare_function_row *row, bool *is_new)
{
	ended_by(strbuf_free) struct strbuf key = {0};

	strbuf_printf(&key, "%s\n%s\n", row->module ? row->module : "",
		      row->full_name ? row->full_name : row->name);
	compare_add_base(&key, row->file);
	/* "0x1234 (libx.so)" is the same code only in the same build */
	if (!row->linkage_name && strncmp(row->name, "0x", 2) == 0)
		strbuf_printf(&key, "\n%s", row->build_id ? row->build_id : "");
	return intern_text(&comparison->function_keys, strbuf_text(&key), is_new);
}

uint32_t compare_add_function(struct comparison *comparison, size_t run,
			      const struct compare_function_row *row)
{
	uint8_t side = side_of(comparison, run);
	struct compare_function *function;
	bool is_new;
	uint32_t number = function_number(comparison, row, &is_new);

	if (is_new) {
		comparison->functions = array_room(comparison->functions, number,
						   sizeof(*comparison->functions));
		comparison->functions[number] =
			(struct compare_function){.merged_into = number};
		series_grow(&comparison->function_values);
	}
	function = &comparison->functions[number];
	if (!(function->presence & side)) {
		function->name = keep(comparison, row->name);
		function->full_name = row->full_name ? keep(comparison, row->full_name)
						     : function->name;
		function->linkage_name = keep(comparison, row->linkage_name);
		function->module = keep(comparison, row->module);
		function->component = keep(comparison, row->component);
		function->file = keep(comparison, row->file);
		if (side == COMPARE_BEFORE) {
			function->line_before = row->line;
			function->name_before = function->name;
			function->full_before = function->full_name;
			function->linkage_before = function->linkage_name;
			function->file_before = function->file;
		} else {
			function->line_after = row->line;
		}
	}
	function->presence |= side;
	if (row->is_hooked)
		function->hooked |= side;
	if (row->is_estimated)
		function->estimated |= side;
	if (row->is_holder)
		function->holder |= side;
	function->is_library |= row->is_library;
	series_add(&comparison->function_values, number, run, row->values);
	return number;
}

/* The nearest path from parent upwards that is of this function, or COMPARE_NONE. */
static uint32_t folded(const struct comparison *comparison, uint32_t parent,
		       uint32_t function)
{
	for (uint32_t at = parent; at != COMPARE_NONE; at = comparison->paths[at].parent)
		if (comparison->paths[at].function == function)
			return at;
	return COMPARE_NONE;
}

uint32_t compare_kept(const struct comparison *comparison, uint32_t path)
{
	return path != COMPARE_NONE && comparison->paths[path].is_left_out
		       ? comparison->paths[path].parent
		       : path;
}

void compare_fold_left_out(struct comparison *comparison)
{
	static const int own[] = {COMPARE_self_ns,
				  COMPARE_self_error_ns,
				  COMPARE_self_cpu_ns,
				  COMPARE_self_ready_ns,
				  COMPARE_self_ready_error_ns,
				  COMPARE_self_blocked_ns,
				  COMPARE_HOOKS,
				  COMPARE_CPU_ERROR,
				  COMPARE_alloc_count,
				  COMPARE_alloc_bytes};
	const struct compare_series *series = &comparison->path_values;

	for (uint32_t at = 0; at < series->count; at++) {
		if (!comparison->paths[at].is_left_out)
			continue;
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
			size_t metric = (size_t)own[i];
			const int64_t *from = compare_values(series, at, metric);
			int64_t *to = compare_values(series, comparison->paths[at].parent,
						     metric);

			for (size_t run = 0; run < series->run_count; run++)
				quantity_add(&to[run], from[run]);
		}
		memset(compare_values(series, at, 0), 0,
		       series->metric_count * series->run_count *
			       sizeof(*series->values));
	}
}

static void add_owned(struct comparison *comparison, uint32_t site, size_t from,
		      size_t to)
{
	uint32_t owner = comparison->sites[site].owner;
	const int64_t *values = compare_values(&comparison->site_values, site, from);
	int64_t *sums = compare_values(&comparison->function_values, owner, to);

	for (size_t run = 0; run < comparison->site_values.run_count; run++)
		quantity_add(&sums[run], values[run]);
}

void compare_sum_owned(struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->site_values.count; i++) {
		add_owned(comparison, i, COMPARE_SITE_alloc_count, COMPARE_OWN_COUNT);
		add_owned(comparison, i, COMPARE_SITE_alloc_bytes, COMPARE_OWN_BYTES);
	}
}

uint32_t compare_add_path(struct comparison *comparison, size_t run, uint32_t parent,
			  uint32_t function, const int64_t *values)
{
	uint32_t number;
	bool is_new = false;

	function = comparison->functions[function].merged_into;
	number = folded(comparison, parent, function);
	if (number == COMPARE_NONE)
		number = map_number(&comparison->path_keys, parent, function, 0, &is_new);
	if (is_new) {
		comparison->paths =
			array_room(comparison->paths, number, sizeof(*comparison->paths));
		comparison->paths[number] = (struct compare_path){
			parent, function, 0,
			parent != COMPARE_NONE &&
				comparison->functions[function].estimated != 0};
		series_grow(&comparison->path_values);
	}
	comparison->paths[number].presence |= side_of(comparison, run);
	series_add(&comparison->path_values, number, run, values);
	return number;
}

/* How a time was divided between the two is no error of both together: that is no larger
 * than of all below, but where others were given some of it. */
static void join_errors(const struct compare_series *series, size_t run, uint32_t from,
			uint32_t to, size_t metric, bool is_left)
{
	int64_t *less = &compare_values(series, from, metric)[run];
	int64_t *error = &compare_values(series, to, metric)[run];
	double most = (double)compare_values(series, to, COMPARE_total_error_ns)[run];
	double both = hypot((double)*error, (double)*less);

	*error = (int64_t)(is_left ? fmin(both, 9e18) : fmin(both, most));
	*less = 0;
}

static void give_time(const struct compare_series *series, size_t run, uint32_t from,
		      uint32_t to, const int64_t *values, bool is_left)
{
	static const int times[][2] = {{COMPARE_self_ns, COMPARE_total_ns},
				       {COMPARE_self_cpu_ns, COMPARE_cpu_ns},
				       {COMPARE_self_ready_ns, COMPARE_ready_ns},
				       {COMPARE_self_blocked_ns, COMPARE_blocked_ns}};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		size_t self = (size_t)times[i][0], total = (size_t)times[i][1];
		int64_t ns = values[self] > 0 ? values[self] : 0;

		quantity_add(&compare_values(series, to, self)[run], ns);
		quantity_add(&compare_values(series, from, self)[run], -ns);
		quantity_add(&compare_values(series, from, total)[run], -ns);
	}
	join_errors(series, run, from, to, COMPARE_self_error_ns, is_left);
	join_errors(series, run, from, to, COMPARE_CPU_ERROR, is_left);
	if (compare_values(series, from, COMPARE_total_ns)[run] <= 0)
		compare_values(series, from, COMPARE_total_error_ns)[run] = 0;
}

void compare_give_time(struct comparison *comparison, size_t run, uint32_t path,
		       uint32_t above, const int64_t *values)
{
	uint32_t function = comparison->paths[path].function;
	uint32_t host = comparison->paths[above].function;
	bool is_left = comparison->functions[host].holder != 0;

	give_time(&comparison->path_values, run, path, above, values, is_left);
	give_time(&comparison->function_values, run, function, host, values, is_left);
}

static bool same_file(const char *a, const char *b)
{
	const char *base_a = strrchr(a, '/'), *base_b = strrchr(b, '/');

	return strcmp(base_a ? base_a + 1 : a, base_b ? base_b + 1 : b) == 0;
}

/* Places a site by its distance from the owner's definition: lines move when something
 * above changes, distances less often, and functions may move to another file. */
static void place_site(const struct comparison *comparison, uint8_t side,
		       struct compare_site *site, uint32_t line)
{
	const struct compare_function *owner = &comparison->functions[site->owner];
	bool is_before = side == COMPARE_BEFORE;
	uint32_t definition = is_before ? owner->line_before : owner->line_after;
	const char *home = is_before ? owner->file_before : owner->file;

	site->is_at_home =
		site->file && home && definition && same_file(site->file, home);
	site->offset = (int32_t)(line - (site->is_at_home ? definition : 0));
}

uint32_t compare_add_site(struct comparison *comparison, size_t run,
			  const struct compare_site *row, uint32_t line,
			  const int64_t *values)
{
	uint8_t side = side_of(comparison, run);
	struct compare_site *site, placed = *row;
	struct strbuf base = {0};
	uint32_t number, place;
	bool is_new;

	place_site(comparison, side, &placed, line);
	compare_add_base(&base, placed.is_at_home ? "." : placed.file);
	place = intern_text(&comparison->texts, strbuf_text(&base), NULL);
	place = map_number(&comparison->place_keys, place, (uint32_t)placed.offset,
			   placed.owner, NULL);
	number = map_number(&comparison->site_keys, placed.path, place, 0, &is_new);
	strbuf_free(&base);
	if (is_new) {
		comparison->sites =
			array_room(comparison->sites, number, sizeof(*comparison->sites));
		placed.merged_into = number;
		comparison->sites[number] = placed;
		series_grow(&comparison->site_values);
	}
	site = &comparison->sites[number];
	if (!(site->presence & side)) {
		site->file = keep(comparison, placed.file);
		site->is_definition = placed.is_definition;
		if (side == COMPARE_BEFORE)
			site->line_before = line;
		else
			site->line_after = line;
	}
	site->presence |= side;
	series_add(&comparison->site_values, number, run, values);
	return number;
}
