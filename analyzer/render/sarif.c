/* SPDX-License-Identifier: MIT */
/*
 * For continuous integration. SARIF 2.1.0, as code scanning reads it: a result for each
 * finding. Must not fail a build by itself: the level error is used with --fail-on only.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/render/findings.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render.h"
#include "analyzer/rules/rule.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static json_t *message(const char *text)
{
	return json_make("{s:o}", "text", json_text(text));
}

static const char *level_of(const struct section *section, enum severity severity)
{
	if (severity >= SEVERITY_HIGH && (section->flags & SECTION_GATE))
		return "error";
	return severity >= SEVERITY_MEDIUM ? "warning" : "note";
}

/* Absolute paths get a scheme; characters that a URI cannot have are escaped. */
static json_t *uri_value(const char *file)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/+@,=";
	ended_by(strbuf_free) struct strbuf uri = {0};

	strbuf_puts(&uri, *file == '/' ? "file://" : "");
	for (; *file; file++) {
		if (strchr(plain, *file))
			strbuf_putc(&uri, *file);
		else
			strbuf_printf(&uri, "%%%02X", (unsigned char)*file);
	}
	return json_text(strbuf_text(&uri));
}

static json_t *physical_location(const struct finding *finding)
{
	json_t *place = json_make("{s:{s:o}}", "artifactLocation", "uri",
				  uri_value(finding->file));

	if (finding->line)
		json_object_set_new(place, "region",
				    json_make("{s:i}", "startLine", (int)finding->line));
	return place;
}

static json_t *logical_locations(json_t *name)
{
	return json_make("[{s:o, s:s}]", "fullyQualifiedName", name, "kind", "function");
}

static json_t *locations(const struct finding *finding)
{
	json_t *one = json_must(json_object());

	if (finding->file)
		json_object_set_new(one, "physicalLocation", physical_location(finding));
	if (finding->function)
		json_object_set_new(one, "logicalLocations",
				    logical_locations(json_text(finding->function)));
	return json_make("[o]", one);
}

/* The call path, innermost frame first. */
static json_t *stacks(const struct finding *finding)
{
	json_t *frames = json_must(json_array()), *names = json_chain(finding->chain);

	for (size_t i = json_array_size(names); i-- > 0;)
		json_array_append_new(
			frames, json_make("{s:{s:o}}", "location", "logicalLocations",
					  logical_locations(json_incref(
						  json_array_get(names, i)))));
	json_decref(names);
	return json_make("[{s:o}]", "frames", frames);
}

static void hash_text(uint64_t *hash, const char *text)
{
	for (; *text; text++)
		*hash = (*hash ^ (unsigned char)*text) * 0x100000001b3;
	*hash = (*hash ^ 0xff) * 0x100000001b3;
}

/* The same finding in another run gets the same fingerprint. */
static json_t *fingerprints(const struct finding *finding)
{
	uint64_t hash = 0xcbf29ce484222325;
	char text[17];

	hash_text(&hash, finding->rule->id);
	hash_text(&hash, finding_name(finding) ? finding_name(finding) : "");
	hash_text(&hash, finding->chain ? finding->chain : "");
	snprintf(text, sizeof(text), "%016" PRIx64, hash);
	return json_make("{s:s}", "rulePath/v1", text);
}

static json_t *result_message(const struct findings *findings,
			      const struct finding *finding)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	if (finding_name(finding))
		strbuf_printf(&text, "%s: ", finding_name(finding));
	strbuf_printf(&text, "%s. ",
		      finding->says ? finding->says : finding->rule->title);
	finding_put_evidence(&text, finding);
	strbuf_puts(&text, ".");
	if (finding->saving_ns > 0 || finding->saving_bytes > 0) {
		strbuf_puts(&text, " Gain: ");
		finding_put_bound(&text, findings, finding, true);
		strbuf_puts(&text, ".");
	}
	if (finding->advice[0])
		strbuf_printf(&text, " Try: %s.", finding->advice[0]);
	return message(strbuf_text(&text));
}

/* Lists each rule of the findings once; returns its index. */
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
	json_t *object = json_make("{s:s, s:I, s:s, s:o, s:o}", "ruleId",
				   finding->rule->id, "ruleIndex", (json_int_t)rule_index,
				   "level", level_of(section, finding->severity), "rank",
				   json_figure(finding->score), "message",
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

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			array, json_make("{s:s, s:s, s:o, s:o}", "id", rules[i]->id,
					 "name", rules[i]->slug, "shortDescription",
					 message(rules[i]->title), "fullDescription",
					 message(rules[i]->summary)));
	return array;
}

/* The document's notes: how far the numbers go, and what was not measured. */
static json_t *invocations(const struct doc *doc)
{
	json_t *notes = json_must(json_array());

	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (section->kind != SECTION_NOTE || (section->flags & SECTION_HUMAN))
			continue;
		json_array_append_new(
			notes,
			json_make("{s:{s:o}, s:s, s:o}", "descriptor", "id",
				  json_text(section->name), "level",
				  section->level == NOTE_WARNING ? "warning" : "note",
				  "message", message(section->text)));
	}
	return json_make("[{s:b, s:o}]", "executionSuccessful", 1,
			 "toolExecutionNotifications", notes);
}

static json_t *run_value(const struct doc *doc)
{
	const struct rule **rules = NULL;
	json_t *run, *results = json_must(json_array());
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
	run = json_make("{s:{s:{s:s, s:s, s:o}}, s:o, s:o}", "tool", "driver", "name",
			"prof-analyze", "version", PROFSHIM_VERSION, "rules",
			rules_value(rules, rule_count), "invocations", invocations(doc),
			"results", results);
	return run;
}

static void render_sarif(const struct doc *doc, const struct render_context *context)
{
	json_t *root = json_make("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version",
				 "2.1.0", "runs", run_value(doc));

	json_write(root, context->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', context->out);
	json_decref(root);
}

const struct renderer renderer_sarif = {.name = "sarif",
					.for_machines = true,
					.needs_findings = true,
					.render = render_sarif};

/*
 * JUnit XML for CI servers: a test case for each check of a gate. A failed check is a
 * failure; one that could not be made is an error, and must not look like one that
 * passed.
 */

static void put_escaped(FILE *out, const char *text)
{
	ended_by(strbuf_free) struct strbuf escaped = {0};

	xml_escape(&escaped, text);
	fputs(strbuf_text(&escaped), out);
}

enum kind { PASSED, FAILED, NOT_MADE };

static enum kind kind_of(const struct table *table, size_t row)
{
	const char *result = table_cell(table, row, "result")->text;

	if (cell_number(table_cell(table, row, "failed")) != 0)
		return FAILED;
	return strncmp(result, "not ", 4) == 0 ? NOT_MADE : PASSED;
}

static void put_case(FILE *out, const struct doc *doc, const struct table *table,
		     size_t row)
{
	static const char *const elements[] = {"system-out", "failure", "error"};
	enum kind kind = kind_of(table, row);

	fprintf(out, "    <testcase classname=\"prof-analyze.%s\" name=\"", doc->report);
	put_escaped(out, table_cell(table, row, "check")->text);
	fputs("\">\n      <", out);
	fputs(elements[kind], out);
	if (kind != PASSED) {
		fputs(" message=\"", out);
		put_escaped(out, table_cell(table, row, "result")->text);
		fputc('"', out);
	}
	fputc('>', out);
	if (kind == PASSED) {
		put_escaped(out, table_cell(table, row, "result")->text);
		fputs(": ", out);
	}
	put_escaped(out, table_cell(table, row, "message")->text);
	fprintf(out, "</%s>\n    </testcase>\n", elements[kind]);
}

static void put_suite(FILE *out, const struct doc *doc, const struct table *table)
{
	size_t counts[3] = {0};

	for (size_t i = 0; i < table->row_count; i++)
		counts[kind_of(table, i)]++;
	fprintf(out,
		"  <testsuite name=\"prof-analyze %s\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\">\n",
		doc->report, table->row_count, counts[FAILED], counts[NOT_MADE]);
	for (size_t i = 0; i < table->row_count; i++)
		put_case(out, doc, table, i);
	fputs("  </testsuite>\n", out);
}

static void render_junit(const struct doc *doc, const struct render_context *context)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", context->out);
	for (size_t i = 0; i < doc->section_count; i++)
		if (doc->sections[i].kind == SECTION_TABLE &&
		    (doc->sections[i].flags & SECTION_CHECKS))
			put_suite(context->out, doc, doc->sections[i].table);
	fputs("</testsuites>\n", context->out);
}

const struct renderer renderer_junit = {.name = "junit",
					.for_machines = false,
					.needs_checks = true,
					.render = render_junit};
