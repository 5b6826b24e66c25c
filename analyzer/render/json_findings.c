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

		json_array_append_new(
			array,
			json_make("{s:o, s:o, s:o, s:o, s:o}", "name",
				  json_text(one->name), "value", json_figure(one->value),
				  "unit", json_text(one->unit), "limit",
				  one->has_limit ? json_figure(one->limit) : json_null(),
				  "error", json_figure(one->error)));
	}
	return array;
}

/* null if there is none of this kind */
static json_t *amount(double value)
{
	return value > 0 ? json_figure(value) : json_null();
}

static json_t *number(int64_t value)
{
	return value ? json_must(json_integer(value)) : json_null();
}

static json_t *saving_value(const struct finding *finding)
{
	return json_make("{s:o, s:o, s:o, s:o, s:o}", "time_ns",
			 amount(finding->saving_ns), "bytes",
			 amount(finding->saving_bytes), "allocs",
			 amount(finding->saving_allocs), "share_of_time",
			 amount(finding->saving_share), "ceiling",
			 amount(finding_ceiling(finding)));
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

		json_array_append_new(array,
				      json_make("{s:s, s:s, s:s, s:o, s:o, s:I}", "id",
						one->rule->id, "rule", one->rule->slug,
						"severity", severity_word(one->severity),
						"score", json_figure(one->score),
						"function", json_text(one->function),
						"path_id", (json_int_t)one->path_id));
	}
	return array;
}

static void set_place(json_t *object, const struct finding *finding)
{
	json_object_set_new(object, "function", json_text(finding->function));
	if (finding->is_region)
		json_object_set_new(object, "region", json_true());
	if (finding->step)
		json_object_set_new(object, "step", json_text(finding->step));
	json_object_update_new(
		object,
		json_make("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
			  json_chain(finding->chain ? finding->chain : ""), "called_at",
			  json_chain(finding->calls ? finding->calls : ""), "through",
			  json_chain(finding->through ? finding->through : ""), "file",
			  json_text(finding->file), "line", number(finding->line),
			  "function_id", number(finding->function_id), "path_id",
			  number(finding->path_id)));
}

json_t *finding_as_json(const struct findings *findings, size_t index)
{
	const struct finding *finding = &findings->list[index];
	json_t *object = json_make("{s:I, s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:o}",
				   "rank", (json_int_t)index + 1, "id", finding->rule->id,
				   "rule", finding->rule->slug, "title",
				   finding->rule->title, "says", json_text(finding->says),
				   "severity", severity_word(finding->severity), "score",
				   json_figure(finding->score), "confidence",
				   confidence_word(finding->confidence), "impact",
				   json_figure(finding->impact));

	set_place(object, finding);
	json_object_update_new(
		object,
		json_make("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "evidence",
			  evidence_value(finding), "why", json_text(finding->why),
			  "advice", advice_value(finding), "saving",
			  saving_value(finding), "verify", json_text(finding->verify),
			  "sql", json_text(finding->sql), "also", also_value(finding)));
	return object;
}
