/* SPDX-License-Identifier: MIT */
/*
 * Parses and applies suppressions of findings. Must not apply expired ones: they were
 * accepted until then.
 */
#include "analyzer/findings/finding_suppress.h"

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "analyzer/findings/json_place.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_date(const char *text)
{
	static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;

	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i]))
			return false;
	year = atoi(text);
	month = atoi(text + 5);
	day = atoi(text + 8);
	if (month == 2 && day == 29 && (year % 4 || (year % 100 == 0 && year % 400)))
		return false;
	return !text[10] && month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1];
}

struct parsing {
	struct json_source source;
	const char *today;
	bool (*is_rule)(const char *word);
	const char *steps[3]; /* "suppressions", "[2]", key */
};

static _Noreturn void refuse(struct parsing *parsing, const char *key, const char *why)
{
	parsing->steps[2] = key;
	json_refuse(&parsing->source, parsing->steps, key ? 3 : 2, "%s", why);
}

/* Reads a text that must exist and not be empty. */
static const char *take_text(struct parsing *parsing, const json_t *object,
			     const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		refuse(parsing, NULL, "a suppression needs rule, reason and expires");
	if (!json_is_string(value))
		refuse(parsing, key, "is not a text");
	if (!*json_string_value(value))
		refuse(parsing, key, "is empty");
	return json_string_value(value);
}

static void take_function(struct parsing *parsing, const json_t *object,
			  struct finding_suppression *ret)
{
	const json_t *value = json_object_get(object, "function");
	const char *refused;
	char reason[128];
	int failure;

	if (!value)
		return;
	if (!json_is_string(value))
		refuse(parsing, "function", "is not a text");
	ret->function = json_string_value(value);
	refused = pattern_refuse(ret->function);
	if (refused)
		refuse(parsing, "function", refused);
	failure = regcomp(&ret->pattern, ret->function, REG_EXTENDED | REG_NOSUB);
	if (failure) {
		regerror(failure, &ret->pattern, reason, sizeof(reason));
		refuse(parsing, "function", reason);
	}
	ret->has_pattern = true;
}

static void check_keys(struct parsing *parsing, json_t *object)
{
	static const char *const known[] = {"rule", "function", "reason", "expires"};
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		refuse(parsing, NULL, "is not an object");
	json_object_foreach(object, key, value)
	{
		size_t i = 0;

		while (i < 4 && strcmp(known[i], key) != 0)
			i++;
		if (i == 4)
			refuse(parsing, key,
			       "is not known; there are rule, function, reason "
			       "and expires");
	}
}

static void take_one(struct parsing *parsing, json_t *object,
		     struct finding_suppression *ret)
{
	check_keys(parsing, object);
	ret->rule = take_text(parsing, object, "rule");
	if (strcmp(ret->rule, "*") != 0 && !parsing->is_rule(ret->rule))
		refuse(parsing, "rule", "there is no such rule");
	ret->reason = take_text(parsing, object, "reason");
	ret->expires = take_text(parsing, object, "expires");
	if (!is_date(ret->expires))
		refuse(parsing, "expires", "is not a date such as 2027-03-31");
	take_function(parsing, object, ret);
	ret->is_expired = strcmp(ret->expires, parsing->today) < 0;
}

static void take_all(struct finding_suppressions *suppressions, struct parsing *parsing,
		     json_t *root)
{
	json_t *list = json_object_get(root, "suppressions");
	const char *key;
	json_t *value;

	if (!json_is_object(root) || !list)
		json_refuse(&parsing->source, NULL, 0,
			    "is not an object with the key 'suppressions'");
	json_object_foreach(root, key, value)
	{
		if (strcmp(key, "suppressions") != 0 && strcmp(key, "about") != 0)
			json_refuse(&parsing->source, &key, 1,
				    "is not known; there are suppressions and about");
	}
	if (!json_is_array(list))
		json_refuse(&parsing->source, parsing->steps, 1, "is not a list");
	for (size_t i = 0; i < json_array_size(list); i++) {
		char step[32];

		snprintf(step, sizeof(step), "[%zu]", i);
		parsing->steps[1] = step;
		take_one(parsing, json_array_get(list, i),
			 &ARRAY_ADD(suppressions->list, suppressions->count));
	}
}

void finding_suppressions_parse(struct finding_suppressions *suppressions,
				const char *text, size_t size, const char *name,
				const char *today, bool (*is_rule)(const char *word))
{
	struct parsing parsing = {.source = {text, size, name},
				  .today = today,
				  .is_rule = is_rule,
				  .steps = {"suppressions"}};

	take_all(suppressions, &parsing, json_read(&parsing.source));
}

static bool matches(const struct finding_suppression *one, const struct finding *finding,
		    bool (*names_rule)(const char *word, const struct rule *rule))
{
	if (one->is_expired ||
	    (strcmp(one->rule, "*") != 0 && !names_rule(one->rule, finding->rule)))
		return false;
	return !one->has_pattern ||
	       regexec(&one->pattern, finding_name(finding) ? finding_name(finding) : "",
		       0, NULL, 0) == 0;
}

void finding_suppressions_apply(struct finding_suppressions *suppressions,
				struct findings *findings,
				bool (*names_rule)(const char *word,
						   const struct rule *rule))
{
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->list[i];
		size_t by = 0;

		while (by < suppressions->count &&
		       !matches(&suppressions->list[by], finding, names_rule))
			by++;
		if (by < suppressions->count)
			suppressions->list[by].count++;
		else
			findings->list[kept++] = *finding;
	}
	findings->count = kept;
}
