/* SPDX-License-Identifier: MIT */
/*
 * Rule M13: memory over a limit that the user has set. Must not have a limit of its own:
 * what is too much only the user knows.
 */
#include "analyzer/rules/memory/owners.h"

#include "analyzer/rundb/rundb.h"

#include "memory_limit.sql.h"

static void add(struct rule_input *input, struct findings *ret, const char *what,
		double bytes, double limit, const char *sql)
{
	struct finding *finding = rule_add(input, ret);

	finding->confidence = CONFIDENCE_HIGH;
	finding->least_severity = SEVERITY_HIGH;
	finding->impact = rule_share(bytes - limit, bytes);
	finding->saving_bytes = bytes - limit;
	finding_evidence_limit(finding, what, "bytes", bytes, limit);
	finding_evidence(finding, "too much", "bytes", bytes - limit);
	finding->why = "the run took more memory than the limit that was set for it";
	finding_advise(
		finding,
		"see who has it: 'prof-analyze memory' shows what was live at the peak",
		"raise the limit in the rules file when the memory is meant");
	finding->sql = sql;
}

static int highest_rss(struct rule_input *input, double *ret)
{
	struct cursor *cursor = rule_query(input, memory_limit_sql_rss);

	*ret = cursor_next(cursor) > 0 && !cursor_is_null(cursor, "rss_bytes")
		       ? cursor_real(cursor, "rss_bytes")
		       : -1;
	return rule_finish(input, cursor, 0);
}

/* What could not be compared has not passed: returned is what was not measured. */
static const char *look_at_peak(struct rule_input *input, struct findings *ret)
{
	double limit = rule_limit(input, "peak_bytes");

	if (!(limit > 0))
		return NULL;
	if (!(input->alloc_count > 0))
		return "no allocation was recorded";
	if (input->peak_bytes > limit)
		add(input, ret, "peak", input->peak_bytes, limit,
		    rule_text(input, "SELECT peak_bytes FROM runs WHERE run_id = %lld",
			      (long long)input->run_id));
	return NULL;
}

static const char *look_at_rss(struct rule_input *input, struct findings *ret, double rss)
{
	double limit = rule_limit(input, "rss_bytes");

	if (!(limit > 0))
		return NULL;
	if (rss < 0)
		return "the resident set was not sampled";
	if (rss > limit)
		add(input, ret, "highest resident set", rss, limit,
		    rule_text(input,
			      "SELECT MAX(rss_bytes) FROM resources WHERE run_id = %lld",
			      (long long)input->run_id));
	return NULL;
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	const char *peak_reason, *rss_reason;
	size_t before = ret->count;
	double rss;
	int result;

	if (!(rule_limit(input, "peak_bytes") > 0) &&
	    !(rule_limit(input, "rss_bytes") > 0))
		return rule_not_measured(
			input,
			"no limit is set: peak_bytes or rss_bytes in a rules file");
	result = highest_rss(input, &rss);
	if (result < 0)
		return result;
	peak_reason = look_at_peak(input, ret);
	rss_reason = look_at_rss(input, ret, rss);
	if (ret->count > before || (!peak_reason && !rss_reason))
		return RULE_DONE;
	return rule_not_measured(input, peak_reason ? peak_reason : rss_reason);
}

static const struct rule_limit limits[] = {
	{"peak_bytes", 0, "bytes", .meaning = "highest peak allowed; 0: none"},
	{"rss_bytes", 0, "bytes",
	 .meaning = "highest resident set of a process allowed; 0: none"},
	{0},
};

const struct rule rule_memory_limit = {
	.id = "M13",
	.slug = "memory-limit",
	.limits = limits,
	.title = "More memory than the limit",
	.summary =
		"peak or resident set are above a limit from the rules file; without one "
		"it does nothing",
	.specific = 1,
	.needs = MEASURED_OWN,
	.evaluate = evaluate,
};
