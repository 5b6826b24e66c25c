/* SPDX-License-Identifier: MIT */
/* What this is: runs laid side by side: matching, folding, sums that balance. */
#include "analyzer/statistics/match.h"
#include "tests/unit/tests.h"

static struct comparison comparison;

static int set_up(void **state)
{
	(void)state;
	compare_init(&comparison, 1, 1);
	return 0;
}

/* A function with one number everywhere. */
static uint32_t add(size_t run, const char *name, const char *linkage, const char *file,
		    uint32_t line, int64_t value)
{
	struct compare_function_row row = {.name = name,
					   .linkage_name = linkage,
					   .module = "",
					   .file = file,
					   .line = line,
					   .is_hooked = true};

	for (int i = 0; i < COMPARE_FUNCTION_METRICS; i++)
		row.values[i] = value;
	return compare_add_function(&comparison, run, &row);
}

/* Does a function find its like in another file? */
static bool finds(const char *name_before, const char *name_after)
{
	uint32_t before, after;

	compare_init(&comparison, 1, 1);
	before = add(0, name_before, NULL, "a.c", 100, 3);
	after = add(1, name_after, NULL, "b.c", 900, 5);
	match_functions(&comparison);
	if (comparison.functions[after].merged_into == before) {
		const int64_t *values = compare_values(&comparison.function_values,
						       before, COMPARE_self_ns);

		assert_int_equal(values[0], 3);
		assert_int_equal(values[1], 5);
		assert_int_equal(comparison.functions[before].presence, COMPARE_BOTH);
		assert_string_equal(comparison.functions[before].file, "b.c");
		assert_string_equal(comparison.functions[before].file_before, "a.c");
	}
	return comparison.functions[after].merged_into == before;
}

TEST_WITH(names_find_each_other, set_up, NULL)
{
	assert_true(finds("f", "f"));
	assert_true(finds("n::g(int)", "n::g(int)"));
	assert_false(finds("n::g(int)", "n::g(long)"));
	assert_false(finds("n::g(int)", "m::g(int)"));
	assert_false(finds("f", "h"));
	/* Addresses mean nothing in another build. */
	assert_false(finds("0x12 (a.so)", "0x12 (a.so)"));
}

/* What a compiler made of a function is that function. */
TEST_WITH(copies_are_one, set_up, NULL)
{
	assert_int_equal(add(0, "A::A()", "_ZN1AC1Ev", "a.cc", 1, 1),
			 add(1, "A::A()", "_ZN1AC2Ev", "a.cc", 1, 1));
	assert_int_equal(add(0, "f", "f", "a.c", 1, 1),
			 add(1, "f", "f.isra.0", "a.c", 1, 1));
}

TEST_WITH(a_nameless_function_belongs_to_its_build, set_up, NULL)
{
	struct compare_function_row row = {.name = "0x12 (a.so)", .build_id = "aa"};
	uint32_t before = compare_add_function(&comparison, 0, &row), after;

	row.build_id = "bb";
	after = compare_add_function(&comparison, 1, &row);
	match_functions(&comparison);
	assert_int_not_equal(before, after);
	assert_int_equal(comparison.functions[after].merged_into, after);
}

TEST_WITH(what_could_be_several_matches_none, set_up, NULL)
{
	uint32_t before = add(0, "f", NULL, "a.c", 1, 1);
	uint32_t first = add(1, "f", NULL, "b.c", 1, 1);
	uint32_t second = add(1, "f", NULL, "c.c", 1, 1);

	match_functions(&comparison);
	assert_int_equal(comparison.functions[before].presence, COMPARE_BEFORE);
	assert_int_equal(comparison.functions[first].presence, COMPARE_AFTER);
	assert_int_equal(comparison.functions[second].presence, COMPARE_AFTER);
}

TEST_WITH(who_is_told_to_be_one_is_one, set_up, NULL)
{
	uint32_t before = add(0, "old", "old", "a.c", 10, 7);
	uint32_t after = add(1, "fresh", "fresh", "b.c", 80, 8);

	match_functions(&comparison);
	match_merge(&comparison, before, after);
	assert_int_equal(comparison.functions[after].merged_into, before);
	assert_int_equal(comparison.functions[before].presence, COMPARE_BOTH);
	assert_string_equal(comparison.functions[before].name, "fresh");
	assert_string_equal(comparison.functions[before].name_before, "old");
}

TEST_WITH(static_namesakes_stay_apart, set_up, NULL)
{
	assert_int_not_equal(add(0, "helper", "helper", "a.c", 1, 1),
			     add(0, "helper", "helper", "b.c", 1, 1));
	assert_int_equal(add(0, "helper", "helper", "a.c", 1, 1),
			 add(1, "helper", "helper", "/other/place/a.c", 7, 1));
}

static const int64_t one[COMPARE_PATH_METRICS] = {[0 ... COMPARE_PATH_METRICS - 1] = 1};

TEST_WITH(recursion_is_folded, set_up, NULL)
{
	uint32_t f = add(0, "f", "f", "a.c", 1, 1), g = add(0, "g", "g", "a.c", 2, 1);
	uint32_t root, child, again;

	match_functions(&comparison);
	root = compare_add_path(&comparison, 0, COMPARE_NONE, f, one);
	child = compare_add_path(&comparison, 0, root, g, one);
	again = compare_add_path(&comparison, 0, child, f, one);
	assert_int_equal(again, root);
	assert_int_equal(compare_add_path(&comparison, 0, again, g, one), child);
	assert_int_equal(compare_values(&comparison.path_values, root, COMPARE_calls)[0],
			 2);
	assert_int_equal(comparison.path_values.count, 2);
}

/* Sum of a metric over all subjects, of one run. */
static int64_t sum(const struct compare_series *series, size_t metric, size_t run)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < series->count; i++)
		total += compare_values(series, i, metric)[run];
	return total;
}

static uint32_t add_timed(size_t run, const char *name, bool is_estimated, bool is_holder)
{
	struct compare_function_row row = {.name = name,
					   .linkage_name = name,
					   .module = "",
					   .file = "a.c",
					   .is_hooked = true,
					   .is_estimated = is_estimated,
					   .is_holder = is_holder};

	return compare_add_function(&comparison, run, &row);
}

/* f calls g calls h; the run after counts g, so h stands below f there. */
TEST_WITH(counted_functions_stand_on_no_path, set_up, NULL)
{
	uint32_t f = add_timed(0, "f", false, false), g = add_timed(0, "g", false, false);
	uint32_t h = add_timed(0, "h", false, false), root, left_out, before, after;

	add_timed(1, "f", false, true);
	add_timed(1, "g", true, false);
	add_timed(1, "h", false, false);
	match_functions(&comparison);
	root = compare_add_path(&comparison, 0, COMPARE_NONE, f, one);
	left_out = compare_add_path(&comparison, 0, root, g, one);
	assert_true(comparison.paths[left_out].is_left_out);
	assert_int_equal(compare_kept(&comparison, left_out), root);
	before = compare_add_path(&comparison, 0, compare_kept(&comparison, left_out), h,
				  one);
	root = compare_add_path(&comparison, 1, COMPARE_NONE, f, one);
	compare_add_path(&comparison, 1, root, g, one);
	after = compare_add_path(&comparison, 1, root, h, one);
	assert_int_equal(before, after);
	compare_fold_left_out(&comparison);
	for (size_t run = 0; run < 2; run++) {
		assert_int_equal(compare_values(&comparison.path_values, root,
						COMPARE_self_ns)[run],
				 2);
		assert_int_equal(compare_values(&comparison.path_values, left_out,
						COMPARE_self_ns)[run],
				 0);
		assert_int_equal(sum(&comparison.path_values, COMPARE_self_ns, run), 3);
	}
	assert_false(compare_is_alike(&comparison.functions[f]));
	assert_false(compare_is_alike(&comparison.functions[g]));
	assert_true(compare_is_alike(&comparison.functions[h]));
}

/* The run before was too short for samples: strcmp's time is its caller's. */
TEST_WITH(what_libraries_did_is_their_callers, set_up, NULL)
{
	static const int64_t own[COMPARE_PATH_METRICS] = {[COMPARE_calls] = 4,
							  [COMPARE_self_ns] = 60,
							  [COMPARE_total_ns] = 160,
							  [COMPARE_self_error_ns] = 30,
							  [COMPARE_total_error_ns] = 5};
	static const int64_t found[COMPARE_PATH_METRICS] = {[COMPARE_self_ns] = 100,
							    [COMPARE_total_ns] = 100,
							    [COMPARE_self_error_ns] = 30,
							    [COMPARE_total_error_ns] =
								    30};
	struct compare_function_row row = {.name = "lookup", .is_hooked = true};
	struct compare_function_row leaf = {.name = "strcmp", .module = "libc.so"};
	struct compare_series *all[] = {&comparison.function_values,
					&comparison.path_values};
	uint32_t function, library, caller, path;

	memcpy(row.values, own, sizeof(own));
	memcpy(leaf.values, found, sizeof(found));
	function = compare_add_function(&comparison, 1, &row);
	library = compare_add_function(&comparison, 1, &leaf);
	caller = compare_add_path(&comparison, 1, COMPARE_NONE, function, own);
	path = compare_add_path(&comparison, 1, caller, library, found);
	compare_give_time(&comparison, 1, path, caller, found);
	for (int i = 0; i < 2; i++) {
		uint32_t to = i ? caller : function, from = i ? path : library;

		assert_int_equal(compare_values(all[i], to, COMPARE_self_ns)[1], 160);
		assert_int_equal(compare_values(all[i], to, COMPARE_total_ns)[1], 160);
		assert_int_equal(compare_values(all[i], to, COMPARE_self_error_ns)[1], 5);
		for (size_t metric = 0; metric < COMPARE_PATH_METRICS; metric++)
			assert_int_equal(compare_values(all[i], from, metric)[1], 0);
	}
}

TEST_WITH(paths_follow_their_functions, set_up, NULL)
{
	uint32_t before = add(0, "f", "f", "a.c", 1, 1);
	uint32_t after = add(1, "f", "f", "b.c", 1, 1);
	uint32_t path;

	match_functions(&comparison);
	path = compare_add_path(&comparison, 0, COMPARE_NONE, before, one);
	assert_int_equal(compare_add_path(&comparison, 1, COMPARE_NONE, after, one),
			 path);
	assert_int_equal(comparison.paths[path].presence, COMPARE_BOTH);
}

/* A site's number after matching. */
static uint32_t site(uint32_t number)
{
	return comparison.sites[number].merged_into;
}

static uint32_t add_site(size_t run, uint32_t path, const char *file, uint32_t line)
{
	struct compare_site row = {
		.path = path, .owner = comparison.paths[path].function, .file = file};

	return compare_add_site(&comparison, run, &row, line, one);
}

TEST_WITH(sites_move_with_their_function, set_up, NULL)
{
	uint32_t before = add(0, "f", "f", "/src/a.c", 10, 1);
	uint32_t after = add(1, "f", "f", "/src/a.c", 40, 1);
	uint32_t path, old, moved, added, far;

	match_functions(&comparison);
	path = compare_add_path(&comparison, 0, COMPARE_NONE, before, one);
	compare_add_path(&comparison, 1, COMPARE_NONE, after, one);
	old = add_site(0, path, "/src/a.c", 15);
	moved = add_site(1, path, "/src/a.c", 45);
	assert_int_equal(old, moved);
	/* A line put in between moves it inside of the function, too. */
	old = add_site(0, path, "/src/a.c", 20);
	moved = add_site(1, path, "/src/a.c", 52);
	added = add_site(1, path, "/src/a.c", 60);
	far = add_site(1, path, "/src/a.c", 99);
	match_sites(&comparison);
	assert_int_equal(site(moved), old);
	assert_int_equal(comparison.sites[old].line_after, 52);
	assert_int_equal(site(added), added);
	assert_int_equal(comparison.sites[far].presence, COMPARE_AFTER);
}

TEST_WITH(sites_move_to_another_file, set_up, NULL)
{
	uint32_t before = add(0, "f", "f", "/src/a.c", 10, 1);
	uint32_t after = add(1, "f", "f", "/src/b.c", 40, 1), path, old;

	match_functions(&comparison);
	path = compare_add_path(&comparison, 0, COMPARE_NONE, before, one);
	assert_int_equal(compare_add_path(&comparison, 1, COMPARE_NONE, after, one),
			 path);
	old = add_site(0, path, "/src/a.c", 15);
	assert_int_equal(add_site(1, path, "/src/b.c", 45), old);
	/* Not its own. */
	old = add_site(0, path, "/src/x.h", 15);
	assert_int_not_equal(add_site(1, path, "/src/y.h", 15), old);
}

TEST_WITH(allocations_belong_to_who_asked_for_them, set_up, NULL)
{
	uint32_t f = add(0, "f", "f", "a.c", 1, 0), g = add(0, "g", "g", "a.c", 5, 0);
	uint32_t path = compare_add_path(&comparison, 0, COMPARE_NONE, f, one), sites[3];

	/* on a path that ends in f(), as g() is on none */
	for (size_t i = 0; i < 3; i++) {
		struct compare_site row = {
			.path = path, .owner = i ? g : f, .file = "a.c"};

		sites[i] = compare_add_site(&comparison, 0, &row, 7, one);
	}
	assert_int_not_equal(sites[0], sites[1]);
	assert_int_equal(sites[1], sites[2]);
	compare_sum_owned(&comparison);
	assert_int_equal(
		compare_values(&comparison.function_values, f, COMPARE_OWN_COUNT)[0], 1);
	assert_int_equal(
		compare_values(&comparison.function_values, g, COMPARE_OWN_COUNT)[0], 2);
}

/* Whatever is matched with what, no number is lost or doubled. */
TEST_WITH(sums_survive_matching, set_up, NULL)
{
	int64_t before = 0, after = 0;
	char name[64], linkage[64];
	unsigned seed = 1;

	for (int i = 0; i < 2000; i++) {
		int64_t value;

		seed = seed * 1103515245 + 12345;
		value = (int64_t)(seed >> 8);
		snprintf(name, sizeof(name), "f%u<t%u>(int)", seed >> 4 & 63,
			 seed >> 10 & 7);
		snprintf(linkage, sizeof(linkage), "_Z1f%u%s", seed >> 4 & 127,
			 seed >> 16 & 1 ? ".part.0" : "");
		add(seed >> 20 & 1, name, linkage, "a.cc", seed >> 12 & 255, value);
		if (seed >> 20 & 1)
			after += value;
		else
			before += value;
	}
	match_functions(&comparison);
	assert_int_equal(sum(&comparison.function_values, COMPARE_self_ns, 0), before);
	assert_int_equal(sum(&comparison.function_values, COMPARE_self_ns, 1), after);
	/* What was merged away has nothing left. */
	for (uint32_t i = 0; i < comparison.function_values.count; i++)
		if (!comparison.functions[i].presence)
			assert_int_equal(compare_values(&comparison.function_values, i,
							COMPARE_self_ns)[1],
					 0);
}
