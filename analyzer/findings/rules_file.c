/* SPDX-License-Identifier: MIT */
/*
 * Reads a file of rules; each error names file, line and key. Must not accept unknown
 * keys: a mistyped limit would have no effect.
 */
#include "analyzer/findings/rules_file.h"

#include "analyzer/findings/json_place.h"
#include "analyzer/model/units.h"

#include <math.h>
#include <string.h>

/* Reads a number that is valid as a limit. */
static void take_number(const struct json_source *source, const char *const *keys,
			size_t count, const json_t *value, double *ret)
{
	if (!json_is_number(value))
		json_refuse(source, keys, count, "is not a number");
	*ret = json_number_value(value);
	if (!isfinite(*ret) || *ret < 0)
		json_refuse(source, keys, count, "is negative");
}

/* Limits may be written with unit and meaning. These must be correct, because readers
 * believe them. */
static void check_text(const struct json_source *source, const char *const *keys,
		       size_t count, const json_t *value, const char *known)
{
	const char *text = json_string_value(value);

	if (!text || strcmp(text, known) != 0)
		json_refuse(source, keys, count, "is not %s", known);
}

static void check_limit(const struct json_source *source, const char *key,
			const struct rule_limit *limit, json_t *value)
{
	const char *keys[] = {"rules", key, "limits", limit->name, NULL};
	json_t *member;

	json_object_foreach(value, keys[4], member)
	{
		if (strcmp(keys[4], "unit") == 0)
			check_text(source, keys, 5, member, limit->unit);
		else if (strcmp(keys[4], "value") != 0 && strcmp(keys[4], "meaning") != 0)
			json_refuse(source, keys, 5,
				    "is not known; there are value, unit and "
				    "meaning");
	}
}

static void change_limit(struct rule_limits *limits, const struct json_source *source,
			 const struct rule_limits_entry *entry, const char *key,
			 const char *name, json_t *value)
{
	const char *const keys[] = {"rules", key, "limits", name};
	struct rule_limit_value *limit = rule_limits_find(limits, entry->id, name);
	double number = 0;

	if (!limit)
		json_refuse(source, keys, 4, "%s has no such limit", entry->id);
	if (json_is_object(value)) {
		check_limit(source, key, limit->limit, value);
		value = json_object_get(value, "value");
		if (!value)
			json_refuse(source, keys, 4, "has no value");
	}
	take_number(source, keys, 4, value, &number);
	limit->is_changed |= limit->value != number;
	limit->value = number;
	limit->key = arena_copy(&limits->texts, key, strlen(key));
}

static void change_limits(struct rule_limits *limits, const struct json_source *source,
			  const struct rule_limits_entry *entry, const char *key,
			  json_t *all)
{
	const char *const keys[] = {"rules", key, "limits"};
	const char *name;
	json_t *limit;

	if (!json_is_object(all))
		json_refuse(source, keys, 3, "is not an object of limits");
	json_object_foreach(all, name, limit)
	{
		change_limit(limits, source, entry, key, name, limit);
	}
}

static void change_rule(struct rule_limits *limits, const struct json_source *source,
			const char *key, json_t *value)
{
	struct rule_limits_entry *entry = rule_limits_rule(limits, key);
	const char *keys[] = {"rules", key, NULL};
	json_t *member;

	if (!entry)
		json_refuse(source, keys, 2, "there is no such rule");
	if (entry->is_changed)
		json_refuse(source, keys, 2, "is %s again", entry->id);
	entry->is_changed = true;
	if (!json_is_object(value))
		json_refuse(source, keys, 2, "is not an object");
	json_object_foreach(value, keys[2], member)
	{
		if (strcmp(keys[2], "limits") == 0)
			change_limits(limits, source, entry, key, member);
		else if (strcmp(keys[2], "enabled") == 0 && json_is_boolean(member))
			entry->is_enabled = json_is_true(member);
		else if (strcmp(keys[2], "enabled") == 0)
			json_refuse(source, keys, 3, "is neither true nor false");
		else if (strcmp(keys[2], "slug") == 0)
			check_text(source, keys, 3, member, entry->slug);
		else
			json_refuse(source, keys, 3,
				    "is not known; there are enabled and limits");
	}
}

static void change_rules(struct rule_limits *limits, const struct json_source *source,
			 json_t *all)
{
	const char *key;
	json_t *value;

	if (!json_is_object(all))
		json_refuse(source, (const char *[]){"rules"}, 1,
			    "is not an object of rules");
	json_object_foreach(all, key, value)
	{
		change_rule(limits, source, key, value);
	}
}

static void check_conflict(const struct rule_limits *limits,
			   const struct json_source *source)
{
	ended_by(strbuf_free) struct strbuf value = {0}, other = {0};
	struct rule_limits_conflict conflict;
	const struct rule_limit_value *blamed;

	if (!rule_limits_conflict(limits, &conflict))
		return;
	blamed = conflict.blamed;
	units_limit(&value, blamed->value, blamed->limit->unit);
	if (conflict.other) {
		strbuf_printf(&other, "%s.%s, which is ", conflict.other->rule,
			      conflict.other->limit->name);
		units_limit(&other, conflict.other->value, conflict.other->limit->unit);
	} else {
		strbuf_printf(&other, "%g", conflict.number);
	}
	json_refuse(source,
		    (const char *[]){"rules", blamed->key ? blamed->key : blamed->rule,
				     "limits", blamed->limit->name},
		    4, "%s is %s %s", strbuf_text(&value),
		    conflict.is_above ? "above" : "below", strbuf_text(&other));
}

static void take_file(struct rule_limits *limits, const struct json_source *source,
		      json_t *root)
{
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		json_refuse(source, NULL, 0, "is not an object with the key 'rules'");
	if (!json_object_get(root, "rules"))
		json_refuse(source, NULL, 0, "has no key 'rules'");
	json_object_foreach(root, key, value)
	{
		if (strcmp(key, "version") == 0 && json_integer_value(value) != 1)
			json_refuse(source, &key, 1, "is not 1, the version known here");
		if (strcmp(key, "rules") != 0 && strcmp(key, "version") != 0 &&
		    strcmp(key, "about") != 0)
			json_refuse(source, &key, 1,
				    "is not known; there are rules, version and "
				    "about");
	}
	change_rules(limits, source, json_object_get(root, "rules"));
	check_conflict(limits, source);
}

void rules_file_read(struct rule_limits *limits, const char *text, size_t size,
		     const char *name)
{
	struct json_source source = {text, size, name};

	take_file(limits, &source, json_read(&source));
}
