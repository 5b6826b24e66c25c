/* SPDX-License-Identifier: MIT */
/*
 * SARIF 2.1.0, as code scanning reads it: a result for each finding. Must not fail a
 * build by itself: the level error is used with --fail-on only.
 */
#include "analyzer/render/render.h"

#include "common/base/xalloc.h"
#include "analyzer/render/findings.h"
#include "analyzer/render/json_value.h"
#include "analyzer/rules/rule.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* {"text": text} */
static json_t *message(const char *text)
{
	json_t *object = json_must(json_object());

	json_object_set_new(object, "text", json_text(text));
	return object;
}

static const char *level_of(const struct section *section, enum severity severity)
{
	if (severity >= SEVERITY_HIGH && (section->flags & SECTION_GATE))
		return "error";
	return severity >= SEVERITY_MEDIUM ? "warning" : "note";
}

/* An absolute path gets the scheme; what a URI cannot hold is escaped. */
static json_t *uri_value(const char *file)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/+@,=";
	struct strbuf uri = {0};
	json_t *value;

	strbuf_puts(&uri, *file == '/' ? "file://" : "");
	for (; *file; file++) {
		if (strchr(plain, *file))
			strbuf_putc(&uri, *file);
		else
			strbuf_printf(&uri, "%%%02X", (unsigned char)*file);
	}
	value = json_text(strbuf_text(&uri));
	strbuf_free(&uri);
	return value;
}

static json_t *physical_location(const struct finding *finding)
{
	json_t *place = json_must(json_object()), *artifact = json_must(json_object());

	json_object_set_new(artifact, "uri", uri_value(finding->file));
	json_object_set_new(place, "artifactLocation", artifact);
	if (finding->line) {
		json_t *region = json_must(json_object());

		json_object_set_new(region, "startLine",
				    json_must(json_integer(finding->line)));
		json_object_set_new(place, "region", region);
	}
	return place;
}

static json_t *logical_locations(json_t *name)
{
	json_t *array = json_must(json_array()), *one = json_must(json_object());

	json_object_set_new(one, "fullyQualifiedName", name);
	json_object_set_new(one, "kind", json_text("function"));
	json_array_append_new(array, one);
	return array;
}

static json_t *locations(const struct finding *finding)
{
	json_t *array = json_must(json_array()), *one = json_must(json_object());

	if (finding->file)
		json_object_set_new(one, "physicalLocation", physical_location(finding));
	if (finding->function)
		json_object_set_new(one, "logicalLocations",
				    logical_locations(json_text(finding->function)));
	json_array_append_new(array, one);
	return array;
}

/* The call path, innermost frame first. */
static json_t *stacks(const struct finding *finding)
{
	json_t *array = json_must(json_array()), *stack = json_must(json_object());
	json_t *frames = json_must(json_array()), *names = json_chain(finding->chain);

	for (size_t i = json_array_size(names); i-- > 0;) {
		json_t *frame = json_must(json_object());
		json_t *location = json_must(json_object());

		json_object_set_new(
			location, "logicalLocations",
			logical_locations(json_incref(json_array_get(names, i))));
		json_object_set_new(frame, "location", location);
		json_array_append_new(frames, frame);
	}
	json_decref(names);
	json_object_set_new(stack, "frames", frames);
	json_array_append_new(array, stack);
	return array;
}

static void hash_text(uint64_t *hash, const char *text)
{
	for (; *text; text++)
		*hash = (*hash ^ (unsigned char)*text) * 0x100000001b3;
	*hash = (*hash ^ 0xff) * 0x100000001b3;
}

/* The same finding in another run has the same one. */
static json_t *fingerprints(const struct finding *finding)
{
	json_t *object = json_must(json_object());
	uint64_t hash = 0xcbf29ce484222325;
	char text[17];

	hash_text(&hash, finding->rule->id);
	hash_text(&hash, finding_name(finding) ? finding_name(finding) : "");
	hash_text(&hash, finding->chain ? finding->chain : "");
	snprintf(text, sizeof(text), "%016" PRIx64, hash);
	json_object_set_new(object, "rulePath/v1", json_text(text));
	return object;
}

static json_t *result_message(const struct findings *findings,
			      const struct finding *finding)
{
	struct strbuf text = {0};
	json_t *value;

	strbuf_printf(&text, "%s: %s. ",
		      finding_name(finding) ? finding_name(finding) : "The run",
		      finding->rule->title);
	finding_put_evidence(&text, finding);
	strbuf_puts(&text, ".");
	if (finding->saving_ns > 0 || finding->saving_bytes > 0) {
		strbuf_puts(&text, " Saving: up to ");
		finding_put_saving(&text, findings, finding);
		strbuf_puts(&text, ".");
	}
	if (finding->advice[0])
		strbuf_printf(&text, " Try: %s.", finding->advice[0]);
	value = message(strbuf_text(&text));
	strbuf_free(&text);
	return value;
}

/* Each rule of the findings once; the number of each is its place. */
static size_t rule_number(const struct rule **rules, size_t *count,
			  const struct rule *rule)
{
	for (size_t i = 0; i < *count; i++)
		if (rules[i] == rule)
			return i;
	rules[*count] = rule;
	return (*count)++;
}

static json_t *result_value(const struct section *section, size_t index,
			    size_t rule_index)
{
	const struct finding *finding = &section->findings->list[index];
	json_t *object = json_must(json_object());

	json_object_set_new(object, "ruleId", json_text(finding->rule->id));
	json_object_set_new(object, "ruleIndex",
			    json_must(json_integer((json_int_t)rule_index)));
	json_object_set_new(object, "level",
			    json_text(level_of(section, finding->severity)));
	json_object_set_new(object, "rank", json_figure(finding->score));
	json_object_set_new(object, "message",
			    result_message(section->findings, finding));
	if (finding->file || finding->function)
		json_object_set_new(object, "locations", locations(finding));
	if (finding->chain && *finding->chain)
		json_object_set_new(object, "stacks", stacks(finding));
	json_object_set_new(object, "partialFingerprints", fingerprints(finding));
	json_object_set_new(object, "properties",
			    finding_as_json(section->findings, index));
	return object;
}

static json_t *rules_value(const struct rule *const *rules, size_t count)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; i < count; i++) {
		json_t *object = json_must(json_object());

		json_object_set_new(object, "id", json_text(rules[i]->id));
		json_object_set_new(object, "name", json_text(rules[i]->slug));
		json_object_set_new(object, "shortDescription", message(rules[i]->title));
		json_object_set_new(object, "fullDescription",
				    message(rules[i]->summary));
		json_array_append_new(array, object);
	}
	return array;
}

/* What the notes of the document say: how far the numbers go, what was not measured. */
static json_t *invocations(const struct doc *doc)
{
	json_t *array = json_must(json_array()), *one = json_must(json_object());
	json_t *notes = json_must(json_array());

	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];
		json_t *note, *descriptor;

		if (section->kind != SECTION_NOTE || (section->flags & SECTION_HUMAN))
			continue;
		note = json_must(json_object());
		descriptor = json_must(json_object());
		json_object_set_new(descriptor, "id", json_text(section->name));
		json_object_set_new(note, "descriptor", descriptor);
		json_object_set_new(
			note, "level",
			json_text(section->level == NOTE_WARNING ? "warning" : "note"));
		json_object_set_new(note, "message", message(section->text));
		json_array_append_new(notes, note);
	}
	json_object_set_new(one, "executionSuccessful", json_must(json_true()));
	json_object_set_new(one, "toolExecutionNotifications", notes);
	json_array_append_new(array, one);
	return array;
}

static json_t *tool_value(json_t *rules)
{
	json_t *tool = json_must(json_object()), *driver = json_must(json_object());

	json_object_set_new(driver, "name", json_text("prof-analyze"));
	json_object_set_new(driver, "version", json_text(PROFSHIM_VERSION));
	json_object_set_new(driver, "rules", rules);
	json_object_set_new(tool, "driver", driver);
	return tool;
}

static json_t *run_value(const struct doc *doc)
{
	const struct rule **rules = NULL;
	json_t *run = json_must(json_object()), *results = json_must(json_array());
	size_t rule_count = 0;

	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (section->kind != SECTION_FINDINGS)
			continue;
		rules = xreallocarray(rules, rule_count + section->shown_count + 1,
				      sizeof(*rules));
		for (size_t j = 0; j < section->shown_count; j++) {
			size_t number = rule_number(rules, &rule_count,
						    section->findings->list[j].rule);

			json_array_append_new(results, result_value(section, j, number));
		}
	}
	json_object_set_new(run, "tool", tool_value(rules_value(rules, rule_count)));
	json_object_set_new(run, "invocations", invocations(doc));
	json_object_set_new(run, "results", results);
	free(rules);
	return run;
}

static void render(const struct doc *doc, const struct render_context *context)
{
	json_t *root = json_must(json_object()), *runs = json_must(json_array());

	json_object_set_new(root, "$schema", json_text(SCHEMA));
	json_object_set_new(root, "version", json_text("2.1.0"));
	json_array_append_new(runs, run_value(doc));
	json_object_set_new(root, "runs", runs);
	json_write(root, context->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', context->out);
	json_decref(root);
}

const struct renderer renderer_sarif = {
	.name = "sarif", .for_machines = true, .needs_findings = true, .render = render};
