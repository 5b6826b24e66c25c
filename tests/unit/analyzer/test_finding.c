/* SPDX-License-Identifier: MIT */
/* What this is: findings: the curve of the score, severities, merging, ranking. */
#include "analyzer/findings/finding_merge.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <math.h>

static struct finding rated(double impact, enum confidence confidence)
{
	struct finding finding = {.impact = impact, .confidence = confidence};

	finding_rate(&finding);
	return finding;
}

TEST(the_score_follows_the_curve)
{
	struct finding quarter = rated(0.25, CONFIDENCE_HIGH);

	assert_true(quarter.score > 63.2 && quarter.score < 63.3);
	assert_int_equal(quarter.severity, SEVERITY_CRITICAL);
	assert_int_equal(rated(0.25, CONFIDENCE_MEDIUM).severity, SEVERITY_HIGH);
	assert_int_equal(rated(0.25, CONFIDENCE_LOW).severity, SEVERITY_MEDIUM);
	assert_int_equal(rated(0.101, CONFIDENCE_HIGH).severity, SEVERITY_HIGH);
	assert_int_equal(rated(0.099, CONFIDENCE_HIGH).severity, SEVERITY_MEDIUM);
	assert_int_equal(rated(0.03, CONFIDENCE_HIGH).severity, SEVERITY_MEDIUM);
	assert_int_equal(rated(0.029, CONFIDENCE_HIGH).severity, SEVERITY_LOW);
	assert_int_equal(rated(0.01, CONFIDENCE_HIGH).severity, SEVERITY_LOW);
	assert_int_equal(rated(0.009, CONFIDENCE_HIGH).severity, SEVERITY_INFO);
}

TEST(impacts_are_held_within_bounds)
{
	struct finding finding = rated(NAN, CONFIDENCE_HIGH);

	assert_true(finding.score == 0 && finding.impact == 0);
	finding = rated(-1, CONFIDENCE_HIGH);
	assert_true(finding.score == 0);
	finding = rated(1e300, CONFIDENCE_HIGH);
	assert_true(finding.impact == 1 && finding.score < 100);
}

TEST(rules_can_set_a_severity)
{
	struct finding finding = {.impact = 0.001, .least_severity = SEVERITY_HIGH};

	finding_rate(&finding);
	assert_int_equal(finding.severity, SEVERITY_HIGH);
	assert_true(finding.score == 33);
	finding = (struct finding){.impact = 1,
				   .confidence = CONFIDENCE_HIGH,
				   .least_severity = SEVERITY_MEDIUM};
	finding_rate(&finding);
	assert_int_equal(finding.severity, SEVERITY_CRITICAL);
	for (enum severity i = SEVERITY_INFO; i < SEVERITY_COUNT; i++) {
		finding = (struct finding){.impact = 1};
		finding_fix_severity(&finding, i);
		finding_rate(&finding);
		assert_int_equal(finding.severity, i);
		finding = (struct finding){.impact = 1, .confidence = CONFIDENCE_HIGH};
		finding_cap_severity(&finding, i);
		finding_rate(&finding);
		assert_int_equal(finding.severity, i);
		finding.impact = 0;
		finding_rate(&finding);
		assert_int_equal(finding.severity, SEVERITY_INFO);
	}
}

/* main(1) > run(2) > parse(3) > lookup(4), run > write(5); path ids are 10 times that. */
static struct calltree *make_tree(void)
{
	static const int64_t parents[] = {0, 10, 20, 30, 20};
	struct calltree *tree = calltree_new();

	for (int64_t i = 1; i <= 5; i++) {
		calltree_add_function(tree, i, "f");
		calltree_add_path(tree, 10 * i, parents[i - 1], i);
	}
	calltree_link(tree);
	return tree;
}

static struct finding *add(struct findings *findings, char kind, int64_t path_id,
			   double impact, unsigned specific)
{
	struct finding *finding = findings_add(findings, NULL, kind, specific);

	finding->path_id = path_id;
	finding->impact = impact;
	finding->confidence = CONFIDENCE_HIGH;
	return finding;
}

static const struct finding *at_path(const struct findings *findings, int64_t path_id,
				     char kind)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].path_id == path_id &&
		    findings->list[i].kind == kind)
			return &findings->list[i];
	return NULL;
}

TEST(nested_findings_become_one)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};
	const struct finding *kept;

	add(&findings, 'T', 20, 0.5, 1);
	add(&findings, 'T', 30, 0.45, 1);
	add(&findings, 'T', 40, 0.41, 1); /* 82 % of run's */
	add(&findings, 'T', 50, 0.39, 1); /* 78 % of run's, and beside it */
	add(&findings, 'M', 20, 0.1, 1);  /* memory is another thing */
	add(&findings, 'T', 0, 0.1, 1);	  /* of the whole run */
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 4);
	kept = at_path(&findings, 40, 'T');
	assert_non_null(kept);
	assert_int_equal(kept->also_count, 2);
	/* It takes over the outermost one's score. */
	assert_true(kept->score > rated(0.49, CONFIDENCE_HIGH).score);
	assert_true(kept == &findings.list[0]);
	assert_non_null(at_path(&findings, 50, 'T'));
	assert_non_null(at_path(&findings, 20, 'M'));
	assert_non_null(at_path(&findings, 0, 'T'));
	for (size_t i = 1; i < findings.count; i++)
		assert_true(findings.list[i - 1].score >= findings.list[i].score);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(an_outer_finding_stays_when_more_is_in_it)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};

	add(&findings, 'T', 20, 0.8, 1);
	add(&findings, 'T', 30, 0.4, 1);
	add(&findings, 'T', 50, 0.4, 1);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 3);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(the_deepest_must_explain_the_outer_itself)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};

	/* lookup explains parse, but of main's only 66 %; parse is not there any more. */
	add(&findings, 'T', 10, 0.6, 1);
	add(&findings, 'T', 30, 0.49, 1);
	add(&findings, 'T', 40, 0.4, 1);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	assert_non_null(at_path(&findings, 10, 'T'));
	assert_int_equal(at_path(&findings, 40, 'T')->also_count, 1);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(on_one_path_the_more_specific_stays)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};

	add(&findings, 'T', 40, 0.5, 1);
	add(&findings, 'T', 40, 0.45, 2);
	add(&findings, 'T', 40, 0.2, 0);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0].specific, 2);
	assert_int_equal(findings.list[0].also_count, 2);
	findings = (struct findings){0};
	/* It says why, but only of a small part. */
	add(&findings, 'T', 40, 0.5, 1);
	add(&findings, 'T', 40, 0.1, 2);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(a_capped_severity_hides_nothing_worse)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};
	struct finding *inner = add(&findings, 'T', 40, 0.5, 0), *outer;

	finding_fix_severity(inner, SEVERITY_LOW);
	outer = add(&findings, 'T', 30, 0.1, 0);
	finding_fix_severity(outer, SEVERITY_HIGH);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	assert_int_equal(findings.list[0].severity, SEVERITY_HIGH);
	assert_int_equal(findings.list[1].severity, SEVERITY_LOW);
	findings = (struct findings){0};
	calltree_free(tree);
}

/* Rules are borrowed and compared by address only. */
static const char slow_rule, faults_rule, cause_rule, other_rule;
#define RULE(name) ((const struct rule *)&name##_rule)

static struct finding *add_of(struct findings *findings, const struct rule *rule,
			      int64_t function_id, double impact)
{
	struct finding *finding =
		add(findings, 'T', function_id ? 10 * function_id : 0, impact, 1);

	finding->rule = rule;
	finding->function_id = function_id;
	return finding;
}

static const struct rule *const slow_and_faults[] = {RULE(slow), RULE(faults), NULL};

static struct finding *add_cause(struct findings *findings, int64_t function_id,
				 double impact)
{
	struct finding *cause = add_of(findings, RULE(cause), function_id, impact);

	cause->kind = 'M';
	cause->explains = slow_and_faults;
	return cause;
}

static size_t count_of(const struct findings *findings, const struct rule *rule)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->list[i].rule == rule;
	return count;
}

TEST(a_cause_takes_in_what_it_explains)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};

	add_cause(&findings, 4, 0.26);
	add_of(&findings, RULE(slow), 4, 0.5); /* 52 % explained */
	add_of(&findings, RULE(slow), 5, 0.3); /* of another function */
	/* not among what it explains */
	add_of(&findings, RULE(other), 4, 0.3)->kind = 'R';
	add_of(&findings, RULE(other), 0, 0.3);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 4);
	assert_int_equal(count_of(&findings, RULE(slow)), 1);
	assert_int_equal(count_of(&findings, RULE(other)), 2);
	assert_ptr_equal(findings.list[0].rule, RULE(cause));
	assert_int_equal(findings.list[0].also_count, 1);
	assert_ptr_equal(findings.list[0].also[0].rule, RULE(slow));
	assert_true(findings.list[0].score == rated(0.5, CONFIDENCE_HIGH).score);
	findings = (struct findings){0};
	/* Not more than it explains. */
	add_cause(&findings, 4, 0.24);
	add_of(&findings, RULE(slow), 4, 0.5);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	findings = (struct findings){0};
	/* It takes over a severity up to its cap: of one leak one finding is enough. */
	finding_cap_severity(add_cause(&findings, 4, 0.01), SEVERITY_MEDIUM);
	findings.list[0].saving_bytes = 900;
	finding_fix_severity(add_of(&findings, RULE(slow), 4, 0.5), SEVERITY_MEDIUM);
	findings.list[1].saving_bytes = 1000;
	findings.peak_bytes = 1000;
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0].severity, SEVERITY_MEDIUM);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(causes_share_what_is_of_the_whole_run)
{
	struct calltree *tree = make_tree();
	struct findings findings = {0};

	add_cause(&findings, 4, 0.2);
	add_cause(&findings, 5, 0.25);
	add_of(&findings, RULE(faults), 0, 0.5);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	assert_int_equal(findings.list[0].function_id, 5);
	assert_int_equal(findings.list[0].also_count, 1);
	assert_int_equal(findings.list[1].also_count, 0);
	findings = (struct findings){0};
	add_cause(&findings, 4, 0.2);
	add_cause(&findings, 5, 0.19);
	add_of(&findings, RULE(faults), 0, 0.5);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 3);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(nothing_is_lost_where_causes_meet)
{
	static const struct rule *const only_cause[] = {RULE(cause), NULL};
	static const struct rule *const only_slow[] = {RULE(slow), NULL};
	struct calltree *tree = make_tree();
	struct findings findings = {0};

	/* What the slow one has taken in comes along: its caller, and faults. */
	add_of(&findings, RULE(faults), 4, 0.5)->kind = 'R';
	add_of(&findings, RULE(slow), 4, 0.5)->explains = slow_and_faults;
	add_of(&findings, RULE(other), 3, 0.6);
	add_cause(&findings, 4, 0.5)->explains = only_slow;
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 1);
	assert_ptr_equal(findings.list[0].rule, RULE(cause));
	assert_int_equal(findings.list[0].also_count, 3);
	assert_true(findings.list[0].score == rated(0.6, CONFIDENCE_HIGH).score);
	findings = (struct findings){0};
	/* Of two that explain each other one stays. */
	add_cause(&findings, 4, 0.5);
	add_of(&findings, RULE(slow), 4, 0.5)->explains = only_cause;
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.list[0].also_count, 1);
	findings = (struct findings){0};
	/* One that is capped hides nothing worse. */
	finding_cap_severity(add_cause(&findings, 4, 0.5), SEVERITY_INFO);
	add_of(&findings, RULE(slow), 4, 0.5);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	findings = (struct findings){0};
	calltree_free(tree);
}

/* Parents in a ring, paths that are not there, nothing at all. */
TEST(damage_is_survived)
{
	struct calltree *tree = calltree_new();
	struct findings findings = {0};

	calltree_add_path(tree, 1, 2, 7);
	calltree_add_path(tree, 2, 1, 7);
	calltree_link(tree);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 0);
	add(&findings, 'T', 1, 0.5, 1);
	add(&findings, 'T', 2, 0.5, 1);
	add(&findings, 'T', 99, 0.5, 1);
	findings_finish(&findings, tree);
	assert_int_equal(findings.count, 2);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(savings_have_a_ceiling)
{
	struct finding finding = {.saving_ns = 290, .saving_share = 0.29};

	assert_true(finding_ceiling(&finding) > 1.40 && finding_ceiling(&finding) < 1.41);
	finding.saving_share = 1;
	assert_true(finding_ceiling(&finding) == 0);
	finding.saving_ns = 0;
	assert_true(finding_ceiling(&finding) == 0);
}

TEST(no_time_beyond_the_run_is_saved)
{
	struct calltree *tree = make_tree();
	struct findings findings = {.wall_ns = 100};

	add(&findings, 'T', 30, 0.5, 1)->saving_ns = 101;
	add(&findings, 'T', 50, 0.5, 1)->saving_ns = 99;
	findings_finish(&findings, tree);
	assert_true(at_path(&findings, 30, 'T')->saving_ns == 100);
	assert_true(at_path(&findings, 50, 'T')->saving_ns == 99);
	findings = (struct findings){0};
	/* of a run of which it is not known how long it took nothing is too long */
	add(&findings, 'T', 30, 0.5, 1)->saving_ns = 101;
	findings_finish(&findings, tree);
	assert_true(at_path(&findings, 30, 'T')->saving_ns == 101);
	findings = (struct findings){0};
	calltree_free(tree);
}

TEST(severities_have_words)
{
	enum severity severity;

	for (enum severity i = SEVERITY_INFO; i < SEVERITY_COUNT; i++) {
		assert_int_equal(severity_parse(severity_word(i), &severity), 0);
		assert_int_equal(severity, i);
	}
	assert_int_equal(severity_parse("High", &severity), -EINVAL);
	assert_int_equal(severity_parse("", &severity), -EINVAL);
}
