/* SPDX-License-Identifier: MIT */
/*
 * What became of each rule, what was suppressed, and --list-rules. Must not let a rule
 * without data look like one that passed.
 */
#include "analyzer/reports/bottlenecks/parts.h"

#include "common/base/utf8.h"
#include "analyzer/model/units.h"
#include "analyzer/rules/measured.h"

#include <string.h>

static const char *const outcome_words[] = {"found", "passed", "not measured",
					    "not judged", "off"};

static const struct column state_columns[] = {
	{"id", NULL, COLUMN_TEXT, 0},
	{"rule", NULL, COLUMN_TEXT, 0},
	{"outcome", NULL, COLUMN_TEXT, 0},
	{"reason", NULL, COLUMN_TEXT, 0},
};

/* Either may be NULL; equal sentences need not be at one address. */
static bool is_same(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "") == 0;
}

/* One line of rules that share an outcome; those not measured with their reasons. */
static void add_line(struct doc *doc, struct section *section,
		     const struct bottlenecks *bottlenecks, enum rule_outcome outcome)
{
	const char *reason = NULL;
	struct strbuf text = {0};

	for (size_t i = 0; i < rule_registry_count; i++) {
		const struct rule_state *one = &bottlenecks->states[i];

		if (one->outcome != outcome)
			continue;
		/* Neighbours often lack the same. */
		if (text.size && !is_same(reason, one->reason))
			strbuf_printf(&text, " (%s)", reason ? reason : "no data");
		strbuf_printf(&text, "%s%s %s", text.size ? ", " : "", one->rule->id,
			      one->rule->slug);
		reason = one->reason;
	}
	if ((outcome == OUTCOME_NOT_MEASURED || outcome == OUTCOME_NOT_JUDGED) &&
	    text.size)
		strbuf_printf(&text, " (%s)", reason ? reason : "no data");
	if (text.size)
		doc_add_human(doc, section, outcome_words[outcome], strbuf_text(&text));
	strbuf_free(&text);
}

void bottlenecks_add_rules(struct doc *doc, const struct bottlenecks *bottlenecks)
{
	struct table *table = table_new(state_columns, 4);
	struct section *section;

	for (size_t i = 0; i < rule_registry_count; i++) {
		const struct rule_state *one = &bottlenecks->states[i];
		struct cell *row = table_add_row(table);

		row[0] = table_text(table, one->rule->id);
		row[1] = table_text(table, one->rule->slug);
		row[2] = table_text(table, outcome_words[one->outcome]);
		row[3] = table_text(table, one->reason);
	}
	doc_table(doc, "rules", NULL, table)->flags = SECTION_MACHINE;
	section = doc_values(doc, "rules_without_findings", "Rules without a finding");
	section->flags = SECTION_HUMAN;
	add_line(doc, section, bottlenecks, OUTCOME_NOT_MEASURED);
	add_line(doc, section, bottlenecks, OUTCOME_NOT_JUDGED);
	add_line(doc, section, bottlenecks, OUTCOME_OFF);
	add_line(doc, section, bottlenecks, OUTCOME_PASSED);
	if (!section->value_count)
		doc_add_human(doc, section, "none", "every rule found something");
}

static const struct column suppressed_columns[] = {
	{"finding_count", "findings", COLUMN_COUNT, COLUMN_KEEP},
	{"rule", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"function", NULL, COLUMN_ANY, COLUMN_KEEP},
	{"expires", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"expired", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"reason", NULL, COLUMN_TEXT, COLUMN_KEEP},
};

static void add_expired(struct doc *doc, const struct finding_suppression *one)
{
	struct strbuf text = {0};

	strbuf_printf(&text, "The suppression of %s", one->rule);
	if (one->function) {
		strbuf_puts(&text, " for ");
		utf8_clean(&text, one->function);
	}
	strbuf_printf(&text, " expired on %s and is not applied: ", one->expires);
	utf8_clean(&text, one->reason);
	doc_note(doc, "suppression_expired", NOTE_WARNING, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

void bottlenecks_add_suppressed(struct doc *doc, const struct bottlenecks *bottlenecks)
{
	const struct finding_suppressions *all = &bottlenecks->suppressions;
	struct table *table;

	if (!all->count)
		return;
	table = table_new(suppressed_columns, 6);
	for (size_t i = 0; i < all->count; i++) {
		const struct finding_suppression *one = &all->list[i];
		struct cell *row;

		if (one->is_expired)
			add_expired(doc, one);
		row = table_add_row(table);
		row[0] = cell_integer((int64_t)one->count);
		row[1] = table_text(table, one->rule);
		row[2] = table_text(table, one->function);
		row[3] = table_text(table, one->expires);
		row[4] = cell_integer(one->is_expired);
		row[5] = table_text(table, one->reason);
	}
	doc_table(doc, "suppressed", "Suppressed", table);
}

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
	struct strbuf text = {0};
	struct cell cell;

	units_limit(&text, limit->value, limit->limit->unit);
	if (limit->is_changed)
		strbuf_puts(&text, " (changed)");
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

static void list_limits(struct table *table, const struct rule_limits *limits,
			const struct rule *rule, bool is_enabled)
{
	struct strbuf needs = {0};
	size_t shown = 0;

	measured_put_words(&needs, rule->needs);
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
		row[9] = table_text(table, strbuf_text(&needs));
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
	strbuf_free(&needs);
}

enum exit_status bottlenecks_list_rules(struct report_input *input, struct doc *doc)
{
	struct rule_limits limits = {0};
	enum exit_status status = bottlenecks_load_limits(input, &limits);
	struct table *table;

	if (status == STATUS_OK) {
		table = table_new(limit_columns, 10);
		for (size_t i = 0; i < rule_registry_count; i++) {
			const struct rule_limits_entry *entry =
				rule_limits_rule(&limits, rule_registry[i]->id);

			list_limits(table, &limits, rule_registry[i],
				    !entry || entry->is_enabled);
		}
		doc_table(doc, "rules", "Rules and their limits", table)->flags =
			SECTION_MAIN;
	}
	rule_limits_free(&limits);
	return status;
}
