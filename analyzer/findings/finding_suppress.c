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
#include <errno.h>
#include <jansson.h>
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

static int refuse(struct parsing *parsing, const char *key, const char *why)
{
	parsing->steps[2] = key;
	return json_refuse(&parsing->source, parsing->steps, key ? 3 : 2, "%s", why);
}

/* Reads a text that must exist and not be empty. */
static int take_text(struct parsing *parsing, const json_t *object, const char *key,
		     char **ret)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		return refuse(parsing, NULL,
			      "a suppression needs rule, reason and expires");
	if (!json_is_string(value))
		return refuse(parsing, key, "is not a text");
	if (!*json_string_value(value))
		return refuse(parsing, key, "is empty");
	*ret = xstrdup(json_string_value(value));
	return 0;
}

static int take_function(struct parsing *parsing, const json_t *object,
			 struct finding_suppression *ret)
{
	const json_t *value = json_object_get(object, "function");
	const char *refused;
	char reason[128];
	int failure;

	if (!value)
		return 0;
	if (!json_is_string(value))
		return refuse(parsing, "function", "is not a text");
	ret->function = xstrdup(json_string_value(value));
	refused = pattern_refuse(ret->function);
	if (refused)
		return refuse(parsing, "function", refused);
	failure = regcomp(&ret->pattern, ret->function, REG_EXTENDED | REG_NOSUB);
	if (!failure) {
		ret->has_pattern = true;
		return 0;
	}
	regerror(failure, &ret->pattern, reason, sizeof(reason));
	return refuse(parsing, "function", reason);
}

static int check_keys(struct parsing *parsing, json_t *object)
{
	static const char *const known[] = {"rule", "function", "reason", "expires"};
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return refuse(parsing, NULL, "is not an object");
	json_object_foreach(object, key, value)
	{
		size_t i = 0;

		while (i < 4 && strcmp(known[i], key) != 0)
			i++;
		if (i == 4)
			return refuse(parsing, key,
				      "is not known; there are rule, function, reason "
				      "and expires");
	}
	return 0;
}

static int take_one(struct parsing *parsing, json_t *object,
		    struct finding_suppression *ret)
{
	int result = check_keys(parsing, object);

	if (result == 0)
		result = take_text(parsing, object, "rule", &ret->rule);
	if (result == 0 && strcmp(ret->rule, "*") != 0 && !parsing->is_rule(ret->rule))
		result = refuse(parsing, "rule", "there is no such rule");
	if (result == 0)
		result = take_text(parsing, object, "reason", &ret->reason);
	if (result == 0)
		result = take_text(parsing, object, "expires", &ret->expires);
	if (result == 0 && !is_date(ret->expires))
		result = refuse(parsing, "expires", "is not a date such as 2027-03-31");
	if (result == 0)
		result = take_function(parsing, object, ret);
	ret->is_expired = result == 0 && strcmp(ret->expires, parsing->today) < 0;
	return result;
}

static int take_all(struct finding_suppressions *suppressions, struct parsing *parsing,
		    json_t *root)
{
	json_t *list = json_object_get(root, "suppressions");
	const char *key;
	json_t *value;

	if (!json_is_object(root) || !list)
		return json_refuse(&parsing->source, NULL, 0,
				   "is not an object with the key 'suppressions'");
	json_object_foreach(root, key, value) if (
		strcmp(key, "suppressions") != 0 &&
		strcmp(key, "about") !=
			0) return json_refuse(&parsing->source, &key, 1,
					      "is not known; there are suppressions and "
					      "about");
	if (!json_is_array(list))
		return json_refuse(&parsing->source, parsing->steps, 1, "is not a list");
	for (size_t i = 0; i < json_array_size(list); i++) {
		char step[32];
		int result;

		snprintf(step, sizeof(step), "[%zu]", i);
		parsing->steps[1] = step;
		suppressions->list = array_room(suppressions->list, suppressions->count,
						sizeof(*suppressions->list));
		result = take_one(parsing, json_array_get(list, i),
				  &suppressions->list[suppressions->count++]);
		if (result < 0)
			return result;
	}
	return 0;
}

int finding_suppressions_parse(struct finding_suppressions *suppressions,
			       const char *text, size_t size, const char *name,
			       const char *today, bool (*is_rule)(const char *word),
			       struct strbuf *error)
{
	struct parsing parsing = {.source = {text, size, name, error},
				  .today = today,
				  .is_rule = is_rule,
				  .steps = {"suppressions"}};
	json_error_t problem;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
	int result;

	if (!root) {
		strbuf_printf(error, "%s:%d: is not JSON: %s", name,
			      problem.line > 0 ? problem.line : 1, problem.text);
		return -EINVAL;
	}
	result = take_all(suppressions, &parsing, root);
	json_decref(root);
	return result;
}

void finding_suppressions_free(struct finding_suppressions *suppressions)
{
	for (size_t i = 0; i < suppressions->count; i++) {
		struct finding_suppression *one = &suppressions->list[i];

		if (one->has_pattern)
			regfree(&one->pattern);
		free(one->rule);
		free(one->function);
		free(one->reason);
		free(one->expires);
	}
	free(suppressions->list);
	*suppressions = (struct finding_suppressions){0};
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
		if (by < suppressions->count) {
			suppressions->list[by].count++;
			free(finding->also);
		} else {
			findings->list[kept++] = *finding;
		}
	}
	findings->count = kept;
}
