/* SPDX-License-Identifier: MIT */
/* What this is: changes judged, limits parsed, and one held against the other. */
#include "analyzer/statistics/gate.h"
#include "tests/unit/tests.h"

#include <math.h>

static struct gate gate;

static void parse(const char *text)
{
	gate = (struct gate){0};
	gate_parse_limits(&gate, text);
}

TEST(limits)
{
	parse("wall=5%, alloc_bytes=0%,peak=1MiB,func:parse.total=10%");
	assert_int_equal(gate.count, 4);
	assert_int_equal(gate.limits[0].metric, GATE_WALL);
	assert_true(gate.limits[0].is_percent);
	assert_true(gate.limits[0].most == 5);
	assert_string_equal(gate.limits[1].text, "alloc_bytes=0%");
	assert_int_equal(gate.limits[2].metric, GATE_PEAK);
	assert_false(gate.limits[2].is_percent);
	assert_true(gate.limits[2].most == 1 << 20);
	assert_string_equal(gate.limits[3].function, "parse");
	assert_int_equal(gate.limits[3].metric, GATE_TOTAL);
	parse("func:ns::f<a, b>(int, char*).alloc_count=100,wall=1.5s");
	assert_string_equal(gate.limits[0].function, "ns::f<a, b>(int, char*)");
	assert_true(gate.limits[1].most == 1.5e9);
	/* A share and an amount of one thing: both must hold. */
	parse("wall=5%,wall=50ms");
	parse("wall=5%,wall=5%");
}

static void assert_refused(const char *text, const char *why)
{
	assert_fails(parse(text), why);
}

TEST(wrong_limits)
{
	assert_refused("wal=5%", "did you mean 'wall'");
	assert_refused("wall=fast", "not a number");
	assert_refused("wall=", "not a number");
	assert_refused("wall=nan%", "not a number");
	assert_refused("wall", "is no limit");
	assert_refused("=5%", "is no limit");
	assert_refused("", "is no limit");
	assert_refused("wall=5%,", "is no limit");
	assert_refused("wall=-5%", "cannot be negative");
	assert_refused("wall=5MiB", "'5MiB' is no limit for wall");
	assert_refused("peak=5", "'5' is no limit for peak");
	assert_refused("calls=5s", "'5s' is no limit for calls");
	assert_refused("wall=5%,wall=10%", "contradict");
	assert_refused("func:f.self=1%,peak=0%,func:f.self=2%", "contradict");
	assert_refused("func:parse=5%", "lacks a metric");
	assert_refused("func:parse.peak=5%", "a function has no metric 'peak'");
	assert_refused("total=5%", "no metric 'total'");
}

TEST(words)
{
	gate = (struct gate){0};
	assert_false(gate_is_set(&gate));
	gate_parse_fail_on(&gate, "regression,inconclusive");
	assert_true(gate.on_regression && gate.on_inconclusive && gate_is_set(&gate));
	assert_fails(gate_parse_fail_on(&gate, "regressions"),
		     "'regressions' is not known");
	assert_true(FAILS(gate_parse_fail_on(&gate, "")));
}

static enum gate_result check(const char *limit, const struct change *change)
{
	parse(limit);
	return gate_check(&gate.limits[0], change);
}

TEST(exact_quantities)
{
	struct change same = change_of((int64_t[]){100, 100}, 1, 1, true);
	struct change more = change_of((int64_t[]){100, 101}, 1, 1, true);
	struct change less = change_of((int64_t[]){100, 99}, 1, 1, true);
	struct change from_none = change_of((int64_t[]){0, 1}, 1, 1, true);

	assert_int_equal(same.outcome, OUTCOME_UNCHANGED);
	assert_int_equal(more.outcome, OUTCOME_REGRESSED);
	assert_int_equal(less.outcome, OUTCOME_IMPROVED);
	assert_int_equal(check("alloc_count=0%", &same), GATE_KEPT);
	assert_int_equal(check("alloc_count=0%", &more), GATE_EXCEEDED);
	assert_int_equal(check("alloc_count=1%", &more), GATE_KEPT);
	assert_int_equal(check("alloc_count=0", &more), GATE_EXCEEDED);
	assert_int_equal(check("alloc_count=1", &more), GATE_KEPT);
	assert_int_equal(check("alloc_count=0%", &less), GATE_KEPT);
	assert_int_equal(check("alloc_count=1000%", &from_none), GATE_EXCEEDED);
}

TEST(a_few_bytes_are_forgiven)
{
	struct change few = change_of((int64_t[]){10000000, 10004000}, 1, 1, true);
	struct change pages = change_of((int64_t[]){10000000, 10004096}, 1, 1, true);
	struct change large = change_of((int64_t[]){10000, 10012}, 1, 1, true);
	struct change noisy = change_of((int64_t[]){100, 101, 200, 201}, 2, 2, true);
	enum outcome outcome = noisy.outcome;

	change_forgive_bytes(&few);
	change_forgive_bytes(&pages);
	change_forgive_bytes(&large);
	change_forgive_bytes(&noisy);
	assert_int_equal(few.outcome, OUTCOME_UNCHANGED);
	assert_int_equal(pages.outcome, OUTCOME_REGRESSED);
	assert_int_equal(large.outcome, OUTCOME_REGRESSED);
	assert_int_equal(noisy.outcome, outcome);
}

TEST(one_pair_of_times_is_not_judged)
{
	struct change change = change_of((int64_t[]){100, 200}, 1, 1, false);

	assert_int_equal(change.outcome, OUTCOME_OPEN);
	assert_false(change.is_exact || change.is_tested || change.is_demoted);
	/* nor held against a limit: 100 and 200 may be two runs of one program */
	assert_int_equal(check("wall=5%", &change), GATE_NOT_MEASURED);
	assert_int_equal(check("wall=100%", &change), GATE_NOT_MEASURED);
	assert_false(gate_can_judge(&change));
	change = change_of((int64_t[]){100, 200}, 1, 1, true);
	assert_true(gate_can_judge(&change));
}

/* Ten runs a side of about 1000, the side after longer. */
static struct change groups(int64_t longer, bool is_countable)
{
	static const int64_t noise[] = {0, 7, 3, 9, 5, 1, 8, 2, 6, 4};
	int64_t values[20];

	for (int i = 0; i < 10; i++) {
		values[i] = 1000 + noise[i];
		values[10 + i] = 1000 + longer + noise[9 - i];
	}
	return change_of(values, 10, 10, is_countable);
}

TEST(groups_of_times)
{
	struct change slower = groups(100, false), same = groups(0, false);
	struct change demoted = groups(100, true), faster = groups(-100, false);

	assert_true(slower.is_tested && !slower.is_exact);
	assert_int_equal(slower.outcome, OUTCOME_REGRESSED);
	assert_int_equal(faster.outcome, OUTCOME_IMPROVED);
	assert_int_equal(same.outcome, OUTCOME_UNCHANGED);
	assert_true(demoted.is_demoted && demoted.is_tested && !demoted.is_exact);
	assert_int_equal(demoted.outcome, OUTCOME_REGRESSED);
	assert_true(slower.ratio.low > 1.09 && slower.ratio.high < 1.11);
	assert_int_equal(check("wall=5%", &slower), GATE_EXCEEDED);
	assert_int_equal(check("wall=20%", &slower), GATE_KEPT);
	assert_int_equal(check("wall=10%", &slower), GATE_INCONCLUSIVE);
	assert_int_equal(check("wall=50ns", &slower), GATE_EXCEEDED);
	assert_int_equal(check("wall=200ns", &slower), GATE_KEPT);
	assert_int_equal(check("wall=5%", &same), GATE_KEPT);
}

/* The same of times with an error, the same in all runs of a side. */
static struct change estimates(int64_t longer, int64_t before_error, int64_t after_error)
{
	struct change plain = groups(longer, false);
	int64_t values[20], errors[20];

	for (int i = 0; i < 10; i++) {
		values[i] = 1000 + i;
		values[10 + i] = 1000 + longer + i;
		errors[i] = before_error;
		errors[10 + i] = after_error;
	}
	assert_int_equal(
		plain.outcome,
		change_of_estimates(values,
				    &(struct change_errors){.errors = (int64_t[20]){0}},
				    10, 10)
			.outcome);
	return change_of_estimates(values, &(struct change_errors){.errors = errors}, 10,
				   10);
}

TEST(a_difference_exceeds_both_errors)
{
	struct change clear = estimates(200, 60, 60), faint = estimates(200, 160, 160);

	assert_int_equal(clear.outcome, OUTCOME_REGRESSED);
	assert_false(clear.is_blurred);
	assert_float_equal(change_error(&clear), 84.85, 0.01);
	assert_true(clear.runs_shift.low > 190 && clear.shift.low < 120);
	assert_true(clear.ratio.low > 1.05 && clear.ratio.low < clear.runs_ratio.low);
	assert_int_equal(check("wall=5%", &clear), GATE_EXCEEDED);
	/* 226 is more than 200 */
	assert_int_equal(faint.outcome, OUTCOME_INCONCLUSIVE);
	assert_true(faint.is_blurred);
	assert_int_equal(faint.runs_needed, 0);
	assert_int_equal(check("wall=5%", &faint), GATE_BLURRED);
	assert_int_equal(check("wall=100ns", &faint), GATE_BLURRED);
	/* The same error on both sides does not make it more. */
	assert_int_equal(check("wall=50%", &faint), GATE_KEPT);
	assert_int_equal(estimates(-200, 160, 160).outcome, OUTCOME_INCONCLUSIVE);
	assert_int_equal(estimates(-200, 60, 60).outcome, OUTCOME_IMPROVED);
}

/* What is wrong with both sides alike makes no difference. */
TEST(the_same_error_on_both_sides_is_none)
{
	struct change same = estimates(0, 300, 300), other = estimates(0, 300, 20);

	assert_int_equal(same.outcome, OUTCOME_UNCHANGED);
	assert_false(same.is_blurred);
	assert_int_equal(check("wall=5%", &same), GATE_KEPT);
	assert_int_equal(other.outcome, OUTCOME_INCONCLUSIVE);
	assert_true(other.is_blurred);
	assert_int_equal(check("wall=5%", &other), GATE_BLURRED);
}

TEST(what_is_not_known_is_not_judged)
{
	struct change unknown = estimates(100, 5000, 5000);
	int64_t zeros[] = {0, 0, 0, 0, 0, 90, 91, 92, 93, 94}, errors[10];
	struct change from_none, pair;

	assert_int_equal(unknown.outcome, OUTCOME_INCONCLUSIVE);
	assert_true(isfinite(unknown.ratio.high) && unknown.ratio.low > 0);
	unknown = estimates(0, 1100, 1100);
	assert_int_equal(unknown.outcome, OUTCOME_INCONCLUSIVE);
	assert_int_equal(check("wall=5%", &unknown), GATE_BLURRED);
	assert_int_equal(check("wall=2us", &unknown), GATE_KEPT);
	for (int i = 0; i < 10; i++)
		errors[i] = 200;
	from_none = change_of_estimates(zeros, &(struct change_errors){.errors = errors},
					5, 5);
	assert_int_equal(from_none.outcome, OUTCOME_INCONCLUSIVE);
	pair = change_of_estimates((int64_t[]){100, 200},
				   &(struct change_errors){.errors = (int64_t[]){10, 10}},
				   1, 1);
	assert_int_equal(pair.outcome, OUTCOME_OPEN);
	assert_float_equal(change_error(&pair), 14.14, 0.01);
	assert_int_equal(check("wall=5%", &pair), GATE_NOT_MEASURED);
}

TEST(corrected_tests_keep_their_errors)
{
	struct change changes[2] = {estimates(200, 160, 160), estimates(200, 60, 60)};

	change_adjust(changes, 2, 10, 10);
	assert_int_equal(changes[0].outcome, OUTCOME_INCONCLUSIVE);
	assert_true(changes[0].is_blurred);
	assert_int_equal(changes[1].outcome, OUTCOME_REGRESSED);
}

TEST(too_few_runs_never_pass)
{
	struct change change = change_of((int64_t[]){100, 101, 200, 201}, 2, 2, false);
	struct change one_side = change_of((int64_t[]){100, 101, 102, 200}, 3, 1, false);

	assert_int_equal(change.outcome, OUTCOME_INCONCLUSIVE);
	assert_true(change.runs_needed > 2);
	assert_int_equal(check("wall=500%", &change), GATE_NOT_MEASURED);
	assert_int_equal(check("wall=5%", &one_side), GATE_NOT_MEASURED);
}

TEST(zeros_have_an_interval_too)
{
	int64_t values[] = {0, 100, 101, 102, 103, 104, 300, 301, 302, 303, 304, 305};
	int64_t none[] = {0, 0, 0, 0, 0, 10, 20, 30, 40, 50};
	struct change change = change_of(values, 6, 6, false);
	struct change from_none = change_of(none, 5, 5, false);

	assert_true(change.is_tested);
	assert_int_equal(change.outcome, OUTCOME_REGRESSED);
	assert_false(from_none.is_tested);
	assert_int_equal(from_none.outcome, OUTCOME_INCONCLUSIVE);
	assert_int_equal(check("wall=5%", &from_none), GATE_NOT_MEASURED);
}

TEST(many_tests_are_corrected)
{
	struct change changes[200];

	for (int i = 0; i < 200; i++)
		changes[i] = i ? groups(0, false)
			       : change_of((int64_t[]){1000, 1001, 1002, 1003, 1500, 1501,
						       1502, 1503},
					   4, 4, false);
	assert_int_equal(changes[0].outcome, OUTCOME_REGRESSED);
	change_adjust(changes, 200, 4, 4);
	assert_int_equal(changes[0].outcome, OUTCOME_INCONCLUSIVE);
	assert_true(changes[0].p > 0.5);
	assert_int_equal(changes[1].outcome, OUTCOME_UNCHANGED);
}
