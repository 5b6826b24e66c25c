/* SPDX-License-Identifier: MIT */
/*
 * Improved, regressed, unchanged or not to be told. Must not say "changed" because an
 * interval leaves out 1.
 */
#include "analyzer/statistics/verdict.h"

enum verdict verdict_of(const struct statistics_shift *ratio, double p, double tolerance)
{
	/* 1 - 0.95 and 0.95 both carry a rounding error. */
	const double slack = 1e-12;

	if (!(ratio->confidence >= VERDICT_CONFIDENCE - slack))
		return VERDICT_INCONCLUSIVE;
	if (ratio->low >= 1 - tolerance && ratio->high <= 1 + tolerance)
		return VERDICT_UNCHANGED;
	if (!(p <= VERDICT_ALPHA + slack))
		return VERDICT_INCONCLUSIVE;
	if (ratio->low > 1 + tolerance)
		return VERDICT_REGRESSED;
	if (ratio->high < 1 - tolerance)
		return VERDICT_IMPROVED;
	return VERDICT_INCONCLUSIVE;
}

double verdict_tolerance(size_t before, size_t after)
{
	return before >= 10 && after >= 10 ? 0.02 : 0.05;
}
