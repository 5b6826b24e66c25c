/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a path's time, divided by samples: shares, sums, errors, and what is not
 *                known without them.
 * Runs on:       tests.
 * See also:      collector/account/sampled/divide.h
 *
 * main (path 1) is timed; counted (path 2, below it) was only counted; library has no
 * hooks. A sample stands for 1,000 ns.
 */
#include <math.h>

#include "collector/account/account.h"
#include "collector/account/sampled/credit.h"
#include "collector/account/sampled/divide.h"
#include "tests/unit/tests.h"

enum { MAIN_FUNCTION, COUNTED_FUNCTION, LIBRARY_FUNCTION, COPY_FUNCTION, FUNCTIONS };
enum { MAIN_PATH = 1, COUNTED_PATH };

#define PERIOD_NS 1000u

struct scene {
	struct merge merge;
	struct read_run run;
	struct read_lane lanes[2];
	struct read_process process;
	struct hook_cost cost;
	uint32_t mode_of[FUNCTIONS];
	struct divide *divide;
	bool has_places; /* samples tell where they are */
};

static struct identify_function named[FUNCTIONS];

static int begin(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	scene->run.lanes = scene->lanes;
	scene->run.lane_count = 2;
	scene->run.processes = &scene->process;
	scene->run.process_count = 1;
	scene->merge.run = &scene->run;
	scene->merge.process_cost = &scene->cost;
	scene->merge.path_limit = 100;
	for (size_t i = 0; i < FUNCTIONS; i++)
		named[i].naming = IDENTIFY_EXACT;
	scene->merge.identify.functions = named;
	scene->merge.identify.function_count = FUNCTIONS;
	scene->mode_of[COUNTED_FUNCTION] = 1;
	merge_add_path(&scene->merge, &(struct merge_path){.parent = 0});
	assert_int_equal(
		merge_child_path(&scene->merge, 0, MAIN_FUNCTION, MERGE_FUNCTION),
		MAIN_PATH);
	assert_int_equal(merge_child_path(&scene->merge, MAIN_PATH, COUNTED_FUNCTION,
					  MERGE_FUNCTION),
			 COUNTED_PATH);
	*state = scene;
	return 0;
}

static int end(void **state)
{
	struct scene *scene = *state;
	struct merge *merge = &scene->merge;

	pool_done(&merge->pool);
	for (size_t i = 0; i < MERGE_MAPS; i++)
		map_done(&merge->maps[i]);
	free(merge->sampled.rows);
	free(merge->sampled.lanes);
	free(scene);
	return 0;
}

struct row {
	enum sampled_kind kind;
	uint32_t function;
	uint64_t count;
};

/* Samples of the first lane, all of them in main(); up to one of count 0. */
static void sample(struct scene *scene, const struct row *rows)
{
	struct sampled *sampled = &scene->merge.sampled;
	uint64_t sum_ns = 0;

	sampled->rows = calloc(10, sizeof(*sampled->rows));
	sampled->lanes = calloc(1, sizeof(*sampled->lanes));
	assert_true(sampled->rows && sampled->lanes);
	for (; rows->count; rows++, sampled->row_count++) {
		sampled->rows[sampled->row_count] =
			(struct sampled_row){.path = MAIN_PATH,
					     .kind = rows->kind,
					     .function = rows->function,
					     .outer_function = rows->function,
					     .credited_function = rows->function,
					     .leaf_function = IDENTIFY_NONE,
					     .count = rows->count,
					     .cpu_ns = rows->count * PERIOD_NS};
		sum_ns += rows->count * PERIOD_NS;
	}
	sampled->lanes[0].cpu_ns = sum_ns;
	sampled->lane_count = 1;
}

/* A lane that was in main() for so long. */
static void fill(struct scene *scene, int64_t ns)
{
	struct merge_cell *cell;

	account_clear(&scene->merge);
	merge_touch(&scene->merge, COUNTED_PATH)->calls = 1;
	cell = merge_touch(&scene->merge, MAIN_PATH);
	cell->calls = 1;
	cell->raw_self_ns = cell->raw_total_ns = cell->self_ns = ns;
}

static struct held calls_of(double calls)
{
	return (struct held){.path = COUNTED_PATH,
			     .function = COUNTED_FUNCTION,
			     .holder = MAIN_PATH,
			     .calls = calls,
			     .counting = calls};
}

static void make_divide(struct scene *scene, int64_t ns, double calls)
{
	struct held held = calls_of(calls);

	scene->divide = divide_new(&scene->merge.pool, &scene->merge, scene->mode_of);
	if (scene->has_places)
		divide_credit(scene->divide, &scene->merge, 0);
	if (!scene->merge.sampled.lane_count)
		return;
	fill(scene, ns);
	divide_note(scene->divide, &scene->merge, 0, &held, 1);
}

static int64_t self_of(const struct scene *scene, uint32_t path)
{
	return scene->merge.cells[path].self_ns;
}

static void near(int64_t value, int64_t expected)
{
	if (llabs(value - expected) > 2)
		fail_msg("%lld, not %lld", (long long)value, (long long)expected);
}

/* 300, 500 and 200 of 1,000 samples, and four of what the calls say, 500 of 800: half of
 * the time is counted()'s. */
TEST_WITH(as_samples_say, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 300},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 500},
					  {SAMPLED_HOOKS, IDENTIFY_NONE, 200},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held = calls_of(100);
	struct time_error error;

	sample(scene, rows);
	make_divide(scene, 1000000, 100);
	assert_true(divide_knows(scene->divide, COUNTED_FUNCTION));
	assert_false(divide_knows(scene->divide, MAIN_FUNCTION));
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, &held, 1);
	assert_in_range(self_of(scene, COUNTED_PATH), 500400, 500600);
	/* all but what hooks took: 200 of 1,004 */
	near(self_of(scene, MAIN_PATH) + self_of(scene, COUNTED_PATH),
	     1000000 - 1000000 * 200 / 1004);
	/* 1.96 roots of 250 samples, and a little */
	error = scene->merge.cells[COUNTED_PATH].self_error;
	assert_in_range(time_error_half_width(&error, 500000, 1000000), 31000, 33000);
	/* of both together no more than of the hooks: of 160 */
	time_error_add(&error, &scene->merge.cells[MAIN_PATH].self_error);
	assert_in_range(time_error_total_half_width(&error, 800000, 1000000), 24800,
			27000);
}

/* Another thread is too short for samples: its 40 calls are to what is main()'s own as
 * the samples of all threads say, 2 to 5. */
TEST_WITH(threads_without_samples, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 500},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 500},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held = calls_of(40), more = calls_of(4000);

	sample(scene, rows);
	make_divide(scene, 1000000, 100);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 1, &held, 1);
	assert_in_range(self_of(scene, COUNTED_PATH), 285000, 286000);
	assert_int_equal(self_of(scene, MAIN_PATH) + self_of(scene, COUNTED_PATH),
			 1000000);
	fill(scene, 1000); /* never more than there is */
	divide_lane(scene->divide, &scene->merge, 1, &more, 1);
	near(self_of(scene, COUNTED_PATH), 1000);
	near(self_of(scene, MAIN_PATH), 0);
}

/* Nobody knows how much is whose; the sum is known. */
TEST_WITH(without_any_samples, begin, end)
{
	struct scene *scene = *state;
	struct held held = calls_of(40);
	struct time_error error;

	make_divide(scene, 0, 0);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, &held, 1);
	assert_false(divide_knows(scene->divide, COUNTED_FUNCTION));
	near(self_of(scene, MAIN_PATH), 1000000);
	error = scene->merge.cells[COUNTED_PATH].self_error;
	assert_int_equal(time_error_half_width(&error, 0, 1000000), 1000000);
	time_error_add(&error, &scene->merge.cells[MAIN_PATH].self_error);
	assert_int_equal(time_error_total_half_width(&error, 1000000, 1000000), 0);
}

/* A function that no sample found may have had nearly four. */
TEST_WITH(none_is_not_nothing, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 996},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held = calls_of(100);

	sample(scene, rows);
	make_divide(scene, 1000000, 100);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, &held, 1);
	near(self_of(scene, COUNTED_PATH), 0);
	assert_in_range(time_error_half_width(
				&scene->merge.cells[COUNTED_PATH].self_error, 0, 1000000),
			3600, 3700);
}

/* Code without hooks of whose caller nothing is known is told below the path, whether or
 * not that has calls that were only counted. */
TEST_WITH(libraries_of_unknown_callers, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 300},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 300},
					  {SAMPLED_CODE, LIBRARY_FUNCTION, 400},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held = calls_of(100);
	uint32_t path;

	sample(scene, rows);
	make_divide(scene, 1000000, 100);
	for (size_t count = 0; count < 2; count++) {
		fill(scene, 1000000);
		divide_lane(scene->divide, &scene->merge, 0, &held, count);
		path = merge_child_path(&scene->merge, MAIN_PATH, LIBRARY_FUNCTION,
					MERGE_FRAME);
		assert_int_equal(path, 3);
		near(self_of(scene, path), 1000000 * 400 / 1004);
	}
}

/* The innermost function of the row is a copy that is inlined into counted(). */
static void sample_copy(struct scene *scene, const struct row *rows, size_t row)
{
	static struct identify_place chain[] = {
		{.function = COPY_FUNCTION, .chain_count = 2},
		{.function = COUNTED_FUNCTION}};

	scene->mode_of[COPY_FUNCTION] = 1;
	scene->merge.identify.places = chain;
	scene->merge.identify.place_count = 2;
	sample(scene, rows);
	scene->merge.sampled.rows[row].outer_function = COUNTED_FUNCTION;
}

/* Calls of a copy that is inlined into counted() stand below another of its paths: here
 * its samples are counted()'s. Where calls of it are known they are its own. */
TEST_WITH(copies_without_calls, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 300},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 300},
					  {SAMPLED_CODE, COPY_FUNCTION, 400},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held[] = {calls_of(100), calls_of(100)};

	sample_copy(scene, rows, 2);
	make_divide(scene, 1000000, 100);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, held, 1);
	assert_in_range(self_of(scene, COUNTED_PATH), 695000, 700000);
	assert_int_equal(scene->merge.path_count, 3);
	held[1].path = merge_child_path(&scene->merge, COUNTED_PATH, COPY_FUNCTION,
					MERGE_FUNCTION);
	held[1].function = COPY_FUNCTION;
	fill(scene, 1000000);
	divide_note(scene->divide, &scene->merge, 0, held, 2);
	divide_lane(scene->divide, &scene->merge, 0, held, 2);
	assert_in_range(self_of(scene, COUNTED_PATH), 295000, 305000);
	assert_in_range(self_of(scene, held[1].path), 395000, 405000);
}

/* That main() has a copy, too, says nothing of one that is built into counted(), be calls
 * of that known or not. */
TEST_WITH(copies_of_others, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 600},
					  {SAMPLED_CODE, COPY_FUNCTION, 400},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held = calls_of(100);

	sample_copy(scene, rows, 1);
	make_divide(scene, 1000000, 100);
	held.path =
		merge_child_path(&scene->merge, MAIN_PATH, COPY_FUNCTION, MERGE_FUNCTION);
	held.function = COPY_FUNCTION;
	fill(scene, 1000000);
	divide_note(scene->divide, &scene->merge, 0, &held, 1);
	divide_lane(scene->divide, &scene->merge, 0, &held, 1);
	assert_in_range(self_of(scene, held.path), 0, 5000);
	assert_in_range(self_of(scene, COUNTED_PATH), 395000, 405000);
}

/* One path by which a sample came: of places, the outermost first. */
static uint32_t caller_by(struct scene *scene, const uint32_t *places, size_t count)
{
	uint32_t caller = SAMPLED_FRAME;

	for (size_t i = 0; i < count; i++)
		caller = sampled_caller(&scene->merge, places[i], caller);
	return caller;
}

#define CALLER_BY(scene, ...)                                                            \
	caller_by(scene, (const uint32_t[]){__VA_ARGS__},                                \
		  sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* At the place with a function's number is a call in it. */
static struct identify_place calls_in[] = {
	{.function = MAIN_FUNCTION, .chain_count = 1},
	{.function = COUNTED_FUNCTION, .chain_count = 1},
	{.function = LIBRARY_FUNCTION, .chain_count = 1},
	{.function = COPY_FUNCTION, .chain_count = 1}};

static void use_places(struct scene *scene)
{
	struct sampled *sampled = &scene->merge.sampled;

	scene->has_places = true;
	scene->merge.identify.places = calls_in;
	scene->merge.identify.place_count = FUNCTIONS;
	for (size_t i = 0; i < sampled->row_count; i++)
		sampled->rows[i].place = sampled->rows[i].function;
}

/* What a library does is told below its caller: below a counted function, as the stack
 * says, or below the path itself, and there, too, where the stack does not say it. The
 * callers' totals have it. */
TEST_WITH(libraries_by_their_stacks, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 100},
					  {SAMPLED_CODE, LIBRARY_FUNCTION, 500},
					  {SAMPLED_CODE, LIBRARY_FUNCTION, 300},
					  {SAMPLED_CODE, LIBRARY_FUNCTION, 100},
					  {.count = 0}};
	struct scene *scene = *state;
	struct sampled *sampled = &scene->merge.sampled;
	struct held held = calls_of(100);
	uint32_t below, beside;

	sample(scene, rows);
	use_places(scene);
	sampled->rows[0].caller = SAMPLED_FRAME;
	sampled->rows[1].caller =
		CALLER_BY(scene, MAIN_FUNCTION, COUNTED_FUNCTION, LIBRARY_FUNCTION);
	sampled->rows[2].caller = CALLER_BY(scene, MAIN_FUNCTION);
	make_divide(scene, 1000000, 100);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, &held, 1);
	below = merge_child_path(&scene->merge, COUNTED_PATH, LIBRARY_FUNCTION,
				 MERGE_FRAME);
	beside =
		merge_child_path(&scene->merge, MAIN_PATH, LIBRARY_FUNCTION, MERGE_FRAME);
	assert_int_equal(scene->merge.path_count, 5);
	assert_in_range(self_of(scene, COUNTED_PATH), 0, 3000);
	assert_in_range(self_of(scene, below), 497000, 503000);
	assert_in_range(self_of(scene, MAIN_PATH), 97000, 103000);
	assert_in_range(self_of(scene, beside), 397000, 403000);
	near(self_of(scene, COUNTED_PATH) + self_of(scene, below) +
		     self_of(scene, MAIN_PATH) + self_of(scene, beside),
	     1000000);
	assert_int_equal(scene->merge.cells[MAIN_PATH].raw_self_ns +
				 scene->merge.cells[beside].raw_self_ns,
			 1000000);
	near(scene->merge.cells[beside].raw_self_ns, self_of(scene, beside));
	assert_int_equal(scene->merge.paths[below].recording, MERGE_SAMPLED);
	assert_int_equal(scene->merge.cells[below].calls, 0);
}

/* Of a call of libc that has a path what libc does for it is its own. */
TEST_WITH(libc_calls_do_their_own, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, LIBRARY_FUNCTION, 500},
					  {.count = 0}};
	struct scene *scene = *state;

	scene->merge.paths[MAIN_PATH].kind = MERGE_IO;
	sample(scene, rows);
	use_places(scene);
	make_divide(scene, 1000000, 0);
	fill(scene, 500000);
	divide_lane(scene->divide, &scene->merge, 0, NULL, 0);
	assert_int_equal(scene->merge.path_count, 3);
	near(self_of(scene, MAIN_PATH), 500000);
}

/* Of two paths with as many calls one has nine times the samples; a tenth of all has no
 * stack, and says nothing of that. */
TEST_WITH(paths_by_their_stacks, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, COUNTED_FUNCTION, 810},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 90},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 100},
					  {.count = 0}};
	struct scene *scene = *state;
	struct sampled *sampled = &scene->merge.sampled;
	struct held held[] = {calls_of(100), calls_of(100)};
	uint32_t around;

	around =
		merge_child_path(&scene->merge, MAIN_PATH, COPY_FUNCTION, MERGE_FUNCTION);
	held[1].path =
		merge_child_path(&scene->merge, around, COUNTED_FUNCTION, MERGE_FUNCTION);
	scene->mode_of[COPY_FUNCTION] = 1;
	sample(scene, rows);
	use_places(scene);
	sampled->rows[0].caller = CALLER_BY(scene, MAIN_FUNCTION, COPY_FUNCTION);
	sampled->rows[1].caller = CALLER_BY(scene, MAIN_FUNCTION);
	make_divide(scene, 1000000, 100);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, held, 2);
	assert_in_range(self_of(scene, held[1].path), 855000, 863000);
	assert_in_range(self_of(scene, COUNTED_PATH), 137000, 145000);
}

/* Calls of a function by itself are on one path, however many there are. */
TEST_WITH(recursion_on_stacks, begin, end)
{
	struct scene *scene = *state;
	struct trail trail = {{COUNTED_FUNCTION, COPY_FUNCTION, COPY_FUNCTION}, 3, true};
	uint32_t around, inside;

	around =
		merge_child_path(&scene->merge, MAIN_PATH, COPY_FUNCTION, MERGE_FUNCTION);
	inside =
		merge_child_path(&scene->merge, around, COUNTED_FUNCTION, MERGE_FUNCTION);
	assert_int_equal(trail_match(&trail, &scene->merge, MAIN_PATH, inside), 3);
	assert_int_equal(trail_match(&trail, &scene->merge, MAIN_PATH, COUNTED_PATH), 1);
	assert_int_equal(trail_match(&trail, &scene->merge, MAIN_PATH, around), 0);
	trail.is_whole = false;
	assert_int_equal(trail_match(&trail, &scene->merge, MAIN_PATH, inside), 2);
}

/* Where an address is not known, it is like those that are. */
TEST_WITH(lost_addresses, begin, end)
{
	static const struct row rows[] = {{SAMPLED_CODE, MAIN_FUNCTION, 100},
					  {SAMPLED_CODE, COUNTED_FUNCTION, 100},
					  {SAMPLED_FOLDED, IDENTIFY_NONE, 800},
					  {.count = 0}};
	struct scene *scene = *state;
	struct held held = calls_of(100);

	sample(scene, rows);
	make_divide(scene, 1000000, 100);
	fill(scene, 1000000);
	divide_lane(scene->divide, &scene->merge, 0, &held, 1);
	assert_in_range(self_of(scene, COUNTED_PATH), 485000, 505000);
	near(self_of(scene, COUNTED_PATH) + self_of(scene, MAIN_PATH), 1000000);
}
