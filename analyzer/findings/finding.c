/* SPDX-License-Identifier: MIT */
/* Rates and ranks findings. Must not lose one: a merged finding is listed in the other's
 * also. */
#include "analyzer/findings/finding.h"

#include "common/base/xalloc.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With e^-4, impacts above 1 share the last 1.8 % of the scale. */
#define CURVE 4

static const struct {
	const char *word;
	double least_score;
} bands[SEVERITY_COUNT] = {
	[SEVERITY_INFO] = {"info", 0},		[SEVERITY_LOW] = {"low", 3.9},
	[SEVERITY_MEDIUM] = {"medium", 11},	[SEVERITY_HIGH] = {"high", 33},
	[SEVERITY_CRITICAL] = {"critical", 63},
};

struct finding *findings_add(struct findings *findings, const struct rule *rule,
			     char kind, unsigned specific)
{
	struct finding *finding = &ARRAY_ADD(findings->list, findings->count);

	*finding = (struct finding){.rule = rule,
				    .kind = kind,
				    .specific = specific,
				    .confidence = CONFIDENCE_MEDIUM};
	return finding;
}

const char *finding_name(const struct finding *finding)
{
	return finding->function ? finding->function : finding->step;
}

static struct evidence *add_evidence(struct finding *finding, const char *name,
				     const char *unit, double value)
{
	struct evidence *one = &finding->evidence[finding->evidence_count];

	assert(finding->evidence_count < FINDING_EVIDENCE);
	finding->evidence_count++;
	*one = (struct evidence){.name = name, .unit = unit, .value = value};
	return one;
}

void finding_evidence(struct finding *finding, const char *name, const char *unit,
		      double value)
{
	add_evidence(finding, name, unit, value);
}

void finding_evidence_error(struct finding *finding, double error)
{
	finding->evidence[finding->evidence_count - 1].error = error > 0 ? error : 0;
}

void finding_evidence_limit(struct finding *finding, const char *name, const char *unit,
			    double value, double limit)
{
	struct evidence *one = add_evidence(finding, name, unit, value);

	one->limit = limit;
	one->has_limit = true;
}

void finding_add_advice(struct finding *finding, const char *const *texts)
{
	size_t count = 0;

	while (finding->advice[count])
		count++;
	while (*texts) {
		assert(count < FINDING_ADVICE);
		finding->advice[count++] = *texts++;
	}
}

void finding_cap_severity(struct finding *finding, enum severity most)
{
	finding->most_severity = most;
	finding->is_capped = true;
}

void finding_fix_severity(struct finding *finding, enum severity severity)
{
	finding->least_severity = severity;
	finding_cap_severity(finding, severity);
}

void finding_rate(struct finding *finding)
{
	static const double factors[] = {0.5, 0.75, 1};
	double impact = finding->impact;

	impact = !(impact > 0) ? 0 : impact > 1 ? 1 : impact;
	finding->impact = impact;
	finding->score = 100 * (1 - exp(-CURVE * impact)) * factors[finding->confidence];
	if (finding->score < bands[finding->least_severity].least_score)
		finding->score = bands[finding->least_severity].least_score;
	if (finding->is_capped && finding->most_severity < SEVERITY_CRITICAL &&
	    finding->score >= bands[finding->most_severity + 1].least_score)
		finding->score = bands[finding->most_severity + 1].least_score - 0.6;
	finding->severity = SEVERITY_CRITICAL;
	while (finding->score < bands[finding->severity].least_score)
		finding->severity--;
}

double finding_ceiling(const struct finding *finding)
{
	double share = finding->saving_share;

	/* Threads together can save more than the run took, and a factor of 100 is no
	 * forecast. */
	return share > 0 && share < 0.99 ? 1 / (1 - share) : 0;
}

const char *severity_word(enum severity severity)
{
	return bands[severity].word;
}

const char *confidence_word(enum confidence confidence)
{
	static const char *const words[] = {"low", "medium", "high"};

	return words[confidence];
}

int severity_parse(const char *word, enum severity *ret)
{
	for (enum severity i = SEVERITY_INFO; i < SEVERITY_COUNT; i++)
		if (strcmp(bands[i].word, word) == 0) {
			*ret = i;
			return 0;
		}
	return -EINVAL;
}
