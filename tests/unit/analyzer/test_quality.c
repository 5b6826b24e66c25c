/* SPDX-License-Identifier: MIT */
/* What this is: the quality of a recording: which findings it makes less certain. */
#include "analyzer/findings/quality.h"
#include "tests/unit/analyzer/cmocka_all.h"

/* Findings of these tests rest on what their letter says. */
static unsigned touched(const struct finding *finding)
{
	return finding->kind == 'T' ? TRUST_TIME : TRUST_MEMORY;
}

static enum confidence lowered(const struct quality *quality, char kind,
			       enum confidence before)
{
	struct finding one = {.kind = kind, .confidence = before};
	struct findings list = {.list = &one, .count = 1};

	quality_lower(quality, &list, touched);
	return one.confidence;
}

static void add(struct quality *quality, const char *name, unsigned touches,
		enum confidence most)
{
	struct quality_fact fact = {.name = name, .touches = touches, .most = most};

	quality_add(quality, &fact);
}

static void only_what_rests_on_it_is_lowered(void **state)
{
	struct quality quality = {0};

	(void)state;
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_HIGH), CONFIDENCE_HIGH);
	add(&quality, "hooks", TRUST_TIME, CONFIDENCE_MEDIUM);
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_HIGH), CONFIDENCE_MEDIUM);
	assert_int_equal(lowered(&quality, 'M', CONFIDENCE_HIGH), CONFIDENCE_HIGH);
	add(&quality, "lost", TRUST_MEMORY | TRUST_TIME, CONFIDENCE_LOW);
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_HIGH), CONFIDENCE_LOW);
	assert_int_equal(lowered(&quality, 'M', CONFIDENCE_MEDIUM), CONFIDENCE_LOW);
}

static void no_confidence_is_raised(void **state)
{
	struct quality quality = {0};

	(void)state;
	add(&quality, "hooks", TRUST_TIME, CONFIDENCE_MEDIUM);
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_LOW), CONFIDENCE_LOW);
}

static void the_worst_comes_first(void **state)
{
	struct quality quality = {0};

	(void)state;
	add(&quality, "a", TRUST_TIME, CONFIDENCE_MEDIUM);
	add(&quality, "b", TRUST_TIME, CONFIDENCE_LOW);
	add(&quality, "c", TRUST_TIME, CONFIDENCE_MEDIUM);
	add(&quality, "d", TRUST_TIME, CONFIDENCE_LOW);
	assert_string_equal(quality.facts[0].name, "b");
	assert_string_equal(quality.facts[1].name, "d");
	assert_string_equal(quality.facts[2].name, "a");
	assert_string_equal(quality.facts[3].name, "c");
	for (size_t i = 0; i < 2 * QUALITY_FACTS; i++)
		add(&quality, "more", TRUST_TIME, CONFIDENCE_MEDIUM);
	assert_int_equal(quality.count, QUALITY_FACTS);
}

static void the_effect_is_a_sentence(void **state)
{
	struct quality_fact fact = {.touches = TRUST_TIME | TRUST_MEMORY,
				    .most = CONFIDENCE_LOW};
	struct strbuf text = {0};

	(void)state;
	quality_put_effect(&text, &fact);
	assert_string_equal(strbuf_text(&text), "findings about time and memory have at "
						"most low confidence");
	strbuf_free(&text);
}

static void the_summary_tells_each_effect_once(void **state)
{
	struct quality quality = {0};
	struct strbuf text = {0};

	(void)state;
	quality_add(&quality, &(struct quality_fact){.text = "few",
						     .touches = TRUST_TIME | TRUST_MEMORY,
						     .most = CONFIDENCE_MEDIUM});
	quality_add(&quality, &(struct quality_fact){.text = "much",
						     .touches = TRUST_TIME,
						     .most = CONFIDENCE_LOW});
	quality_put_summary(&text, &quality);
	assert_string_equal(strbuf_text(&text),
			    "much; few. So findings about time have at most low "
			    "confidence, about memory have at most medium confidence.");
	strbuf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_rests_on_it_is_lowered),
		cmocka_unit_test(no_confidence_is_raised),
		cmocka_unit_test(the_worst_comes_first),
		cmocka_unit_test(the_effect_is_a_sentence),
		cmocka_unit_test(the_summary_tells_each_effect_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
