/* SPDX-License-Identifier: MIT */
/* Examines the run before any rule is asked: the numbers that queries use, and which
 * measurements are valid. */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "analyzer/rundb/rundb.h"

#include "run.sql.h"

#include <stdlib.h>
#include <string.h>

static struct cell is_found(void *context, const struct cell *values)
{
	const struct rule_input *input = context;
	const char *id = values[0].kind == CELL_TEXT ? values[0].text : "";

	for (size_t i = 0; i < input->findings->count; i++) {
		const struct finding *one = &input->findings->list[i];

		if (one->function_id == cell_whole(&values[1]) &&
		    strcmp(one->rule->id, id) == 0)
			return cell_integer(1);
	}
	return cell_integer(0);
}

static int keep_tables(struct rule_input *input)
{
	static const struct {
		const char *name, *sql;
	} tables[] = {
		{"root_lane", run_sql_root_lane},
		{"run_lanes", run_sql_run_lanes},
		{"run_threads", run_sql_run_threads},
		{"run_samples", run_sql_run_samples},
		{"quality", run_sql_quality},
	};
	int result = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && result == 0; i++)
		result = rule_keep(input, tables[i].name, tables[i].sql, false);
	return result;
}

static int load_run(struct rule_input *input)
{
	struct cursor *cursor = rule_query(input, run_sql_run);
	size_t count = cursor_next(cursor) > 0 ? (size_t)cursor_column_count(cursor) : 0;

	input->run = xcalloc(count + 1, sizeof(*input->run));
	for (size_t i = 0; i < count; i++)
		input->run[input->run_count++] = (struct rule_number){
			rule_text(input, ":%s", cursor_column_name(cursor, (int)i)),
			cursor_real_at(cursor, (int)i)};
	if (count)
		input->run_ns = cursor_real(cursor, "run_ns");
	return rule_finish(input, cursor, 0);
}

static int load_measured(struct rule_input *input)
{
	struct cursor *cursor = rule_query(input, run_sql_measured);

	while (cursor_next(cursor) > 0) {
		input->measured =
			xreallocarray(input->measured, input->measured_count + 1,
				      sizeof(*input->measured));
		input->measured[input->measured_count++] = (struct rule_measured){
			rule_copy(input, cursor_text(cursor, "name")),
			rule_copy(input, cursor_text(cursor, "reason"))};
	}
	return rule_finish(input, cursor, 0);
}

static int load_unjudged(struct rule_input *input)
{
	struct cursor *cursor = rule_query(input, run_sql_unjudged);

	if (cursor_next(cursor) > 0)
		input->unjudged = rule_copy(input, cursor_text(cursor, "text"));
	return rule_finish(input, cursor, 0);
}

int rules_begin(struct rule_input *input)
{
	size_t count = 0;
	int result = keep_tables(input);

	while (rule_tables[count].name)
		count++;
	input->kept = xcalloc(count + 1, sizeof(*input->kept));
	if (result == 0)
		result = load_run(input);
	if (result == 0)
		result = load_measured(input);
	if (result == 0)
		result = load_unjudged(input);
	if (result == 0)
		result = rundb_function(input->db, "bare_name", 1, rule_bare_name, input);
	return result ? result
		      : rundb_function(input->db, "is_found", 2, is_found, input);
}

void rules_end(struct rule_input *input)
{
	free(input->kept);
	free(input->run);
	free(input->measured);
	rundb_function(input->db, "bare_name", 1, NULL, NULL);
	rundb_function(input->db, "is_found", 2, NULL, NULL);
}

const char *rule_missing(const struct rule_input *input, const struct rule *rule)
{
	for (size_t i = 0; i < input->measured_count; i++)
		if (input->measured[i].reason &&
		    table_is_listed(rule->needs, input->measured[i].name))
			return input->measured[i].reason;
	return NULL;
}

bool rule_needs_time(const struct rule *rule)
{
	return table_is_listed(rule->needs, "time");
}
