/* SPDX-License-Identifier: MIT */
/* A finding as a json object. Must not round or scale. */
#include "analyzer/render/findings.h"

#include "analyzer/render/json_value.h"
#include "analyzer/rules/rule.h"

static json_t *evidence_value(const struct finding *finding)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct evidence *one = &finding->evidence[i];
		json_t *object = json_must(json_object());

		json_object_set_new(object, "name", json_text(one->name));
		json_object_set_new(object, "value", json_figure(one->value));
		json_object_set_new(object, "unit", json_text(one->unit));
		json_object_set_new(object, "limit",
				    one->has_limit ? json_figure(one->limit)
						   : json_must(json_null()));
		json_object_set_new(object, "error", json_figure(one->error));
		json_array_append_new(array, object);
	}
	return array;
}

/* null: nothing of that kind */
static json_t *amount(double value)
{
	return value > 0 ? json_figure(value) : json_must(json_null());
}

static json_t *saving_value(const struct finding *finding)
{
	json_t *object = json_must(json_object());

	json_object_set_new(object, "time_ns", amount(finding->saving_ns));
	json_object_set_new(object, "bytes", amount(finding->saving_bytes));
	json_object_set_new(object, "allocs", amount(finding->saving_allocs));
	json_object_set_new(object, "share_of_time", amount(finding_time_share(finding)));
	json_object_set_new(object, "ceiling", amount(finding_ceiling(finding)));
	return object;
}

static json_t *advice_value(const struct finding *finding)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; finding->advice[i]; i++)
		json_array_append_new(array, json_text(finding->advice[i]));
	return array;
}

static json_t *also_value(const struct finding *finding)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; i < finding->also_count; i++) {
		const struct finding_also *one = &finding->also[i];
		json_t *object = json_must(json_object());

		json_object_set_new(object, "id", json_text(one->rule->id));
		json_object_set_new(object, "rule", json_text(one->rule->slug));
		json_object_set_new(object, "severity",
				    json_text(severity_word(one->severity)));
		json_object_set_new(object, "score", json_figure(one->score));
		json_object_set_new(object, "function", json_text(one->function));
		json_object_set_new(object, "path_id",
				    json_must(json_integer(one->path_id)));
		json_array_append_new(array, object);
	}
	return array;
}

static void set_place(json_t *object, const struct finding *finding)
{
	json_object_set_new(object, "function", json_text(finding->function));
	if (finding->is_region)
		json_object_set_new(object, "region", json_must(json_true()));
	if (finding->step)
		json_object_set_new(object, "step", json_text(finding->step));
	json_object_set_new(object, "path",
			    json_chain(finding->chain ? finding->chain : ""));
	json_object_set_new(object, "through",
			    json_chain(finding->through ? finding->through : ""));
	json_object_set_new(object, "file", json_text(finding->file));
	json_object_set_new(object, "line",
			    finding->line ? json_must(json_integer(finding->line))
					  : json_must(json_null()));
	json_object_set_new(object, "function_id",
			    finding->function_id
				    ? json_must(json_integer(finding->function_id))
				    : json_must(json_null()));
	json_object_set_new(object, "path_id",
			    finding->path_id ? json_must(json_integer(finding->path_id))
					     : json_must(json_null()));
}

json_t *finding_as_json(const struct findings *findings, size_t index)
{
	const struct finding *finding = &findings->list[index];
	json_t *object = json_must(json_object());

	json_object_set_new(object, "rank",
			    json_must(json_integer((json_int_t)index + 1)));
	json_object_set_new(object, "id", json_text(finding->rule->id));
	json_object_set_new(object, "rule", json_text(finding->rule->slug));
	json_object_set_new(object, "title", json_text(finding->rule->title));
	json_object_set_new(object, "severity",
			    json_text(severity_word(finding->severity)));
	json_object_set_new(object, "score", json_figure(finding->score));
	json_object_set_new(object, "confidence",
			    json_text(confidence_word(finding->confidence)));
	json_object_set_new(object, "impact", json_figure(finding->impact));
	set_place(object, finding);
	json_object_set_new(object, "evidence", evidence_value(finding));
	json_object_set_new(object, "why", json_text(finding->why));
	json_object_set_new(object, "advice", advice_value(finding));
	json_object_set_new(object, "saving", saving_value(finding));
	json_object_set_new(object, "verify", json_text(finding->verify));
	json_object_set_new(object, "sql", json_text(finding->sql));
	json_object_set_new(object, "also", also_value(finding));
	return object;
}
