/* SPDX-License-Identifier: MIT */
/*
 * From arguments to a report's document in JSON. Must not write: files are opened as they
 * are, and a spool beside them is left alone.
 */
#include "analyzer/mcp/call.h"

#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "analyzer/names/name_pool.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render.h"
#include "analyzer/reports/open.h"
#include "analyzer/rundb/limits.h"
#include "analyzer/rundb/select.h"

#include <stdlib.h>
#include <string.h>

#define REPORT_CPU_MS 30000u
#define QUERY_CPU_MS 3000u /* of the tool sql */
#define MEMORY_BYTES (512ll << 20)

extern const struct renderer renderer_json;

/* What was asked. Texts are the arguments', borrowed. */
struct asked {
	const struct tool *tool;
	struct report_options options;
	const char **databases;
	size_t database_count, before_count;
	char runs[3][32]; /* run, before_run, after_run given as numbers */
	const char *run;
	size_t rows;
};

void call_set_limits(void)
{
	limits_set(&(struct limits){.cpu_ms = REPORT_CPU_MS,
				    .query_cpu_ms = QUERY_CPU_MS,
				    .memory_bytes = MEMORY_BYTES});
}

static bool refuse(struct strbuf *error, const char *name, const char *why)
{
	strbuf_puts(error, "argument '");
	utf8_clean(error, name);
	strbuf_printf(error, "' %s", why);
	return false;
}

static void add_database(struct asked *asked, const char *path)
{
	asked->databases = xreallocarray(asked->databases, asked->database_count + 1,
					 sizeof(*asked->databases));
	asked->databases[asked->database_count++] = path;
}

/* A run is named by a text or a number. */
static const char *run_text(json_t *value, char buffer[32])
{
	if (json_is_string(value))
		return json_string_value(value);
	snprintf(buffer, 32, "%lld", (long long)json_integer_value(value));
	return buffer;
}

static bool take_run(struct asked *asked, const char *name, json_t *value,
		     struct strbuf *error)
{
	if (!json_is_string(value) && !json_is_integer(value))
		return refuse(error, name, "is neither a text nor a whole number");
	if (strcmp(name, "before_run") == 0) {
		asked->options.before = run_text(value, asked->runs[1]);
	} else if (strcmp(name, "after_run") == 0) {
		asked->options.after = run_text(value, asked->runs[2]);
	} else {
		asked->run = run_text(value, asked->runs[0]);
		asked->options.run_is_chosen = true;
	}
	return true;
}

static bool take_number(struct asked *asked, const struct tool_argument *argument,
			json_t *value, struct strbuf *error)
{
	if (argument->type == TOOL_FLAG) {
		if (!json_is_boolean(value))
			return refuse(error, argument->name, "is neither true nor false");
		asked->options.inlined = json_is_true(value);
	} else if (argument->type == TOOL_NUMBER) {
		if (!json_is_number(value) || json_number_value(value) < 0 ||
		    json_number_value(value) > 100)
			return refuse(error, argument->name, "is no percentage");
		asked->options.min_share = json_number_value(value);
	} else {
		if (!json_is_integer(value) || json_integer_value(value) < 1 ||
		    json_integer_value(value) > TOOL_ROWS_MOST)
			return refuse(error, argument->name,
				      "is no number of rows from 1 to 200");
		asked->rows = (size_t)json_integer_value(value);
	}
	return true;
}

static bool take_text(struct asked *asked, const struct tool_argument *argument,
		      json_t *value, struct strbuf *error)
{
	if (!json_is_string(value))
		return refuse(error, argument->name, "is no text");
	if (argument->text)
		*(const char **)((char *)&asked->options + argument->text) =
			json_string_value(value);
	return true;
}

/* Of sides: those before stand in front. */
static bool take_databases(struct asked *asked, json_t *arguments, const char *database,
			   struct strbuf *error)
{
	static const char *const sides[] = {"before", "after"};
	json_t *one = json_object_get(arguments, "database");
	size_t counts[2] = {0};

	for (size_t side = 0; side < 2; side++) {
		json_t *list = json_object_get(arguments, sides[side]), *path;
		size_t i;

		if (list && !json_is_array(list))
			return refuse(error, sides[side], "is no list of files");
		json_array_foreach(list, i, path)
		{
			if (!json_is_string(path))
				return refuse(error, sides[side], "is no list of files");
			add_database(asked, json_string_value(path));
			counts[side]++;
		}
	}
	if (!counts[0] != !counts[1])
		return refuse(error, counts[0] ? "after" : "before",
			      "is missing: both sides need files");
	asked->before_count = counts[0];
	if (one && counts[0])
		return refuse(error, "database", "does not go with before and after");
	if (!asked->database_count && (one || database))
		add_database(asked, one ? json_string_value(one) : database);
	return asked->database_count || refuse(error, "database", "is missing: a run.db");
}

static bool is_word(const struct tool *tool, const char *name)
{
	return (tool->argument && strcmp(tool->argument, name) == 0) ||
	       (tool->other_argument && strcmp(tool->other_argument, name) == 0);
}

static const struct tool_argument *find_argument(const struct tool *tool,
						 const char *name)
{
	for (size_t i = 0; i < tool_argument_count; i++)
		if (strcmp(tool_arguments[i].name, name) == 0 &&
		    tool_takes(tool, &tool_arguments[i]))
			return &tool_arguments[i];
	return NULL;
}

static bool take_word(const struct tool *tool, const char *name, json_t *arguments,
		      const char **ret, struct strbuf *error)
{
	json_t *value = name ? json_object_get(arguments, name) : NULL;

	if (!name || (!value && (tool->report->takes & TAKES_MAYBE)))
		return true;
	if (!value)
		return refuse(error, name, "is missing");
	*ret = json_string_value(value);
	return *ret || refuse(error, name, "is no text");
}

static bool take_arguments(struct asked *asked, json_t *arguments, const char *database,
			   struct strbuf *error)
{
	const struct tool *tool = asked->tool;
	const char *name;
	json_t *value;

	json_object_foreach(arguments, name, value)
	{
		const struct tool_argument *argument = find_argument(tool, name);
		bool is_fine = true;

		if (is_word(tool, name))
			continue;
		if (!argument)
			return refuse(error, name, "is not one that this tool has");
		if (argument->type == TOOL_RUN)
			is_fine = take_run(asked, name, value, error);
		else if (argument->type == TOOL_TEXT)
			is_fine = take_text(asked, argument, value, error);
		else if (argument->type != TOOL_TEXTS)
			is_fine = take_number(asked, argument, value, error);
		if (!is_fine)
			return false;
	}
	if (tool->needs_limits && !asked->options.limits)
		return refuse(error, "limits", "is missing, such as calls=0%");
	return take_word(tool, tool->argument, arguments, &asked->options.argument,
			 error) &&
	       take_word(tool, tool->other_argument, arguments,
			 &asked->options.other_argument, error) &&
	       take_databases(asked, arguments, database, error);
}

static bool open_one(struct report_input *input, const char *path, struct rundb **ret)
{
	if (rundb_open(path, ret, &input->error) < 0)
		return false;
	if (!input->options->inlined || rundb_show_inlined(*ret) == 0)
		return true;
	strbuf_puts(&input->error, rundb_error(*ret));
	return false;
}

static bool open_all(const struct asked *asked, struct report_input *input)
{
	unsigned takes = asked->tool->report->takes;

	if (!(takes & TAKES_SIDES))
		return open_one(input, asked->databases[0], &input->db) &&
		       (!(takes & TAKES_RUN) ||
			select_run(input->db, asked->run, &input->run_id,
				   &input->error) == 0);
	input->databases = xcalloc(asked->database_count, sizeof(*input->databases));
	input->before_databases = asked->before_count;
	for (size_t i = 0; i < asked->database_count; i++) {
		if (!open_one(input, asked->databases[i], &input->databases[i]))
			return false;
		input->database_count++;
	}
	return true;
}

static void close_all(struct report_input *input)
{
	filter_free(&input->filter);
	name_pool_free(input->names);
	rundb_close(input->db);
	for (size_t i = 0; i < input->database_count; i++)
		rundb_close(input->databases[i]);
	free(input->databases);
	strbuf_free(&input->error);
}

/* What stands in the document for people is said in a sentence each. */
static void put_cuts(const struct doc *doc, FILE *out)
{
	json_t *cuts = json_must(json_array());
	struct strbuf text = {0};

	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];
		size_t shown = section->kind == SECTION_TABLE ? section->table->row_count
			       : section->kind == SECTION_FINDINGS ? section->shown_count
								   : SIZE_MAX;
		bool is_counted = shown < section->total_row_count;

		if ((section->flags & SECTION_HUMAN) || (!is_counted && !section->footer))
			continue;
		strbuf_reset(&text);
		if (is_counted)
			strbuf_printf(&text, "%s: %zu of %zu rows", section->name, shown,
				      section->total_row_count);
		else
			strbuf_printf(&text, "%s: %s", section->name, section->footer);
		json_array_append_new(cuts, json_text(strbuf_text(&text)));
	}
	fputs(",\n\"cut\": ", out);
	json_write(cuts, out, JSON_COMPACT);
	if (json_array_size(cuts))
		fputs(",\n\"to_see_more\": \"a larger limit (at most 200), focus, sort, "
		      "or the "
		      "tool sql\"",
		      out);
	json_decref(cuts);
	strbuf_free(&text);
}

/* reason: why nothing was measured, where no note of the document says it; or "". */
static void put_answer(const struct doc *doc, enum exit_status status, const char *reason,
		       FILE *out)
{
	json_t *text = json_text(reason);

	fprintf(out, "{\"status\": \"%s\"",
		status == STATUS_OK	   ? "ok"
		: status == STATUS_NOTHING ? "nothing_measured"
					   : "regression");
	if (*reason) {
		fputs(",\n\"reason\": ", out);
		json_write(text, out, JSON_COMPACT | JSON_ENCODE_ANY);
	}
	json_decref(text);
	put_cuts(doc, out);
	fputs(",\n\"document\": ", out);
	renderer_json.render(doc, &(struct render_context){.out = out});
	fputs("}", out);
}

/* Returns whether there is an answer; else why not. */
static bool build(struct asked *asked, struct strbuf *ret)
{
	struct report_input input = {.options = &asked->options};
	enum exit_status status;
	char *text = NULL;
	size_t size = 0;
	bool is_built;
	struct doc doc;
	FILE *out;

	asked->options.limit = (long)asked->rows;
	doc_init(&doc, asked->tool->report->name);
	filter_init(&input.filter, asked->options.focus, asked->options.ignore);
	status = open_all(asked, &input) ? report_build(asked->tool->report, &input, &doc)
					 : STATUS_FAILED;
	is_built = status == STATUS_OK || status == STATUS_NOTHING ||
		   status == STATUS_REGRESSION;
	strbuf_reset(ret);
	if (is_built) {
		out = open_memstream(&text, &size);
		put_answer(&doc, status, strbuf_text(&input.error), out);
		fclose(out);
		strbuf_add(ret, text, size);
	} else {
		utf8_clean(ret, strbuf_text(&input.error));
	}
	free(text);
	doc_free(&doc);
	close_all(&input);
	return is_built;
}

bool tool_call(const struct tool *tool, json_t *arguments, const char *database,
	       struct strbuf *ret)
{
	struct asked asked = {.tool = tool,
			      .options = {.limit = -1, .min_share = -1, .machine = true},
			      .rows = TOOL_ROWS_USUAL};
	bool is_answer = take_arguments(&asked, arguments, database, ret);

	if (is_answer)
		is_answer = build(&asked, ret);
	while (is_answer && ret->size > CALL_BYTES_MOST && asked.rows > 1) {
		asked.rows /= 2;
		is_answer = build(&asked, ret);
	}
	if (is_answer && ret->size > CALL_BYTES_MOST) {
		strbuf_reset(ret);
		strbuf_puts(ret,
			    "the answer has more than 64 KiB even with one row of each "
			    "table; ask for less: focus, or the tool sql with columns");
		is_answer = false;
	}
	free(asked.databases);
	return is_answer;
}
