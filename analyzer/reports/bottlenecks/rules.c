/* SPDX-License-Identifier: MIT */
/* --list-rules: all rules and their limits. */
#include "analyzer/reports/bottlenecks/parts.h"

#include "analyzer/model/units.h"

#include <string.h>

static const struct column limit_columns[] = {
	{"id", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"rule", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"limit", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"figure", "value", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"value", NULL, COLUMN_FIGURE, COLUMN_MACHINE},
	{"unit", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"changed", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"enabled", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"meaning", NULL, COLUMN_TEXT, COLUMN_DETAIL},
	{"needs", NULL, COLUMN_TEXT, COLUMN_MACHINE},
};

/* "500ms", "20%", "100 (changed)" */
static struct cell figure(struct table *table, const struct rule_limit_value *limit)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	units_limit(&text, limit->value, limit->limit->unit);
	if (limit->is_changed)
		strbuf_puts(&text, " (changed)");
	return table_text(table, strbuf_text(&text));
}

static void list_limits(struct table *table, const struct rule_limits *limits,
			const struct rule *rule, bool is_enabled)
{
	size_t shown = 0;

	for (size_t i = 0; i <= limits->value_count; i++) {
		const struct rule_limit_value *limit =
			i < limits->value_count ? &limits->values[i] : NULL;
		struct cell *row;

		if (limit && strcmp(limit->rule, rule->id) != 0)
			continue;
		if (!limit && shown)
			break;
		row = table_add_row(table);
		row[0] = table_text(table, rule->id);
		row[1] = table_text(table, rule->slug);
		row[7] = cell_integer(is_enabled);
		row[9] = table_text(table, rule->needs_words);
		row[8] = table_text(table, rule->summary);
		shown++;
		if (!limit)
			break;
		row[2] = table_text(table, limit->limit->name);
		row[3] = figure(table, limit);
		row[4] = cell_real(limit->value);
		row[5] = table_text(table, limit->limit->unit);
		row[6] = cell_integer(limit->is_changed);
		row[8] = table_text(table, limit->limit->meaning);
	}
}

void bottlenecks_list_rules(struct report_input *input, struct doc *doc)
{
	struct table *table = table_new(limit_columns, 10);
	struct rule_limits limits = {0};

	bottlenecks_load_limits(input, &limits);
	for (size_t i = 0; i < rule_registry_count; i++) {
		const struct rule_limits_entry *entry =
			rule_limits_rule(&limits, rule_registry[i]->id);

		list_limits(table, &limits, rule_registry[i],
			    !entry || entry->is_enabled);
	}
	doc_table(doc, "rules", "Rules and their limits", table)->flags = SECTION_MAIN;
}
