/* SPDX-License-Identifier: MIT */
/*
 * By how much one side is larger: Hodges-Lehmann estimate and interval. Must not draw
 * random numbers: the same runs give the same interval.
 */
#include "analyzer/statistics/statistics.h"
#include "analyzer/statistics/null.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * The interval reaches from the index-th smallest to the index-th largest difference:
 * index is the smallest u with P(U <= u) >= alpha / 2, at least 1, as in R's
 * wilcox.test(). It holds the shift with probability 1 - 2 P(U <= index - 1).
 */
static size_t exact_index(size_t m, size_t n, double half_alpha, double *ret_confidence)
{
	double cumulative[NULL_U_PRODUCT / 2 + 1];
	size_t index = 0;

	null_u_cumulative(m, n, cumulative, m * n / 2 + 1);
	/* 1 - 0.95 is not 0.05 in binary: do not miss a probability that is the limit.
	 * The middle of U has one half below it, so the loop ends inside the array. */
	while (cumulative[index] < half_alpha * (1 - 1e-12))
		index++;
	if (!index)
		index = 1;
	*ret_confidence = 1 - 2 * cumulative[index - 1];
	return index;
}

/* The same with P(U <= u) = Phi((u + 1/2 - mean) / deviation). */
static size_t normal_index(size_t m, size_t n, double half_alpha, double *ret_confidence)
{
	double mean = (double)m * (double)n / 2;
	double deviation = null_u_deviation((double)m, (double)n);
	double index =
		fmax(1, ceil(mean - 0.5 + deviation * null_normal_quantile(half_alpha)));

	*ret_confidence = 1 - 2 * null_normal_above((mean + 0.5 - index) / deviation);
	return (size_t)index;
}

static void shift_of(double *differences, size_t m, size_t n, double confidence,
		     struct statistics_shift *ret)
{
	double half_alpha = (1 - confidence) / 2;
	size_t index = m * n <= NULL_U_PRODUCT
			       ? exact_index(m, n, half_alpha, &ret->confidence)
			       : normal_index(m, n, half_alpha, &ret->confidence);

	ret->estimate = statistics_median(differences, m * n);
	ret->low = differences[index - 1];
	ret->high = differences[m * n - index];
	/* One value a side: 1 - 2 * 0.5, written as 0 and not as a rounding error. */
	ret->confidence = fmax(0, ret->confidence);
}

int statistics_shift(const double *a, size_t m, const double *b, size_t n,
		     double confidence, struct statistics_shift *ret)
{
	double *differences;
	size_t count;

	if (!(confidence > 0 && confidence < 1))
		return -EINVAL;
	if (!m || !n || !null_all_finite(a, m) || !null_all_finite(b, n))
		return -EDOM;
	if (__builtin_mul_overflow(m, n, &count))
		return -ENOMEM;
	differences = reallocarray(NULL, count, sizeof(*differences));
	if (!differences)
		return -ENOMEM;
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++)
			differences[i * n + j] = b[j] - a[i];
	shift_of(differences, m, n, confidence, ret);
	free(differences);
	return 0;
}

static int take_logarithms(const double *values, size_t count, double *logarithms)
{
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			return -EDOM;
		logarithms[i] = log(values[i]);
	}
	return 0;
}

int statistics_ratio(const double *a, size_t m, const double *b, size_t n,
		     double confidence, struct statistics_shift *ret)
{
	double *logarithms;
	size_t count;
	int r;

	if (__builtin_add_overflow(m, n, &count))
		return -ENOMEM;
	logarithms = reallocarray(NULL, count + 1, sizeof(*logarithms));
	if (!logarithms)
		return -ENOMEM;
	r = take_logarithms(a, m, logarithms);
	if (!r)
		r = take_logarithms(b, n, logarithms + m);
	if (!r)
		r = statistics_shift(logarithms, m, logarithms + m, n, confidence, ret);
	free(logarithms);
	if (r)
		return r;
	ret->estimate = exp(ret->estimate);
	ret->low = exp(ret->low);
	ret->high = exp(ret->high);
	return 0;
}
