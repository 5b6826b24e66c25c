/* SPDX-License-Identifier: MIT */
/* What this is: runs laid side by side: matching by tiers, folding, sums that balance. */
#include "analyzer/statistics/compare.h"
#include "tests/unit/analyzer/cmocka_all.h"

static struct comparison comparison;

static int set_up(void **state)
{
	(void)state;
	compare_init(&comparison, 1, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	compare_free(&comparison);
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

/* The tier that two functions find each other by; 0: they do not. */
static int tier(const char *name_before, const char *linkage_before,
		const char *name_after, const char *linkage_after, const char *file,
		uint32_t line_after)
{
	uint32_t before, after;
	int found = 0;

	compare_free(&comparison);
	compare_init(&comparison, 1, 1);
	before = add(0, name_before, linkage_before, file, 100, 3);
	after = add(1, name_after, linkage_after, file, line_after, 5);
	compare_match_functions(&comparison);
	if (comparison.functions[after].merged_into == before) {
		const int64_t *values = compare_values(&comparison.function_values,
						       before, COMPARE_self_ns);

		assert_int_equal(values[0], 3);
		assert_int_equal(values[1], 5);
		assert_int_equal(comparison.functions[before].presence, COMPARE_BOTH);
		assert_string_equal(comparison.functions[before].name, name_after);
		found = comparison.functions[before].tier;
	}
	return found;
}

static void tiers(void **state)
{
	(void)state;
	assert_int_equal(tier("f", "f", "f", "f", "a.c", 900), 1);
	assert_int_equal(tier("f", "f", "f.part.0", "f.part.0", "a.c", 100), 2);
	assert_int_equal(tier("f", "f@V1", "f", "f@V2", "a.c", 100), 2);
	assert_int_equal(tier("std::__1::g(int)", "_ZNSt3__11gEi", "std::g(int)",
			      "_ZSt1gi", "a.cc", 900),
			 3);
	assert_int_equal(tier("int g<int>(int)", "_Z1gIiET_S0_", "long g<long>(long)",
			      "_Z1gIlET_S0_", "a.cc", 900),
			 4);
	assert_int_equal(
		tier("n::g(int)", "_ZN1n1gEi", "n::g(long)", "_ZN1n1gEl", NULL, 900), 4);
	assert_int_equal(
		tier("n::g(int)", "_ZN1n1gEi", "m::g(int)", "_ZN1m1gEi", "a.cc", 120), 5);
	assert_int_equal(
		tier("n::g(int)", "_ZN1n1gEi", "m::g(int)", "_ZN1m1gEi", "a.cc", 121), 0);
	assert_int_equal(
		tier("n::g(int)", "_ZN1n1gEi", "m::g(int)", "_ZN1m1gEi", NULL, 100), 0);
	assert_int_equal(tier("f", "f", "h", "h", "a.c", 100), 0);
	/* Addresses mean nothing in another build. */
	assert_int_equal(tier("0x12 (a.so)", NULL, "0x12 (b.so)", NULL, NULL, 0), 0);
}

static void a_nameless_function_belongs_to_its_build(void **state)
{
	struct compare_function_row row = {.name = "0x12 (a.so)", .build_id = "aa"};
	uint32_t before = compare_add_function(&comparison, 0, &row), after;

	(void)state;
	row.build_id = "bb";
	after = compare_add_function(&comparison, 1, &row);
	compare_match_functions(&comparison);
	assert_int_not_equal(before, after);
	assert_int_equal(comparison.functions[after].merged_into, after);
}

static void what_could_be_several_matches_none(void **state)
{
	uint32_t before, first, second;

	(void)state;
	before = add(0, "f<int>(int)", "_Z1fIiEvT_", "a.cc", 1, 1);
	first = add(1, "f<long>(long)", "_Z1fIlEvT_", "a.cc", 100, 1);
	second = add(1, "f<char>(char)", "_Z1fIcEvT_", "a.cc", 200, 1);
	compare_match_functions(&comparison);
	assert_int_equal(comparison.functions[before].presence, COMPARE_BEFORE);
	assert_int_equal(comparison.functions[first].presence, COMPARE_AFTER);
	assert_int_equal(comparison.functions[second].presence, COMPARE_AFTER);
}

static void two_near_lines_match_none(void **state)
{
	uint32_t before, near, far;

	(void)state;
	before = add(0, "f(int)", "_Z1fi", "a.cc", 50, 1);
	near = add(1, "n::f(char)", "_ZN1n1fEc", "a.cc", 60, 1);
	far = add(1, "m::f(long)", "_ZN1m1fEl", "a.cc", 52, 1);
	compare_match_functions(&comparison);
	assert_int_equal(comparison.functions[before].presence, COMPARE_BEFORE);
	assert_int_equal(comparison.functions[near].presence, COMPARE_AFTER);
	assert_int_equal(comparison.functions[far].presence, COMPARE_AFTER);
}

/* Entered on both sides alike. */
static uint32_t add_both(const char *name)
{
	add(0, name, name, "a.c", 1, 1);
	return add(1, name, name, "a.c", 1, 1);
}

static void match(void)
{
	compare_match_functions(&comparison);
	assert_true(compare_wants_edges(&comparison));
}

static uint8_t tier_of(uint32_t before, uint32_t after)
{
	if (comparison.functions[after].merged_into != before)
		return 0;
	assert_int_equal(comparison.functions[before].presence, COMPARE_BOTH);
	assert_false(comparison.functions[before].is_uncertain);
	return comparison.functions[before].tier;
}

static void neighbours_tell_who_moved(void **state)
{
	uint32_t main_number = add_both("main"), other = add_both("other");
	uint32_t one = add(0, "f", "f", NULL, 0, 3),
		 two = add(0, "g::f", "g", NULL, 0, 4);
	uint32_t after_one = add(1, "n::f", "n", NULL, 0, 3);
	uint32_t after_two = add(1, "m::f", "m", NULL, 0, 4);

	(void)state;
	match();
	/* f is called by main, g::f by the other one. */
	compare_add_edge(&comparison, 0, main_number, one);
	compare_add_edge(&comparison, 0, other, two);
	compare_add_edge(&comparison, 1, main_number, after_one);
	compare_add_edge(&comparison, 1, other, after_two);
	compare_match_neighbours(&comparison);
	assert_int_equal(tier_of(one, after_one), COMPARE_MOVED);
	assert_int_equal(tier_of(two, after_two), COMPARE_MOVED);
	assert_string_equal(comparison.functions[one].name, "n::f");
	assert_string_equal(comparison.functions[one].name_before, "f");
}

static void a_chain_of_renames_is_followed(void **state)
{
	uint32_t main_number = add_both("main"), leaf = add_both("leaf");
	uint32_t outer = add(0, "run_old", "run_old", "a.c", 10, 7);
	uint32_t inner = add(0, "step_old", "step_old", "a.c", 20, 9);
	uint32_t after_outer = add(1, "run_new", "run_new", "b.c", 80, 7);
	uint32_t after_inner = add(1, "step_new", "step_new", "b.c", 90, 9);

	(void)state;
	match();
	for (size_t run = 0; run < 2; run++) {
		compare_add_edge(&comparison, run, main_number,
				 run ? after_outer : outer);
		compare_add_edge(&comparison, run, run ? after_outer : outer,
				 run ? after_inner : inner);
		compare_add_edge(&comparison, run, run ? after_inner : inner, leaf);
		/* twice is once */
		compare_add_edge(&comparison, run, run ? after_inner : inner, leaf);
	}
	compare_match_neighbours(&comparison);
	assert_int_equal(tier_of(outer, after_outer), COMPARE_RENAMED);
	assert_int_equal(tier_of(inner, after_inner), COMPARE_RENAMED);
}

static void who_was_split_has_no_partner(void **state)
{
	uint32_t main_number = add_both("main"),
		 whole = add(0, "work", "work", "a.c", 9, 5);
	uint32_t head = add(1, "work_head", "work_head", "a.c", 9, 5);
	uint32_t tail = add(1, "work_tail", "work_tail", "a.c", 19, 5);

	(void)state;
	match();
	compare_add_edge(&comparison, 0, main_number, whole);
	compare_add_edge(&comparison, 1, main_number, head);
	compare_add_edge(&comparison, 1, main_number, tail);
	compare_match_neighbours(&comparison);
	assert_int_equal(comparison.functions[whole].presence, COMPARE_BEFORE);
	assert_true(comparison.functions[whole].is_uncertain);
	assert_true(comparison.functions[head].is_uncertain);
	assert_true(comparison.functions[tail].is_uncertain);
}

static void what_has_little_in_common_stays_apart(void **state)
{
	struct compare_function_row row = {.name = "moved", .module = "libother.so"};
	uint32_t main_number = add_both("main"), leaf = add_both("leaf");
	uint32_t old = add(0, "old", "old", "a.c", 10, 7);
	uint32_t fresh = add(1, "fresh", "fresh", "a.c", 12, 8); /* a line nearby */
	uint32_t home = add(0, "n::moved", "_ZN1n5movedEv", NULL, 0, 7), away;

	(void)state;
	away = compare_add_function(&comparison, 1, &row);
	match();
	compare_add_edge(&comparison, 0, main_number, old);
	compare_add_edge(&comparison, 1, main_number, fresh);
	compare_add_edge(&comparison, 0, leaf, home);
	compare_add_edge(&comparison, 1, leaf, away);
	compare_match_neighbours(&comparison);
	assert_int_equal(comparison.functions[fresh].presence, COMPARE_AFTER);
	assert_int_equal(comparison.functions[away].presence, COMPARE_AFTER);
	assert_false(comparison.functions[old].is_uncertain);
}

static void static_namesakes_stay_apart(void **state)
{
	(void)state;
	assert_int_not_equal(add(0, "helper", "helper", "a.c", 1, 1),
			     add(0, "helper", "helper", "b.c", 1, 1));
	assert_int_equal(add(0, "helper", "helper", "a.c", 1, 1),
			 add(1, "helper", "helper", "/other/place/a.c", 7, 1));
}

static const int64_t one[COMPARE_PATH_METRICS] = {[0 ... COMPARE_PATH_METRICS - 1] = 1};

static void recursion_is_folded(void **state)
{
	uint32_t f = add(0, "f", "f", "a.c", 1, 1), g = add(0, "g", "g", "a.c", 2, 1);
	uint32_t root, child, again;

	(void)state;
	compare_match_functions(&comparison);
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
static void counted_functions_stand_on_no_path(void **state)
{
	uint32_t f = add_timed(0, "f", false, false), g = add_timed(0, "g", false, false);
	uint32_t h = add_timed(0, "h", false, false), root, left_out, before, after;

	(void)state;
	add_timed(1, "f", false, true);
	add_timed(1, "g", true, false);
	add_timed(1, "h", false, false);
	compare_match_functions(&comparison);
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

static void paths_follow_renamed_functions(void **state)
{
	uint32_t before = add(0, "f", "f", "a.c", 1, 1);
	uint32_t after = add(1, "f.isra.0", "f.isra.0", "a.c", 1, 1);
	uint32_t path;

	(void)state;
	compare_match_functions(&comparison);
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

static void sites_move_with_their_function(void **state)
{
	uint32_t before = add(0, "f", "f", "/src/a.c", 10, 1);
	uint32_t after = add(1, "f", "f", "/src/a.c", 40, 1);
	uint32_t path, old, moved, added, far;

	(void)state;
	compare_match_functions(&comparison);
	path = compare_add_path(&comparison, 0, COMPARE_NONE, before, one);
	compare_add_path(&comparison, 1, COMPARE_NONE, after, one);
	old = compare_add_site(&comparison, 0, path, "/src/a.c", 15, one);
	moved = compare_add_site(&comparison, 1, path, "/src/a.c", 45, one);
	assert_int_equal(old, moved);
	/* A line put in between moves it inside of the function, too. */
	old = compare_add_site(&comparison, 0, path, "/src/a.c", 20, one);
	moved = compare_add_site(&comparison, 1, path, "/src/a.c", 52, one);
	added = compare_add_site(&comparison, 1, path, "/src/a.c", 60, one);
	far = compare_add_site(&comparison, 1, path, "/src/a.c", 99, one);
	compare_match_sites(&comparison);
	assert_int_equal(site(moved), old);
	assert_int_equal(comparison.sites[old].tier, 5);
	assert_int_equal(comparison.sites[old].line_after, 52);
	assert_int_equal(site(added), added);
	assert_int_equal(comparison.sites[far].presence, COMPARE_AFTER);
}

static void sites_move_to_another_file(void **state)
{
	uint32_t before = add(0, "f", "f", "/src/a.c", 10, 1);
	uint32_t after = add(1, "f", "f", "/src/b.c", 40, 1), path, old;

	(void)state;
	compare_match_functions(&comparison);
	path = compare_add_path(&comparison, 0, COMPARE_NONE, before, one);
	assert_int_equal(compare_add_path(&comparison, 1, COMPARE_NONE, after, one),
			 path);
	old = compare_add_site(&comparison, 0, path, "/src/a.c", 15, one);
	assert_int_equal(compare_add_site(&comparison, 1, path, "/src/b.c", 45, one),
			 old);
	/* Not its own. */
	old = compare_add_site(&comparison, 0, path, "/src/x.h", 15, one);
	assert_int_not_equal(compare_add_site(&comparison, 1, path, "/src/y.h", 15, one),
			     old);
}

static void allocations_belong_to_who_led_to_them(void **state)
{
	struct compare_function_row library = {.name = "strdup", .is_library = true};
	uint32_t f = add(0, "f", "f", "a.c", 1, 0), path;
	uint32_t strdup_number = compare_add_function(&comparison, 0, &library);

	(void)state;
	path = compare_add_path(&comparison, 0, COMPARE_NONE, f, one);
	assert_int_equal(compare_owner(&comparison, path), path);
	assert_int_equal(compare_owner(&comparison, compare_add_path(&comparison, 0, path,
								     strdup_number, one)),
			 path);
	assert_int_equal(
		compare_values(&comparison.function_values, f, COMPARE_OWN_COUNT)[0], 2);
	assert_int_equal(compare_values(&comparison.function_values, strdup_number,
					COMPARE_OWN_COUNT)[0],
			 0);
}

/* Whatever is matched with what, no number is lost or doubled. */
static void sums_survive_matching(void **state)
{
	int64_t before = 0, after = 0;
	char name[64], linkage[64];
	unsigned seed = 1;

	(void)state;
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
	compare_match_functions(&comparison);
	assert_int_equal(sum(&comparison.function_values, COMPARE_self_ns, 0), before);
	assert_int_equal(sum(&comparison.function_values, COMPARE_self_ns, 1), after);
	for (uint32_t i = 0; i < 5000; i++) {
		seed = seed * 1103515245 + 12345;
		compare_add_edge(&comparison, seed >> 20 & 1,
				 (seed >> 4) % (uint32_t)comparison.function_values.count,
				 (seed >> 9) %
					 (uint32_t)comparison.function_values.count);
	}
	compare_match_neighbours(&comparison);
	assert_int_equal(sum(&comparison.function_values, COMPARE_self_ns, 0), before);
	assert_int_equal(sum(&comparison.function_values, COMPARE_self_ns, 1), after);
	/* What was merged away has nothing left. */
	for (uint32_t i = 0; i < comparison.function_values.count; i++)
		if (!comparison.functions[i].presence)
			assert_int_equal(compare_values(&comparison.function_values, i,
							COMPARE_self_ns)[1],
					 0);
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(tiers),
		CASE(a_nameless_function_belongs_to_its_build),
		CASE(what_could_be_several_matches_none),
		CASE(two_near_lines_match_none),
		CASE(neighbours_tell_who_moved),
		CASE(a_chain_of_renames_is_followed),
		CASE(who_was_split_has_no_partner),
		CASE(what_has_little_in_common_stays_apart),
		CASE(static_namesakes_stay_apart),
		CASE(recursion_is_folded),
		CASE(counted_functions_stand_on_no_path),
		CASE(paths_follow_renamed_functions),
		CASE(sites_move_with_their_function),
		CASE(sites_move_to_another_file),
		CASE(allocations_belong_to_who_led_to_them),
		CASE(sums_survive_matching),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
