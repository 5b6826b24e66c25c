/* SPDX-License-Identifier: MIT */
/*
 * What this is:  every rule applied to a run.
 * Runs on:       prof-analyze, main thread.
 * Must not:      call a rule passed that had no data.
 * See also:      rules/rule.h; model/finding.h; bottlenecks.c, which shows it.
 */
#include "analyzer/reports/bottlenecks.h"

#include "analyzer/base/xalloc.h"

#include "rules.json.h"

#include <math.h>
#include <stdlib.h>

enum exit_status bottlenecks_load_rules(struct report_input *input,
					struct rules_file *ret)
{
	struct strbuf error = {0};
	enum exit_status status = STATUS_OK;

	if (rules_file_define(ret, rules_json, "rules.json", &error) < 0)
		status = report_fail(input, STATUS_FAILED, "%s", strbuf_text(&error));
	strbuf_free(&error);
	return status;
}

static double limit(struct rule_input *input, const char *name)
{
	const struct rules_limit *found =
		rules_file_limit(input->rules, input->rule->id, name);

	if (found)
		return found->value;
	strbuf_printf(input->error, "rules.json: rule %s has no limit '%s'",
		      input->rule->id, name);
	return NAN;
}

static void take_facts(struct rule_input *rule, const struct run_facts *facts)
{
	rule->limit = limit;
	rule->wall_ns = (double)facts->wall_ns;
	rule->thread_ns = (double)facts->thread_ns;
	rule->self_ns = (double)facts->self_ns;
	rule->peak_bytes = (double)facts->peak_bytes;
	rule->alloc_bytes = (double)facts->alloc_bytes;
	rule->alloc_count = (double)facts->alloc_count;
	rule->free_count = (double)facts->free_count;
	rule->live_bytes = (double)facts->live_bytes;
	rule->hook_cost_ns = facts->hook_cost_ns;
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
	size_t before = findings->count;
	int result;

	rule->rule = state->rule;
	rule->reason = NULL;
	result = state->rule->evaluate(rule, findings);
	if (result < 0 || rule->error->size)
		return report_fail(input, STATUS_FAILED, "%s", strbuf_text(rule->error));
	state->outcome = result == RULE_NOT_MEASURED ? OUTCOME_NOT_MEASURED
			 : findings->count > before  ? OUTCOME_FOUND
						     : OUTCOME_PASSED;
	state->reason = rule->reason;
	return STATUS_OK;
}

enum exit_status bottlenecks_run(struct report_input *input,
				 const struct run_facts *facts,
				 const struct calltree *tree, struct bottlenecks *ret)
{
	struct strbuf error = {0};
	struct rule_input rule = {.db = input->db,
				  .run_id = input->run_id,
				  .tree = tree,
				  .arena = &ret->findings.texts,
				  .rules = &ret->rules,
				  .error = &error};
	enum exit_status status = bottlenecks_load_rules(input, &ret->rules);

	take_facts(&rule, facts);
	ret->states = xcalloc(rule_registry_count, sizeof(*ret->states));
	for (size_t i = 0; i < rule_registry_count && status == STATUS_OK; i++) {
		const struct rules_entry *entry =
			rules_file_rule(&ret->rules, rule_registry[i]->id);

		ret->states[i] = (struct rule_state){.rule = rule_registry[i],
						     .outcome = OUTCOME_OFF};
		if (!entry || entry->is_enabled)
			status = apply(input, &rule, &ret->states[i], &ret->findings);
	}
	strbuf_free(&error);
	findings_finish(&ret->findings, tree);
	return status;
}

void bottlenecks_free(struct bottlenecks *bottlenecks)
{
	rules_file_free(&bottlenecks->rules);
	findings_free(&bottlenecks->findings);
	free(bottlenecks->states);
	*bottlenecks = (struct bottlenecks){0};
}
