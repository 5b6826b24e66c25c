/* SPDX-License-Identifier: MIT */
/*
 * Limits that must not exceed others: "low" above "high" would make a rule silent, two
 * rules that divide cases would both take some. Must not blame a limit that the user's
 * file does not name.
 */
#include "analyzer/findings/rules_order.h"

#include "common/base/xalloc.h"
#include "analyzer/model/json_place.h"
#include "analyzer/model/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "T0.low_ns" or a number. */
static bool parse_side(const struct rules_file *rules, const json_t *value,
		       struct rules_side *ret)
{
	const char *text = json_string_value(value);
	const char *dot = text ? strchr(text, '.') : NULL;

	*ret = (struct rules_side){.limit = RULES_NUMBER,
				   .value = json_number_value(value)};
	for (size_t i = 0; dot && i < rules->limit_count; i++)
		if (strlen(rules->limits[i].rule) == (size_t)(dot - text) &&
		    strncmp(rules->limits[i].rule, text, (size_t)(dot - text)) == 0 &&
		    strcmp(rules->limits[i].name, dot + 1) == 0)
			ret->limit = i;
	return json_is_number(value) || ret->limit != RULES_NUMBER;
}

/* A list of limits and numbers, each not above the next. */
static int define_chain(struct rules_file *rules, const struct json_source *source,
			const json_t *chain)
{
	static const char *const keys[] = {"order"};

	if (json_array_size(chain) < 2)
		return json_refuse(source, keys, 1, "has what is no list of two or more");
	for (size_t i = 0; i + 1 < json_array_size(chain); i++) {
		struct rules_order order;

		if (!parse_side(rules, json_array_get(chain, i), &order.lesser) ||
		    !parse_side(rules, json_array_get(chain, i + 1), &order.greater))
			return json_refuse(source, keys, 1,
					   "names a limit that there is not");
		rules->orders = xgrow(rules->orders, rules->order_count,
				      &rules->order_capacity, sizeof(*rules->orders));
		rules->orders[rules->order_count++] = order;
	}
	return 0;
}

int rules_order_define(struct rules_file *rules, const struct json_source *source,
		       const json_t *order)
{
	for (size_t i = 0; i < json_array_size(order); i++) {
		int result = define_chain(rules, source, json_array_get(order, i));

		if (result < 0)
			return result;
	}
	return 0;
}

bool rules_order_equals(const struct rules_file *rules, const json_t *order)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(order); i++) {
		const json_t *chain = json_array_get(order, i);

		for (size_t j = 0; j + 1 < json_array_size(chain); j++, count++) {
			const struct rules_order *known = &rules->orders[count];
			struct rules_order other;

			if (count >= rules->order_count ||
			    !parse_side(rules, json_array_get(chain, j), &other.lesser) ||
			    !parse_side(rules, json_array_get(chain, j + 1),
					&other.greater) ||
			    other.lesser.limit != known->lesser.limit ||
			    other.greater.limit != known->greater.limit ||
			    other.lesser.value != known->lesser.value ||
			    other.greater.value != known->greater.value)
				return false;
		}
	}
	return count == rules->order_count;
}

static const struct rules_limit *limit_of(const struct rules_file *rules,
					  const struct rules_side *side)
{
	return side->limit == RULES_NUMBER ? NULL : &rules->limits[side->limit];
}

static double value_of(const struct rules_file *rules, const struct rules_side *side)
{
	const struct rules_limit *limit = limit_of(rules, side);

	return limit ? limit->value : side->value;
}

/* "T0.medium_ns, 100ms" or "1" */
static void put_side(struct strbuf *text, const struct rules_limit *limit,
		     const struct rules_side *side)
{
	if (!limit) {
		strbuf_printf(text, "%g", side->value);
		return;
	}
	strbuf_printf(text, "%s.%s, which is ", limit->rule, limit->name);
	units_limit(text, limit->value, limit->unit);
}

/* blamed is above other, or below it when is_above is not set. */
static int refuse(const struct json_source *source, const struct rules_limit *blamed,
		  const struct rules_limit *other, const struct rules_side *other_side,
		  bool is_above)
{
	/* In the default file the key of a rule is its id. */
	const char *const keys[] = {"rules", blamed->key ? blamed->key : blamed->rule,
				    "limits", blamed->name};
	struct strbuf value = {0}, text = {0};
	int result;

	units_limit(&value, blamed->value, blamed->unit);
	put_side(&text, other, other_side);
	result = json_refuse(source, keys, 4, "%s is %s %s", strbuf_text(&value),
			     is_above ? "above" : "below", strbuf_text(&text));
	strbuf_free(&value);
	strbuf_free(&text);
	return result;
}

int rules_order_check(const struct rules_file *rules, const struct json_source *source)
{
	for (size_t i = 0; i < rules->order_count; i++) {
		const struct rules_order *order = &rules->orders[i];
		const struct rules_limit *lesser = limit_of(rules, &order->lesser);
		const struct rules_limit *greater = limit_of(rules, &order->greater);

		if (value_of(rules, &order->lesser) <= value_of(rules, &order->greater))
			continue;
		if (lesser && (lesser->key || !greater || !greater->key))
			return refuse(source, lesser, greater, &order->greater, true);
		if (greater)
			return refuse(source, greater, lesser, &order->lesser, false);
	}
	return 0;
}
