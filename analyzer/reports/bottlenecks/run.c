/* SPDX-License-Identifier: MIT */
/* Applies every rule to a run. Must not say "passed" of a rule that had no data. */
#include "analyzer/reports/bottlenecks/parts.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/trust.h"
#include "analyzer/findings/finding_merge.h"
#include "analyzer/findings/finding_suppress.h"
#include "analyzer/findings/rules_file.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/reports/load.h"
#include "analyzer/tree/wrappers.h"
#include "analyzer/reports/trust/facts.h"

#include "found.sql.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void bottlenecks_load_limits(struct report_input *input, struct rule_limits *ret)
{
	const char *path = input->options->rules;
	struct strbuf text = {0};

	for (size_t i = 0; i < rule_registry_count; i++)
		rule_limits_declare(ret, rule_registry[i]->id, rule_registry[i]->slug,
				    rule_registry[i]->limits);
	if (!path)
		return;
	report_read_file(path, "a file of rules", &text);
	rules_file_read(ret, strbuf_text(&text), text.size, path);
}

static bool is_rule(const char *word)
{
	return rule_find(word) != NULL;
}

static bool names_rule(const char *word, const struct rule *rule)
{
	return rule_find(word) == rule;
}

static void load_suppressions(struct report_input *input,
			      struct finding_suppressions *ret)
{
	const char *path = input->options->suppressions;
	struct strbuf text = {0};
	time_t now = time(NULL);
	char today[16];
	struct tm date;

	if (!path)
		return;
	strftime(today, sizeof(today), "%Y-%m-%d", gmtime_r(&now, &date));
	report_read_file(path, "a list of suppressions", &text);
	finding_suppressions_parse(ret, strbuf_text(&text), text.size, path, today,
				   is_rule);
}

/* The outcome of a rule. */
struct outcome {
	const char *word, *reason;
};

static void apply(struct rule_input *rule, struct findings *findings, struct outcome *ret)
{
	size_t before = findings->count;
	int result = RULE_NOT_MEASURED;

	rule->reason = rule_missing(rule, rule->rule);
	if (!rule->reason)
		result = rule_ask(rule, findings);
	if (result < 0 || rule->error->size)
		command_fail(STATUS_FAILED, "%s", strbuf_text(rule->error));
	if (result == RULE_NOT_MEASURED)
		*ret = (struct outcome){"not measured", rule->reason};
	else if (findings->count > before || result == RULE_HAS_FACTS)
		*ret = (struct outcome){"found", NULL};
	else if (rule_needs_time(rule->rule) && rule->unjudged)
		*ret = (struct outcome){"not judged", rule->unjudged};
	else
		*ret = (struct outcome){"passed", NULL};
}

/* Marks findings about times that were estimated. */
static void tell_estimates(struct rule_input *rule, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *one = &findings->list[i];
		uint32_t function =
			one->function_id ? calltree_function(rule->tree, one->function_id)
					 : CALLTREE_NONE;

		if (one->kind == 'T' && one->why && function != CALLTREE_NONE &&
		    rule->tree->functions[function].is_estimated)
			one->why = rule_text(rule,
					     "%s; its time is an estimate: not all of "
					     "its calls were timed",
					     one->why);
	}
}

static void keep_states(struct report_input *input, const struct outcome *outcomes)
{
	struct rundb_insert *states =
		rundb_fill(input->db, "rule_states", found_sql_rule_states);

	for (size_t i = 0; i < rule_registry_count; i++)
		rundb_insert_row(states,
				 (struct cell[]){cell_text(rule_registry[i]->id),
						 cell_text(rule_registry[i]->slug),
						 cell_text(outcomes[i].word),
						 cell_text(outcomes[i].reason)});
	rundb_insert_end(states);
}

static void ask_rules(struct report_input *input, struct rule_input *rule,
		      struct findings *findings)
{
	struct outcome *outcomes = xcalloc(rule_registry_count, sizeof(*outcomes));

	for (size_t i = 0; i < rule_registry_count; i++) {
		const struct rule_limits_entry *entry =
			rule_limits_rule(rule->limits, rule_registry[i]->id);

		rule->rule = rule_registry[i];
		outcomes[i] = (struct outcome){"off", NULL};
		if (!entry || entry->is_enabled)
			apply(rule, findings, &outcomes[i]);
	}
	keep_states(input, outcomes);
}

/* The measurements a finding rests on, as enum trust_touches. */
static unsigned rests_on(const struct finding *finding)
{
	const char *id = finding->rule->id;
	/* M11's page faults come from /proc, not from the hooks. */
	bool is_counted_by_kernel = strcmp(id, "M11") == 0;
	unsigned bits = 0;

	if (finding->kind != 'M' || finding->saving_ns > 0)
		bits |= TRUST_TIME;
	if (finding->kind == 'M' && !is_counted_by_kernel)
		bits |= TRUST_MEMORY;
	if (strcmp(id, "M5") == 0)
		bits |= TRUST_GROWTH;
	if (finding->function && strncmp(finding->function, "0x", 2) == 0)
		bits |= TRUST_NAMES;
	return bits;
}

/* Lowers confidence before the findings are rated. Must not raise it. */
static void lower(struct report_input *input, struct findings *findings)
{
	auto_cursor struct cursor *cursor = report_query(input, found_sql_lowered);

	while (cursor_next(cursor)) {
		unsigned touches = (unsigned)cursor_integer(cursor, "touches");
		enum confidence most = (enum confidence)cursor_integer(cursor, "most");

		for (size_t i = 0; i < findings->count; i++)
			if ((touches & rests_on(&findings->list[i])) &&
			    findings->list[i].confidence > most)
				findings->list[i].confidence = most;
	}
}

/* Rules may use whatever a report may know about the run. */
static void ask_all(struct report_input *input, struct doc *doc,
		    const struct rule_limits *limits, struct bottlenecks *ret)
{
	struct ask ask = {.input = input, .doc = doc};
	struct findings *findings = &ret->findings;
	struct strbuf error = {0};
	struct rule_input rule = {.db = input->db,
				  .run_id = input->run_id,
				  .tree = report_call_tree(input),
				  .arena = &findings->texts,
				  .bind = ask_bind,
				  .context = &ask,
				  .limits = limits,
				  .error = &error};

	ask_begin(&ask);
	section_trust_words(&ask, doc, NULL);
	if (rules_begin(&rule) < 0)
		command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
	ask_rules(input, &rule, findings);
	tell_estimates(&rule, findings);
	ret->unjudged = rule.unjudged;
	rules_end(&rule);
	ask_end(&ask);
	lower(input, findings);
}

/* The part of a name for --focus: without arguments, and of a C++ name the last part.
 * Template arguments fill lines, and a command must be copied whole. */
static const char *name_part(const char *name, size_t *ret_size)
{
	const char *part = name, *at = name;
	size_t depth = 0;

	*ret_size = strlen(name);
	if (strstr(name, "operator"))
		return name;
	for (; *at; at++) {
		if (*at == '(' && strncmp(at, "(anonymous", 10) == 0)
			at += 10;
		else if (*at == '<')
			depth++;
		else if (*at == '>' && depth)
			depth--;
		else if (*at == '(' && depth == 0)
			break;
		else if (depth == 0 && at[0] == ':' && at[1] == ':')
			part = at + 2;
	}
	*ret_size = (size_t)(at - part) + (*at == '(');
	return part;
}

/* Quotes a name for the shell. Spaces become dots, since lines may be broken at
 * spaces. */
static void put_pattern(struct strbuf *command, const char *name)
{
	size_t size;
	const char *part = name_part(name, &size);

	strbuf_puts(command, part == name ? "'^" : "'::");
	for (size_t i = 0; i < size; i++) {
		if (strchr("\\^$.[]|()*+?{}", part[i]))
			strbuf_putc(command, '\\');
		strbuf_putc(command, part[i] == ' ' || part[i] == '\'' ? '.' : part[i]);
	}
	strbuf_puts(command, part[size] ? "'" : "$'");
}

/* Appends a path, quoted for the shell if needed. */
static void put_file(struct strbuf *command, const char *path)
{
	ended_by(strbuf_free) struct strbuf clean = {0};
	const char *at;

	utf8_clean(&clean, path);
	at = strbuf_text(&clean);
	if (*at && !strpbrk(at, " '\"\\$`!*?[](){}<>|&;#~")) {
		strbuf_puts(command, at);
	} else {
		strbuf_putc(command, '\'');
		for (; *at; at++) {
			if (*at == '\'')
				strbuf_puts(command, "'\\'");
			strbuf_putc(command, *at);
		}
		strbuf_putc(command, '\'');
	}
}

static void add_verify(const struct report_input *input, struct findings *findings)
{
	ended_by(strbuf_free) struct strbuf command = {0};

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *one = &findings->list[i];

		if (one->step) {
			one->verify = "prof-analyze steps after.db";
			continue;
		}
		if (one->rule->verify) {
			one->verify = one->rule->verify;
			continue;
		}
		strbuf_reset(&command);
		strbuf_puts(&command, "prof-analyze compare ");
		put_file(&command, rundb_path(input->db));
		strbuf_puts(&command, " -- after.db");
		if (one->function) {
			strbuf_puts(&command, " --focus ");
			put_pattern(&command, one->function);
		}
		one->verify = arena_copy(&findings->texts, command.data, command.size);
	}
}

/* A finding passes by its own name or by that of one merged into it: what was asked for
 * must not vanish behind a deeper function. */
static bool passes(const struct filter *filter, const struct finding *finding)
{
	const char *name = finding_name(finding);

	if (!name)
		return !filter->focus.text;
	if (filter_passes_name(filter, name))
		return true;
	if (filter_judge(filter, name) & FILTER_IGNORED)
		return false;
	for (size_t i = 0; i < finding->also_count; i++)
		if (finding->also[i].function &&
		    filter_passes_name(filter, finding->also[i].function))
			return true;
	return false;
}

/* Applies --focus and --ignore. Returns how many were left out. */
static size_t filter_findings(struct filter *filter, struct findings *findings)
{
	size_t kept = 0, count = findings->count;

	if (!filter_is_active(filter))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (passes(filter, &findings->list[i]))
			findings->list[kept++] = findings->list[i];
	findings->count = kept;
	if (kept)
		filter_found(filter);
	return count - kept;
}

static void keep_suppressed(struct report_input *input,
			    const struct finding_suppressions *all)
{
	struct rundb_insert *rows = rundb_fill(input->db, "suppressed_findings",
					       found_sql_suppressed_findings);

	for (size_t i = 0; i < all->count; i++) {
		const struct finding_suppression *one = &all->list[i];

		rundb_insert_row(rows, (struct cell[]){cell_integer((int64_t)one->count),
						       cell_text(one->rule),
						       cell_text(one->function),
						       cell_text(one->expires),
						       cell_integer(one->is_expired),
						       cell_text(one->reason)});
	}
	rundb_insert_end(rows);
}

void bottlenecks_run(struct report_input *input, struct doc *doc, struct bottlenecks *ret)
{
	struct finding_suppressions suppressions = {0};
	struct rule_limits limits = {0};

	bottlenecks_load_limits(input, &limits);
	load_suppressions(input, &suppressions);
	ret->findings.peak_bytes = run_fact(&input->facts, "peak_bytes");
	ret->findings.wall_ns = run_fact(&input->facts, "wall_ns");
	ask_all(input, doc, &limits, ret);
	/* Before merging: a suppressed finding must not hide others. */
	finding_suppressions_apply(&suppressions, &ret->findings, names_rule);
	bottlenecks_bound(input, &ret->findings);
	findings_finish(&ret->findings, report_call_tree(input));
	ret->left_out_count = filter_findings(&input->filter, &ret->findings);
	add_verify(input, &ret->findings);
	keep_suppressed(input, &suppressions);
}
