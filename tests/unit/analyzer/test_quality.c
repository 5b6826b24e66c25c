/* SPDX-License-Identifier: MIT */
/* What this is: the quality of a recording: which findings it makes less certain. */
#include "analyzer/findings/quality.h"
#include "tests/unit/tests.h"

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

TEST(only_what_rests_on_it_is_lowered)
{
	struct quality quality = {0};

	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_HIGH), CONFIDENCE_HIGH);
	add(&quality, "hooks", TRUST_TIME, CONFIDENCE_MEDIUM);
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_HIGH), CONFIDENCE_MEDIUM);
	assert_int_equal(lowered(&quality, 'M', CONFIDENCE_HIGH), CONFIDENCE_HIGH);
	add(&quality, "lost", TRUST_MEMORY | TRUST_TIME, CONFIDENCE_LOW);
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_HIGH), CONFIDENCE_LOW);
	assert_int_equal(lowered(&quality, 'M', CONFIDENCE_MEDIUM), CONFIDENCE_LOW);
}

TEST(no_confidence_is_raised)
{
	struct quality quality = {0};

	add(&quality, "hooks", TRUST_TIME, CONFIDENCE_MEDIUM);
	assert_int_equal(lowered(&quality, 'T', CONFIDENCE_LOW), CONFIDENCE_LOW);
}

TEST(the_worst_comes_first)
{
	struct quality quality = {0};

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

TEST(the_effect_is_a_sentence)
{
	struct quality_fact fact = {.touches = TRUST_TIME | TRUST_MEMORY,
				    .most = CONFIDENCE_LOW};
	struct strbuf text = {0};

	quality_put_effect(&text, &fact);
	assert_string_equal(strbuf_text(&text), "findings about time and memory have at "
						"most low confidence");
	strbuf_free(&text);
}

TEST(the_summary_tells_each_effect_once)
{
	struct quality quality = {0};
	struct strbuf text = {0};

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
