/* SPDX-License-Identifier: MIT */
/* Reads the facts of a run. Must not judge; trust.c says how far the numbers go. */
#include "analyzer/reports/trust/facts.h"

#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"

#include "facts.sql.h"

#include <math.h>
#include <string.h>

/* Functions that may have this share of all self time count as unknown. */
#define UNKNOWN_LEAST 0.01

void run_facts_load(struct report_input *input)
{
	struct run_facts *facts = &input->facts;
	struct cursor *cursor = report_query(input, facts_sql_run);
	size_t count = (size_t)cursor_column_count(cursor);
	struct column *columns = xcalloc(count, sizeof(*columns));

	cursor_bind_real(cursor, ":least_share", UNKNOWN_LEAST);
	for (size_t i = 0; i < count; i++)
		columns[i] = (struct column){
			.name = xstrdup(cursor_column_name(cursor, (int)i)),
			.type = COLUMN_ANY};
	facts->row = table_new(columns, count);
	cursor_fill(cursor, facts->row);
	for (size_t i = 0; i < facts->row->row_count * facts->row->column_count; i++) {
		struct cell *cell = &facts->row->cells[i];
		struct strbuf clean = {0};

		if (cell->kind != CELL_TEXT)
			continue;
		utf8_clean(&clean, cell->text);
		cell->text = strbuf_text(&clean);
	}
	hooks_load(input->db, input->run_id, &facts->hooks);
}

static const struct cell *find(const struct run_facts *facts, const char *name)
{
	return facts->row && facts->row->row_count ? table_cell(facts->row, 0, name)
						   : NULL;
}

double run_fact(const struct run_facts *facts, const char *name)
{
	const struct cell *cell = find(facts, name);

	return cell ? cell_number(cell) : 0;
}

const char *run_fact_text(const struct run_facts *facts, const char *name)
{
	const struct cell *cell = find(facts, name);

	return cell && cell->kind == CELL_TEXT ? cell->text : NULL;
}

char *run_facts_title(const struct report_input *input, const char *thread)
{
	const char *label = run_fact_text(&input->facts, "label");
	const char *command = run_fact_text(&input->facts, "command");
	struct strbuf text = {0};

	strbuf_printf(&text, "run %lld", (long long)input->run_id);
	if (label)
		strbuf_printf(&text, " '%s'", label);
	if (thread)
		strbuf_printf(&text, ", thread '%s'", thread);
	strbuf_printf(&text, ": %s", command ? command : "");
	return text.data;
}

struct hooks_cost run_facts_hooks(const struct run_facts *facts)
{
	return hooks_percent(hooks_total(&facts->hooks),
			     run_fact(facts, "recorded_ns") + facts->hooks.left_out_ns);
}

struct hooks_cost run_facts_program(const struct run_facts *facts)
{
	struct hooks_cost program = {run_fact(facts, "self_ns"),
				     run_fact(facts, "self_error_ns")};
	double beyond_ns;

	if (!run_fact(facts, "is_split"))
		return program;
	program.ns -= run_fact(facts, "self_off_ns");
	beyond_ns =
		program.ns + hooks_total(&facts->hooks).ns - run_fact(facts, "cpu_ns");
	program.error_ns = fmin(fmax(program.error_ns, beyond_ns), program.ns);
	return program;
}

double run_facts_hooks_waited_ns(const struct run_facts *facts)
{
	return hooks_waits(&facts->hooks, run_fact(facts, "wall_ns")) *
	       hooks_total(&facts->hooks).ns;
}

double run_facts_error_ns(const struct run_facts *facts)
{
	return hypot(run_fact(facts, "self_error_ns"), run_facts_hooks_waited_ns(facts));
}

bool run_facts_empty(const struct run_facts *facts)
{
	return !run_fact(facts, "calls") && !run_fact(facts, "alloc_count") &&
	       !run_fact(facts, "plain_sample_count");
}
