/* SPDX-License-Identifier: MIT */
/* Every rule applied to a run. Must not call a rule passed that had no data. */
#include "analyzer/reports/bottlenecks/parts.h"

#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "analyzer/findings/finding_merge.h"
#include "analyzer/findings/rules_file.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/read_file.h"
#include "analyzer/reports/trust/facts.h"
#include "analyzer/rules/measured.h"
#include "analyzer/rules/wrappers.h"
#include "analyzer/rules/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum exit_status bottlenecks_load_limits(struct report_input *input,
					 struct rule_limits *ret)
{
	const char *path = input->options->rules;
	struct strbuf text = {0}, error = {0};
	enum exit_status status = STATUS_OK;

	for (size_t i = 0; i < rule_registry_count; i++)
		rule_limits_declare(ret, rule_registry[i]->id, rule_registry[i]->slug,
				    rule_registry[i]->limits);
	if (path)
		status = report_read_file(input, path, "a file of rules", &text);
	if (status == STATUS_OK && path &&
	    rules_file_read(ret, strbuf_text(&text), text.size, path, &error) < 0)
		status = report_fail(input, STATUS_USAGE, "%s", strbuf_text(&error));
	strbuf_free(&text);
	strbuf_free(&error);
	return status;
}

static bool is_rule(const char *word)
{
	return rule_find(word) != NULL;
}

static bool names_rule(const char *word, const struct rule *rule)
{
	return rule_find(word) == rule;
}

static enum exit_status load_suppressions(struct report_input *input,
					  struct finding_suppressions *ret)
{
	const char *path = input->options->suppressions;
	struct strbuf text = {0}, error = {0};
	enum exit_status status;
	time_t now = time(NULL);
	char today[16];
	struct tm date;

	if (!path)
		return STATUS_OK;
	strftime(today, sizeof(today), "%Y-%m-%d", gmtime_r(&now, &date));
	status = report_read_file(input, path, "a list of suppressions", &text);
	if (status == STATUS_OK &&
	    finding_suppressions_parse(ret, strbuf_text(&text), text.size, path, today,
				       is_rule, &error) < 0)
		status = report_fail(input, STATUS_USAGE, "%s", strbuf_text(&error));
	strbuf_free(&text);
	strbuf_free(&error);
	return status;
}

static void take_facts(struct rule_input *rule, const struct run_facts *facts)
{
	rule->wall_ns = (double)facts->wall_ns;
	rule->thread_ns = (double)facts->thread_ns;
	rule->self_ns = (double)facts->self_ns;
	rule->peak_bytes = (double)facts->peak_bytes;
	rule->peaks_bytes = fmax(rule->peak_bytes, (double)facts->peaks_bytes);
	rule->alloc_bytes = (double)facts->alloc_bytes;
	rule->alloc_count = (double)facts->alloc_count;
	rule->free_count = (double)facts->free_count;
	rule->live_bytes = (double)facts->live_bytes;
	rule->hook_cost_ns = facts->hooks.pair.ns;
	rule->counted_cost_ns = facts->hooks.counted.ns;
	rule->frames_cost_ns =
		calltree_allocs_of_frames(rule->tree) * facts->hooks.alloc.ns;
	rule->hooks_ns = hooks_total(&facts->hooks).ns;
	rule->hooks_error_ns = hooks_total(&facts->hooks).error_ns;
	rule->cpu_sample_count = facts->hooks.has_samples ? facts->cpu_sample_count : 0;
	rule->recorded_ns = (double)facts->recorded_ns;
	rule->total_error_ns = (double)facts->total_error_ns;
	rule->calls = facts->calls;
	rule->cpu_count = facts->cpu_count;
	rule->process_count = facts->process_count;
	rule->thread_count = facts->thread_count;
	rule->sample_count = facts->sample_count;
	rule->snapshot_count = facts->snapshot_count;
	rule->is_live = facts->is_live;
	rule->complete = facts->complete;
}

static enum exit_status apply(struct report_input *input, struct rule_input *rule,
			      struct rule_state *state, struct findings *findings)
{
	size_t before = findings->count, facts = rule->quality->count;
	int result;

	rule->rule = state->rule;
	rule->reason = measured_missing(rule, state->rule->needs);
	result = rule->reason ? RULE_NOT_MEASURED : rule_ask(rule, findings);
	if (result < 0 || rule->error->size)
		return report_fail(input, STATUS_FAILED, "%s", strbuf_text(rule->error));
	state->outcome = result == RULE_NOT_MEASURED ? OUTCOME_NOT_MEASURED
			 : findings->count > before || rule->quality->count > facts
				 ? OUTCOME_FOUND
			 : (state->rule->needs & MEASURED_TIME) && rule->unjudged
				 ? OUTCOME_NOT_JUDGED
				 : OUTCOME_PASSED;
	state->reason =
		state->outcome == OUTCOME_NOT_JUDGED ? rule->unjudged : rule->reason;
	return STATUS_OK;
}

/* Of findings about a time that was not measured call by call. */
static void tell_estimates(struct rule_input *rule, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *one = &findings->list[i];
		uint32_t function =
			one->function_id ? calltree_function(rule->tree, one->function_id)
					 : CALLTREE_NONE;

		if (one->kind == 'T' && one->why && function != CALLTREE_NONE &&
		    rule->tree->functions[function].is_estimated)
			one->why =
				rule_text(rule,
					  "%s; its time is an estimate, for not all of "
					  "its calls were timed",
					  one->why);
	}
}

static enum exit_status apply_all(struct report_input *input,
				  const struct run_facts *facts,
				  const struct calltree *tree, struct bottlenecks *ret)
{
	struct strbuf error = {0};
	struct time_run time_run;
	struct rule_input rule = {.db = input->db,
				  .run_id = input->run_id,
				  .tree = tree,
				  .arena = &ret->findings.texts,
				  .limits = &ret->limits,
				  .time_run = &time_run,
				  .quality = &ret->quality,
				  .error = &error};
	enum exit_status status = STATUS_OK;

	take_facts(&rule, facts);
	if (rules_begin(&rule) < 0 || time_run_load(&rule, &time_run) < 0 ||
	    measured_find(&rule) < 0)
		status = report_fail(input, STATUS_FAILED, "%s", strbuf_text(&error));
	for (size_t i = 0; i < rule_registry_count && status == STATUS_OK; i++) {
		const struct rule_limits_entry *entry =
			rule_limits_rule(&ret->limits, rule_registry[i]->id);

		ret->states[i] = (struct rule_state){.rule = rule_registry[i],
						     .outcome = OUTCOME_OFF};
		if (!entry || entry->is_enabled)
			status = apply(input, &rule, &ret->states[i], &ret->findings);
	}
	ret->unjudged = rule.unjudged;
	tell_estimates(&rule, &ret->findings);
	rules_end(&rule);
	memory_wrappers_free(rule.wrappers);
	strbuf_free(&error);
	return status;
}

/* The part of a name to look for: without arguments, of a C++ name the last part. Names
 * with template arguments fill lines, and a command must be copied whole. */
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

/* A word for the shell. A space could be broken at the end of a line: a dot finds it. */
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

/* The path as a word for the shell: as it is when that is one. */
static void put_file(struct strbuf *command, const char *path)
{
	struct strbuf clean = {0};
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
	strbuf_free(&clean);
}

static void add_verify(const struct report_input *input, struct findings *findings)
{
	struct strbuf command = {0};

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
	strbuf_free(&command);
}

/* One passes by its own name, or by that of one that was merged into it: what was asked
 * for must not vanish behind a deeper function. */
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

/* --focus and --ignore */
static void filter_findings(struct filter *filter, struct bottlenecks *bottlenecks)
{
	struct findings *findings = &bottlenecks->findings;
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (passes(filter, &findings->list[i])) {
			findings->list[kept++] = findings->list[i];
		} else {
			free(findings->list[i].also);
			bottlenecks->filtered_count++;
		}
	}
	findings->count = kept;
	if (kept)
		filter_found(filter);
}

enum exit_status bottlenecks_run(struct report_input *input,
				 const struct run_facts *facts,
				 const struct calltree *tree, struct bottlenecks *ret)
{
	enum exit_status status = bottlenecks_load_limits(input, &ret->limits);

	ret->states = xcalloc(rule_registry_count, sizeof(*ret->states));
	ret->findings.peak_bytes = (double)facts->peak_bytes;
	ret->findings.wall_ns = facts->has_wall ? (double)facts->wall_ns : 0;
	ret->unknown_count = facts->unknown_count + facts->counted_count;
	if (status == STATUS_OK)
		status = load_suppressions(input, &ret->suppressions);
	if (status == STATUS_OK)
		status = apply_all(input, facts, tree, ret);
	if (status)
		return status;
	quality_lower(&ret->quality, &ret->findings, rule_rests_on);
	/* Before they are merged: one that is suppressed takes no other with it. */
	finding_suppressions_apply(&ret->suppressions, &ret->findings, names_rule);
	findings_finish(&ret->findings, tree);
	if (filter_is_active(&input->filter))
		filter_findings(&input->filter, ret);
	add_verify(input, &ret->findings);
	return STATUS_OK;
}

void bottlenecks_free(struct bottlenecks *bottlenecks)
{
	rule_limits_free(&bottlenecks->limits);
	finding_suppressions_free(&bottlenecks->suppressions);
	findings_free(&bottlenecks->findings);
	free(bottlenecks->states);
	*bottlenecks = (struct bottlenecks){0};
}
