/* SPDX-License-Identifier: MIT */
/* What this is: json files of the user's: limits of rules, suppressions of findings, and
 * the places of their mistakes. */
#include "analyzer/findings/finding_suppress.h"
#include "analyzer/findings/json_place.h"
#include "analyzer/findings/rules_file.h"
#include "tests/unit/tests.h"

#include <errno.h>

static const struct rule_limit slow_limits[] = {
	{"high_ns", 5e8, "ns", .meaning = "m"},
	{"low_ns", 5e7, "ns", .not_above = "high_ns", .meaning = "m"},
	{"own", 0.2, "ratio", .least = 0.1, .most = 1, .meaning = "m"},
	{"big", 8, "count", .not_above = "M2.big", .meaning = "m"},
	{0},
};
static const struct rule_limit big_limits[] = {
	{"big", 8, "count", .meaning = "m"},
	{0},
};

static struct rule_limits limits;
static struct finding_suppressions list;

static void change(const char *text)
{
	limits = (struct rule_limits){0};
	rule_limits_declare(&limits, "T0", "slow-call", slow_limits);
	rule_limits_declare(&limits, "M1", "alloc-rate", NULL);
	rule_limits_declare(&limits, "M2", "big-blocks", big_limits);
	rules_file_read(&limits, text, strlen(text), "my.json");
}

TEST(limits_have_defaults)
{
	change("{\"rules\": {}}");
	assert_true(rule_limits_find(&limits, "T0", "high_ns")->value == 5e8);
	assert_false(rule_limits_find(&limits, "T0", "high_ns")->is_changed);
	assert_null(rule_limits_find(&limits, "T0", "none"));
	assert_null(rule_limits_find(&limits, "M1", "high_ns"));
	assert_string_equal(rule_limits_rule(&limits, "ALLOC-rate")->id, "M1");
	assert_true(rule_limits_rule(&limits, "T0")->is_enabled);
	assert_null(rule_limits_rule(&limits, "T"));
}

TEST(limits_can_be_changed)
{
	change("{\"about\": \"x\", \"version\": 1, \"rules\": {"
	       "\"slow-call\": {\"limits\": {\"high_ns\": 1e9, "
	       "\"low_ns\": {\"value\": 0}}}, "
	       "\"m1\": {\"enabled\": false}}}");
	assert_true(rule_limits_find(&limits, "T0", "high_ns")->value == 1e9);
	assert_true(rule_limits_find(&limits, "T0", "high_ns")->is_changed);
	assert_true(rule_limits_find(&limits, "T0", "low_ns")->value == 0);
	assert_false(rule_limits_rule(&limits, "M1")->is_enabled);
}

static void refuses(const char *text, const char *sentence)
{
	assert_true(FAILS(change(text)));
	assert_string_equal(unit_sentence, sentence);
}

TEST(mistakes_in_rules_are_placed)
{
	refuses("[1]", "my.json:1: is not an object with the key 'rules'");
	refuses("{}", "my.json:1: has no key 'rules'");
	refuses("{\"rules\": 3}", "my.json:1: rules: is not an object of rules");
	refuses("{\n\"version\": 2, \"rules\": {}}",
		"my.json:2: version: is not 1, the version known here");
	refuses("{\"rules\": {\n\"X9\": {}}}",
		"my.json:2: rules.X9: there is no such rule");
	refuses("{\"rules\": {\"T0\": {\"limits\":\n{\"low_ns\": 1,\n\"hihg\": 2}}}}",
		"my.json:3: rules.T0.limits.hihg: T0 has no such limit");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"low_ns\": \"1\"}}}}",
		"my.json:1: rules.T0.limits.low_ns: is not a number");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"low_ns\": -1}}}}",
		"my.json:1: rules.T0.limits.low_ns: is negative");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"low_ns\": {}}}}}",
		"my.json:1: rules.T0.limits.low_ns: has no value");
	refuses("{\"rules\": {\"T0\": {\"limits\": []}}}",
		"my.json:1: rules.T0.limits: is not an object of limits");
	refuses("{\"rules\": {\"T0\": {\"enabled\": 0}}}",
		"my.json:1: rules.T0.enabled: is neither true nor false");
	refuses("{\"rules\": {\"T0\": {\n\n\"limit\": {}}}}",
		"my.json:3: rules.T0.limit: is not known; there are enabled and limits");
	/* A unit would be believed; a rule has two names. */
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"high_ns\": {\n\"value\": 600,\n"
		"\"unit\": \"ms\"}}}}}",
		"my.json:3: rules.T0.limits.high_ns.unit: is not ns");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"high_ns\": {\"value\": 6e8,\n"
		"\"vale\": 3}}}}}",
		"my.json:2: rules.T0.limits.high_ns.vale: is not known; there are value, "
		"unit and meaning");
	refuses("{\"rules\": {\"T0\": {\"slug\": \"alloc-rate\"}}}",
		"my.json:1: rules.T0.slug: is not slow-call");
	refuses("{\"rules\": {\"T0\": {},\n\"slow-call\": {}}}",
		"my.json:2: rules.slow-call: is T0 again");
	/* The key is told from a value of the same text before it. */
	refuses("{\"about\": \"T0\",\n\"rules\": {\n\"T0\": 1}}",
		"my.json:3: rules.T0: is not an object");
	assert_fails(change("{\n\n"), "is not JSON");
	assert_true(strncmp(unit_sentence, "my.json:", 8) == 0);
}

TEST(contradictions_are_refused)
{
	/* Of the two the file's own is blamed, at its line, by the file's name for it. */
	refuses("{\"rules\": {\"slow-call\": {\"limits\":\n{\"low_ns\": 6e8}}}}",
		"my.json:2: rules.slow-call.limits.low_ns: 600ms is above T0.high_ns, "
		"which is 500ms");
	refuses("{\"rules\": {\"T0\": {\"limits\":\n{\"high_ns\":\n 1e7}}}}",
		"my.json:2: rules.T0.limits.high_ns: 10.0ms is below T0.low_ns, which "
		"is 50.0ms");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"low_ns\": 9, \"high_ns\": "
		"8}}}}",
		"my.json:1: rules.T0.limits.low_ns: 9ns is above T0.high_ns, which is "
		"8ns");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"own\": 20}}}}",
		"my.json:1: rules.T0.limits.own: 20 is above 1");
	refuses("{\"rules\": {\"T0\": {\"limits\": {\"own\": 0}}}}",
		"my.json:1: rules.T0.limits.own: 0 is below 0.1");
	/* Two rules that divide cases. */
	refuses("{\"rules\": {\"M2\": {\"limits\": {\"big\": 7}}}}",
		"my.json:1: rules.M2.limits.big: 7 is below T0.big, which is 8");
	/* Equal is no contradiction, and both together may move. */
	change("{\"rules\": {\"T0\": {\"limits\": {\"low_ns\": 6e8, "
	       "\"high_ns\": 6e8, \"own\": 1}}}}");
	refuses("{\"rules\": {},\n\"order\": []}",
		"my.json:2: order: is not known; there are rules, version and about");
}

TEST(places_are_found)
{
	static const char text[] =
		"\n{ \"a\": [1,\n {\"x\": \"}],{\"},\n \"q\\\"\", [[]],\n"
		" {\"y\":\n {\"z\": true}}]}";
	static const char *const deep[] = {"a", "[4]", "y", "z"};
	static const char *const element[] = {"a", "[3]"};
	static const char *const missing[] = {"a", "[9]", "y"};

	assert_int_equal(json_place_line(text, sizeof(text) - 1, NULL, 0), 2);
	assert_int_equal(json_place_line(text, sizeof(text) - 1, deep, 1), 2);
	assert_int_equal(json_place_line(text, sizeof(text) - 1, deep, 2), 5);
	assert_int_equal(json_place_line(text, sizeof(text) - 1, deep, 3), 5);
	assert_int_equal(json_place_line(text, sizeof(text) - 1, deep, 4), 6);
	assert_int_equal(json_place_line(text, sizeof(text) - 1, element, 2), 4);
	assert_int_equal(json_place_line(text, sizeof(text) - 1, missing, 3), 6);
}

static bool is_rule(const char *word)
{
	return strcmp(word, "T0") == 0 || strcmp(word, "M1") == 0;
}

/* Findings of these tests have the number of their rule in its place. */
static bool names_rule(const char *word, const struct rule *rule)
{
	return (word[0] == 'T') == (rule == NULL);
}

static void suppress(const char *text)
{
	list = (struct finding_suppressions){0};
	finding_suppressions_parse(&list, text, strlen(text), "s.json", "2026-11-21",
				   is_rule);
}

TEST(suppressions_hold_until_their_day)
{
	suppress("{\"suppressions\": ["
		 "{\"rule\": \"T0\", \"reason\": \"r\", \"expires\": "
		 "\"2026-11-20\"},"
		 "{\"rule\": \"*\", \"reason\": \"r\", \"expires\": "
		 "\"2026-11-21\"},"
		 "{\"rule\": \"M1\", \"reason\": \"r\", \"expires\": "
		 "\"2028-02-29\"}]}");
	assert_int_equal(list.count, 3);
	assert_true(list.list[0].is_expired);
	assert_false(list.list[1].is_expired);
	assert_false(list.list[2].is_expired);
}

TEST(suppressions_take_findings_out)
{
	struct findings findings = {0};

	findings_add(&findings, NULL, 'T', 0)->function = "parse";
	findings_add(&findings, NULL, 'T', 0)->function = "parse_all";
	findings_add(&findings, NULL, 'T', 0);
	suppress("{\"suppressions\": ["
		 "{\"rule\": \"M1\", \"reason\": \"r\", \"expires\": "
		 "\"2999-01-01\"},"
		 "{\"rule\": \"T0\", \"function\": \"^x?parse$\", "
		 "\"reason\": \"r\", "
		 "\"expires\": \"2999-01-01\"}]}");
	finding_suppressions_apply(&list, &findings, names_rule);
	assert_int_equal(findings.count, 2);
	assert_string_equal(findings.list[0].function, "parse_all");
	assert_int_equal(list.list[0].count, 0);
	assert_int_equal(list.list[1].count, 1);
	/* Without a function, also those of the whole run. */
	suppress("{\"suppressions\": ["
		 "{\"rule\": \"*\", \"reason\": \"r\", \"expires\": "
		 "\"2999-01-01\"}]}");
	finding_suppressions_apply(&list, &findings, names_rule);
	assert_int_equal(findings.count, 0);
}

TEST(mistakes_in_suppressions_are_placed)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"{}", "s.json:1: is not an object with the key 'suppressions'"},
		{"{\"suppressions\": {}}", "s.json:1: suppressions: is not a list"},
		{"{\"suppressions\": [],\n\"x\": 1}",
		 "s.json:2: x: is not known; there are suppressions and about"},
		{"{\"suppressions\": [\n1]}",
		 "s.json:2: suppressions[0]: is not an object"},
		{"{\"suppressions\": [\n{\"rule\": \"T0\"}]}",
		 "s.json:2: suppressions[0]: a suppression needs rule, reason and "
		 "expires"},
		{"{\"suppressions\": [\n{\"rule\": \"T\", \"reason\": \"r\", "
		 "\"expires\": "
		 "\"2999-01-01\"}]}",
		 "s.json:2: suppressions[0].rule: there is no such rule"},
		{"{\"suppressions\": [{\"rule\": \"T0\", \"reason\": \"\",\n\"expires\": "
		 "\"2999-01-01\"}]}",
		 "s.json:1: suppressions[0].reason: is empty"},
		{"{\"suppressions\": [{\"rule\": \"T0\", \"reason\": \"r\", \"expires\": "
		 "\"2027-02-29\"}]}",
		 "s.json:1: suppressions[0].expires: is not a date such as 2027-03-31"},
		{"{\"suppressions\": [{\"rule\": \"T0\", \"reason\": "
		 "\"r\",\n\"expires\": "
		 "\"2999-1-1\"}]}",
		 "s.json:2: suppressions[0].expires: is not a date such as 2027-03-31"},
		{"{\"suppressions\": [{\"rule\": \"T0\", \"reason\": \"r\", \"expires\": "
		 "\"2999-01-01\",\n \"function\": 3}]}",
		 "s.json:2: suppressions[0].function: is not a text"},
		{"{\"suppressions\": [{\"rule\": \"T0\", \"reason\": \"r\", \"expires\": "
		 "\"2999-01-01\",\n \"file\": \"x\"}]}",
		 "s.json:2: suppressions[0].file: is not known; there are rule, "
		 "function, "
		 "reason and expires"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(FAILS(suppress(cases[i].text)));
		assert_string_equal(unit_sentence, cases[i].sentence);
	}
}

static __attribute__((noinline)) bool is_refused(void (*read)(const char *text),
						 const char *text)
{
	return FAILS(read(text));
}

/* Every byte changed, every start of the text: no crash, and no refusal without a place.
 * The runs under ASan are what this is for. */
TEST(damaged_texts_are_refused_with_a_place)
{
	static const char good[] =
		"{\"suppressions\": [{\"rule\": \"T0\", \"function\": \"a(b|c)*\", "
		"\"reason\": \"r\", \"expires\": \"2999-01-01\"}]}";
	static const char changes[] =
		"{\"rules\": {\"T0\": {\"limits\": {\"low_ns\": {\"value\": 1e3}, "
		"\"high_ns\": 2}, \"enabled\": true}}}";
	static const char replacements[] = "\"{}[]:,\\x0-\xff\n";

	for (size_t i = 0; i + 1 < sizeof(good); i++)
		for (size_t j = 0; j < sizeof(replacements); j++) {
			char *text = strdup(good);

			text[i] = replacements[j];
			if (is_refused(suppress, text))
				assert_true(strncmp(unit_sentence, "s.json:", 7) == 0);
			free(text);
		}
	for (size_t i = 0; i + 1 < sizeof(changes); i++)
		for (size_t j = 0; j < sizeof(replacements); j++) {
			char *text = strdup(changes);

			text[i] = replacements[j];
			if (is_refused(change, text))
				assert_true(strncmp(unit_sentence, "my.json:", 8) == 0);
			free(text);
		}
}
