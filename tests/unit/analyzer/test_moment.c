/* SPDX-License-Identifier: MIT */
/* What this is: what a word on the command line means among snapshots. */
#include "analyzer/model/moment.h"
#include "tests/unit/tests.h"

static const struct snapshot snapshots[] = {
	{.snapshot_id = 11, .number = 1, .label = "loaded"},
	{.snapshot_id = 14, .number = 2, .label = "tick"},
	{.snapshot_id = 17, .number = 3, .label = "tick"},
	{.snapshot_id = 18, .number = 4, .label = "exit"},
	{.snapshot_id = 19, .number = 5, .label = "3"},
	{.snapshot_id = 20, .number = 6, .label = "a#b"},
	{.snapshot_id = 21, .number = 7, .label = ""},
};

static struct moment find(const char *word)
{
	return moment_find(word, snapshots, sizeof(snapshots) / sizeof(snapshots[0]));
}

static int64_t number(const char *word)
{
	struct moment moment = find(word);

	return moment.kind == MOMENT_SNAPSHOT ? moment.snapshot->number : -1;
}

TEST(labels)
{
	struct moment ticks = find("tick");

	assert_int_equal(number("loaded"), 1);
	assert_int_equal(ticks.kind, MOMENT_MANY);
	assert_int_equal(ticks.count, 2);
	assert_int_equal(ticks.snapshot->number, 2);
	assert_int_equal(number("tick#1"), 2);
	assert_int_equal(number("tick#2"), 3);
	assert_int_equal(find("tick#3").kind, MOMENT_NONE);
	assert_int_equal(find("tick#0").kind, MOMENT_NONE);
	assert_int_equal(find("tic").kind, MOMENT_NONE);
	assert_int_equal(number("a#b"), 6);
	assert_int_equal(number("a#b#1"), 6);
	assert_int_equal(number(""), 7);
}

TEST(numbers)
{
	assert_int_equal(number("3"), 3);
	assert_int_equal(number("#3"), 3);
	assert_int_equal(number("3#1"), 5);
	assert_int_equal(find("0").kind, MOMENT_START);
	assert_int_equal(find("8").kind, MOMENT_NONE);
	assert_int_equal(find("99999999999999999999").kind, MOMENT_NONE);
	assert_int_equal(find("-1").kind, MOMENT_NONE);
}

TEST(words)
{
	struct moment start = find("start"), end = moment_find("exit", snapshots, 3);

	assert_int_equal(start.kind, MOMENT_START);
	assert_int_equal(moment_id(&start), 0);
	assert_int_equal(find("peak").kind, MOMENT_PEAK);
	assert_int_equal(end.kind, MOMENT_EXIT);
	assert_int_equal(find("now").kind, MOMENT_EXIT);
	assert_true(moment_id(&end) == INT64_MAX);
	/* A label of the user's comes before the word. */
	assert_int_equal(number("exit"), 4);
	assert_int_equal(moment_find("loaded", NULL, 0).kind, MOMENT_NONE);
}
