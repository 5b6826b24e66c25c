/* SPDX-License-Identifier: MIT */
/*
 * Reading of the limits of rules; every refusal names file, line and key. Must not
 * accept a key it does not know: a limit mistyped would not hold.
 */
#include "analyzer/findings/rules_file.h"

#include "common/base/xalloc.h"
#include "analyzer/model/json_place.h"
#include "analyzer/findings/rules_order.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *copy(struct rules_file *rules, const char *text)
{
	return text ? arena_copy(&rules->texts, text, strlen(text)) : NULL;
}

static struct rules_limit *find_limit(const struct rules_file *rules, const char *rule,
				      const char *name)
{
	for (size_t i = 0; i < rules->limit_count; i++)
		if (strcmp(rules->limits[i].rule, rule) == 0 &&
		    strcmp(rules->limits[i].name, name) == 0)
			return &rules->limits[i];
	return NULL;
}

static struct rules_entry *find_rule(const struct rules_file *rules, const char *word)
{
	for (size_t i = 0; i < rules->rule_count; i++)
		if (strcasecmp(rules->rules[i].id, word) == 0 ||
		    strcasecmp(rules->rules[i].slug, word) == 0)
			return &rules->rules[i];
	return NULL;
}

/* A number that a limit can be. */
static int take_number(const struct json_source *source, const char *const *keys,
		       size_t count, const json_t *value, double *ret)
{
	if (!json_is_number(value))
		return json_refuse(source, keys, count, "is not a number");
	*ret = json_number_value(value);
	if (!isfinite(*ret) || *ret < 0)
		return json_refuse(source, keys, count, "is negative");
	return 0;
}

static int define_limit(struct rules_file *rules, const struct json_source *source,
			const struct rules_entry *entry, const char *name,
			const json_t *value)
{
	const char *const keys[] = {"rules", entry->id, "limits", name};
	const char *unit = json_string_value(json_object_get(value, "unit"));
	const char *meaning = json_string_value(json_object_get(value, "meaning"));
	struct rules_limit limit = {.rule = entry->id, .name = copy(rules, name)};
	int result = take_number(source, keys, 4, json_object_get(value, "value"),
				 &limit.value);

	if (result == 0 && (!unit || !meaning))
		result = json_refuse(source, keys, 4, "has no unit or no meaning");
	if (result < 0)
		return result;
	limit.unit = copy(rules, unit);
	limit.meaning = copy(rules, meaning);
	rules->limits = xgrow(rules->limits, rules->limit_count, &rules->limit_capacity,
			      sizeof(*rules->limits));
	rules->limits[rules->limit_count++] = limit;
	return 0;
}

static int define_rule(struct rules_file *rules, const struct json_source *source,
		       const char *id, json_t *value)
{
	const char *const keys[] = {"rules", id};
	const char *slug = json_string_value(json_object_get(value, "slug")), *name;
	struct rules_entry entry = {.is_enabled = true};
	json_t *limit;

	if (!slug)
		return json_refuse(source, keys, 2, "has no slug");
	entry.id = copy(rules, id);
	entry.slug = copy(rules, slug);
	rules->rules = xgrow(rules->rules, rules->rule_count, &rules->rule_capacity,
			     sizeof(*rules->rules));
	rules->rules[rules->rule_count++] = entry;
	json_object_foreach(json_object_get(value, "limits"), name, limit)
	{
		int result = define_limit(rules, source, &entry, name, limit);

		if (result < 0)
			return result;
	}
	return 0;
}

/* The default file's form may stay: value, unit and meaning. What a text in it says
 * otherwise would be believed. */
static int check_text(const struct json_source *source, const char *const *keys,
		      size_t count, const json_t *value, const char *known)
{
	const char *text = json_string_value(value);

	return text && strcmp(text, known) == 0
		       ? 0
		       : json_refuse(source, keys, count, "is not %s", known);
}

static int check_limit(const struct json_source *source, const char *key,
		       const struct rules_limit *limit, json_t *value)
{
	const char *keys[] = {"rules", key, "limits", limit->name, NULL};
	json_t *member;
	int result = 0;

	json_object_foreach(value, keys[4], member)
	{
		if (strcmp(keys[4], "unit") == 0)
			result = check_text(source, keys, 5, member, limit->unit);
		else if (strcmp(keys[4], "value") != 0 && strcmp(keys[4], "meaning") != 0)
			result = json_refuse(source, keys, 5,
					     "is not known; there are value, unit and "
					     "meaning");
		if (result < 0)
			return result;
	}
	return 0;
}

static int change_limit(struct rules_file *rules, const struct json_source *source,
			const struct rules_entry *entry, const char *key,
			const char *name, json_t *value)
{
	const char *const keys[] = {"rules", key, "limits", name};
	struct rules_limit *limit = find_limit(rules, entry->id, name);
	double number = 0;
	int result;

	if (!limit)
		return json_refuse(source, keys, 4, "%s has no such limit", entry->id);
	if (json_is_object(value)) {
		result = check_limit(source, key, limit, value);
		if (result < 0)
			return result;
		value = json_object_get(value, "value");
		if (!value)
			return json_refuse(source, keys, 4, "has no value");
	}
	result = take_number(source, keys, 4, value, &number);
	if (result < 0)
		return result;
	limit->is_changed |= limit->value != number;
	limit->value = number;
	limit->key = copy(rules, key);
	return 0;
}

static int change_limits(struct rules_file *rules, const struct json_source *source,
			 const struct rules_entry *entry, const char *key, json_t *limits)
{
	const char *const keys[] = {"rules", key, "limits"};
	const char *name;
	json_t *limit;

	if (!json_is_object(limits))
		return json_refuse(source, keys, 3, "is not an object of limits");
	json_object_foreach(limits, name, limit)
	{
		int result = change_limit(rules, source, entry, key, name, limit);

		if (result < 0)
			return result;
	}
	return 0;
}

static int change_rule(struct rules_file *rules, const struct json_source *source,
		       const char *key, json_t *value)
{
	struct rules_entry *entry = find_rule(rules, key);
	const char *keys[] = {"rules", key, NULL};
	json_t *member;
	int result = 0;

	if (!entry)
		return json_refuse(source, keys, 2, "there is no such rule");
	if (entry->is_changed)
		return json_refuse(source, keys, 2, "is %s again", entry->id);
	entry->is_changed = true;
	if (!json_is_object(value))
		return json_refuse(source, keys, 2, "is not an object");
	json_object_foreach(value, keys[2], member)
	{
		if (strcmp(keys[2], "limits") == 0)
			result = change_limits(rules, source, entry, key, member);
		else if (strcmp(keys[2], "enabled") == 0 && json_is_boolean(member))
			entry->is_enabled = json_is_true(member);
		else if (strcmp(keys[2], "enabled") == 0)
			result =
				json_refuse(source, keys, 3, "is neither true nor false");
		else if (strcmp(keys[2], "slug") == 0)
			result = check_text(source, keys, 3, member, entry->slug);
		else
			result =
				json_refuse(source, keys, 3,
					    "is not known; there are enabled and limits");
		if (result < 0)
			return result;
	}
	return 0;
}

static int take_rules(struct rules_file *rules, const struct json_source *source,
		      json_t *all, bool define)
{
	const char *key;
	json_t *value;

	if (!json_is_object(all))
		return json_refuse(source, (const char *[]){"rules"}, 1,
				   "is not an object of rules");
	json_object_foreach(all, key, value)
	{
		int result = define ? define_rule(rules, source, key, value)
				    : change_rule(rules, source, key, value);

		if (result < 0)
			return result;
	}
	return 0;
}

static int take_file(struct rules_file *rules, const struct json_source *source,
		     json_t *root, bool define)
{
	const char *key;
	json_t *value;
	int result;

	if (!json_is_object(root))
		return json_refuse(source, NULL, 0,
				   "is not an object with the key 'rules'");
	if (!json_object_get(root, "rules"))
		return json_refuse(source, NULL, 0, "has no key 'rules'");
	json_object_foreach(root, key, value)
	{
		if (strcmp(key, "version") == 0 && json_integer_value(value) != 1)
			return json_refuse(source, &key, 1,
					   "is not 1, the version known here");
		if (strcmp(key, "rules") != 0 && strcmp(key, "version") != 0 &&
		    strcmp(key, "about") != 0 && strcmp(key, "order") != 0)
			return json_refuse(source, &key, 1,
					   "is not known; there are rules, version, "
					   "about and order");
		if (!define && strcmp(key, "order") == 0 &&
		    !rules_order_equals(rules, value))
			return json_refuse(source, &key, 1,
					   "is not that of the default file, which "
					   "cannot be changed");
	}
	result = take_rules(rules, source, json_object_get(root, "rules"), define);
	if (result == 0 && define)
		result =
			rules_order_define(rules, source, json_object_get(root, "order"));
	return result < 0 ? result : rules_order_check(rules, source);
}

static int take_text(struct rules_file *rules, const char *text, size_t size,
		     const char *name, struct strbuf *error, bool define)
{
	struct json_source source = {text, size, name, error};
	json_error_t problem;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
	int result;

	if (!root) {
		strbuf_printf(error, "%s:%d: is not JSON: %s", name,
			      problem.line > 0 ? problem.line : 1, problem.text);
		return -EINVAL;
	}
	result = take_file(rules, &source, root, define);
	json_decref(root);
	return result;
}

int rules_file_define(struct rules_file *rules, const char *text, const char *name,
		      struct strbuf *error)
{
	return take_text(rules, text, strlen(text), name, error, true);
}

int rules_file_change(struct rules_file *rules, const char *text, size_t size,
		      const char *name, struct strbuf *error)
{
	return take_text(rules, text, size, name, error, false);
}

void rules_file_free(struct rules_file *rules)
{
	free(rules->limits);
	free(rules->rules);
	free(rules->orders);
	arena_free(&rules->texts);
	*rules = (struct rules_file){0};
}

const struct rules_limit *rules_file_limit(const struct rules_file *rules,
					   const char *rule, const char *name)
{
	return find_limit(rules, rule, name);
}

const struct rules_entry *rules_file_rule(const struct rules_file *rules,
					  const char *rule)
{
	return find_rule(rules, rule);
}
