/* SPDX-License-Identifier: MIT */
/* What this is: flame graphs: sums, places, what is left out,
 * differences, turning over. */
#include "analyzer/tree/flame.h"
#include "tests/unit/tests.h"

#include <math.h>

static uint32_t add(struct flame *flame, uint32_t parent, const char *name,
		    int64_t before, int64_t after)
{
	struct flame_box *box = flame_add(flame, parent, name);

	box->self = after;
	box->self_before = before;
	box->presence = (before ? FLAME_BEFORE : 0) | (after ? FLAME_AFTER : 0);
	return (uint32_t)flame->count - 1;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* main 10 -> (b 20, a 60 -> c 10) */
static struct flame *small(void)
{
	struct flame *flame = flame_new(FLAME_TIME, false);
	uint32_t root = add(flame, FLAME_WHOLE, "main", 0, 10), a;

	add(flame, root, "b", 0, 20);
	a = add(flame, root, "a", 0, 60);
	add(flame, a, "c", 0, 10);
	flame_sum(flame);
	return flame;
}

TEST(totals_are_added_up)
{
	struct flame *flame = small();

	assert_int_equal(flame->boxes[FLAME_WHOLE].total, 100);
	assert_int_equal(flame->boxes[FLAME_WHOLE].self, 0);
	assert_int_equal(flame->boxes[1].total, 100);
	assert_int_equal(flame->boxes[3].total, 70);
	assert_int_equal(flame->boxes[3].self, 60);
}

TEST(frames_have_places)
{
	static const char *const names[] = {"all", "main", "a", "c", "b"};
	struct flame *flame = small();

	flame_lay_out(flame, 0);
	assert_int_equal(flame->shown_count, 5);
	assert_int_equal(flame->level_count, 4);
	assert_int_equal(flame->left_out_count, 0);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(flame->boxes[flame->order[i]].name, names[i]);
	assert_true(near(flame->boxes[3].left, 0) && near(flame->boxes[3].width, .7));
	assert_true(near(flame->boxes[2].left, .7) && near(flame->boxes[2].width, .2));
	assert_int_equal(flame->boxes[4].level, 3);
}

/* What is left out is counted with all below it, but its weight once. */
TEST(small_frames_are_left_out)
{
	struct flame *flame = flame_new(FLAME_BYTES, false);
	uint32_t root = add(flame, FLAME_WHOLE, "main", 0, 950), small;

	small = add(flame, root, "small", 0, 30);
	add(flame, small, "smaller", 0, 10);
	add(flame, root, "just enough", 0, 10);
	add(flame, root, "nothing", 0, 0);
	flame_sum(flame);
	flame_lay_out(flame, 5);
	assert_int_equal(flame->shown_count, 2);
	assert_int_equal(flame->left_out_count, 3);
	assert_int_equal(flame->left_out, 50);

	flame = flame_new(FLAME_BYTES, false);
	add(flame, FLAME_WHOLE, "big", 0, 95);
	add(flame, FLAME_WHOLE, "just enough", 0, 5);
	flame_sum(flame);
	flame_lay_out(flame, 5);
	assert_int_equal(flame->shown_count, 3);
	(void)state;
}

TEST(odd_numbers_do_no_harm)
{
	struct flame *flame = flame_new(FLAME_LIVE, false);
	uint32_t root = add(flame, FLAME_WHOLE, "main", 0, INT64_MAX);

	add(flame, root, "huge", 0, INT64_MAX);
	add(flame, root, "less than nothing", 0, INT64_MIN);
	flame_sum(flame);
	flame_lay_out(flame, 0);
	assert_int_equal(flame->boxes[FLAME_WHOLE].total, QUANTITY_BELIEVED);
	assert_int_equal(flame->shown_count, 3);

	flame = flame_new(FLAME_LIVE, false);
	flame_sum(flame);
	flame_lay_out(flame, 0.1);
	assert_int_equal(flame->shown_count, 1);
}

TEST(depth_is_no_limit)
{
	enum { LEVELS = 300000 };
	struct flame *flame = flame_new(FLAME_TIME, false);
	uint32_t at = FLAME_WHOLE;

	for (int i = 0; i < LEVELS; i++)
		at = add(flame, at, "f", 0, 1);
	flame_sum(flame);
	flame_lay_out(flame, 0);
	assert_int_equal(flame->shown_count, LEVELS + 1);
	assert_int_equal(flame->level_count, LEVELS + 1);
}

TEST(differences_are_judged_with_what_is_below)
{
	struct flame *flame = flame_new(FLAME_TIME, true);
	uint32_t root = add(flame, FLAME_WHOLE, "main", 100, 100), parent, gone;

	parent = add(flame, root, "parent", 100, 100);
	add(flame, parent, "slower", 100, 300);
	add(flame, root, "faster", 300, 200);
	add(flame, root, "added", 0, 50);
	gone = add(flame, root, "gone", 40, 0);
	add(flame, gone, "gone, too", 20, 0);
	add(flame, root, "nearly", 1000, 1040);
	flame_sum(flame);
	flame_lay_out(flame, 0);
	assert_int_equal(flame_judge(flame, &flame->boxes[parent]), FLAME_MORE);
	assert_int_equal(flame_judge(flame, &flame->boxes[4]), FLAME_LESS);
	assert_int_equal(flame_judge(flame, &flame->boxes[5]), FLAME_ADDED);
	assert_int_equal(flame_judge(flame, &flame->boxes[8]), FLAME_SAME);
	assert_int_equal(flame->gone_count, 1);
	assert_int_equal(flame->gone[0], gone);
	assert_int_equal(flame->boxes[gone].total_before, 60);
	assert_false(flame->boxes[gone].is_shown);
	/* Counts are exact: 4 % are a change. */
	flame->metric = FLAME_CALLS;
	assert_int_equal(flame_judge(flame, &flame->boxes[8]), FLAME_MORE);
	(void)state;
}

/* A path that both sides took, and that has something of the metric on one of them: it is
 * not new, and what the picture has no width for is listed. */
TEST(paths_without_weight_are_told)
{
	struct flame *flame = flame_new(FLAME_BYTES, true);
	uint32_t first = add(flame, FLAME_WHOLE, "first", 0, 70);
	uint32_t last = add(flame, FLAME_WHOLE, "last", 500, 0);

	flame->boxes[first].presence = FLAME_BEFORE | FLAME_AFTER;
	flame->boxes[last].presence = FLAME_BEFORE | FLAME_AFTER;
	flame_sum(flame);
	flame_lay_out(flame, 0);
	assert_int_equal(flame_judge(flame, &flame->boxes[first]), FLAME_MORE);
	assert_int_equal(flame->gone_count, 1);
	assert_int_equal(flame->gone[0], last);
}

/* Next to nothing of the whole is no change, however large for the box. */
TEST(small_changes_are_none)
{
	struct flame *flame = flame_new(FLAME_ALLOCS, true);

	add(flame, FLAME_WHOLE, "big", 100000, 100000);
	add(flame, FLAME_WHOLE, "tiny", 10, 50);
	flame_sum(flame);
	assert_int_equal(flame_judge(flame, &flame->boxes[2]), FLAME_SAME);
}

static unsigned brightness(uint32_t colour)
{
	return (299 * (colour >> 16) + 587 * (colour >> 8 & 255) + 114 * (colour & 255)) /
	       1000;
}

TEST(colours_tell_sides_apart)
{
	uint32_t less = flame_colour_of(FLAME_LESS, 1),
		 more = flame_colour_of(FLAME_MORE, 1);
	struct flame *flame = small();
	struct flame_box other = {.name = "other", .parent = 1};

	assert_true((less & 255) > (less >> 16));
	assert_true((more & 255) < (more >> 16));
	for (int verdict = FLAME_SAME; verdict <= FLAME_ADDED; verdict++)
		assert_true(brightness(flame_colour_of((enum flame_verdict)verdict, 1)) >
			    120);
	assert_true(flame_colour_of(FLAME_MORE, 0) != more);
	assert_true(flame_colour(flame, &flame->boxes[2]) != flame_colour(flame, &other));
	assert_true(flame_colour(flame, &flame->boxes[2]) ==
		    flame_colour(flame, &flame->boxes[2]));
}

/* main -> a -> leaf 30, main -> b -> leaf 50, main 20 */
TEST(turned_over_functions_stand_outermost)
{
	static const char *const names[] = {"all", "leaf", "b",	  "main",
					    "a",   "main", "main"};
	static const int64_t totals[] = {100, 80, 50, 50, 30, 30, 20};
	struct flame *flame = flame_new(FLAME_SELF, false);
	uint32_t root = add(flame, FLAME_WHOLE, "main", 0, 20);

	add(flame, add(flame, root, "a", 0, 0), "leaf", 0, 30);
	add(flame, add(flame, root, "b", 0, 0), "leaf", 0, 50);
	flame->title = flame_copy(flame, "title");
	flame_sum(flame);
	flame = flame_invert(flame, 0);
	flame_lay_out(flame, 0);
	assert_string_equal(flame->title, "title");
	assert_int_equal(flame->shown_count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_string_equal(flame->boxes[flame->order[i]].name, names[i]);
		assert_int_equal(flame->boxes[flame->order[i]].total, totals[i]);
	}
}

TEST(callers_of_little_are_not_followed)
{
	struct flame *flame = flame_new(FLAME_SELF, false);
	uint32_t root = add(flame, FLAME_WHOLE, "main", 0, 99);

	add(flame, root, "little", 0, 1);
	flame_sum(flame);
	flame = flame_invert(flame, 2);
	flame_lay_out(flame, 2);
	assert_int_equal(flame->boxes[FLAME_WHOLE].total, 100);
	assert_int_equal(flame->count, 3);
	assert_int_equal(flame->shown_count, 2);
	assert_int_equal(flame->left_out_count, 1);
}

TEST(metrics_have_names)
{
	struct strbuf text = {0};

	assert_int_equal(flame_metric_find("time"), FLAME_TIME);
	assert_int_equal(flame_metric_find("at-peak"), FLAME_AT_PEAK);
	assert_int_equal(flame_metric_find("tmie"), FLAME_NO_METRIC);
	assert_true(flame_is_memory(FLAME_BYTES));
	assert_false(flame_is_memory(FLAME_CALLS));
	flame_put_amount(&text, FLAME_SELF, 1500);
	flame_put_amount(&text, FLAME_CALLS, 1);
	flame_put_amount(&text, FLAME_ALLOCS, 2000);
	flame_put_amount(&text, FLAME_LIVE, 2048);
	assert_string_equal(strbuf_text(&text), "1.50us1 call2,000 allocations2.00KiB");
	strbuf_free(&text);
}
