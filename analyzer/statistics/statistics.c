/* SPDX-License-Identifier: MIT */
/*
 * Median and median absolute deviation, Benjamini-Hochberg correction for many tests at
 * once, and how many runs it takes to see an effect. Must not count tests that gave no
 * p-value, or promise a number of runs when none would do.
 */
#include "analyzer/statistics/statistics.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

/*
 * Distributions under chance alone, see null.h. Must not use tables: every
 * value is computed to the precision of double.
 */

int null_compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

bool null_all_finite(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

double null_normal_above(double z)
{
	return erfc(z / M_SQRT2) / 2;
}

/* Bisection: beyond +-38 the probability is below the smallest normal double, and 64
 * halvings of that range end between neighbouring doubles. */
double null_normal_quantile(double p)
{
	double tail = p < 0.5 ? p : 1 - p, low = 0, high = 38;

	for (int i = 0; i < 64; i++) {
		double middle = (low + high) / 2;

		if (null_normal_above(middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -low : low;
}

double null_u_deviation(double m, double n)
{
	return sqrt(m * n * (m + n + 1) / 12);
}

/*
 * The number of arrangements with U = u is the coefficient of q^u in the Gaussian
 * binomial coefficient, the product over i = 1..m of (1 - q^(n + i)) / (1 - q^i)
 * (Mann and Whitney's recursion, solved). Steps in between may wrap around; arithmetic
 * modulo 2^128 gives the right end, which is smaller.
 */
void null_u_cumulative(size_t m, size_t n, double *cumulative, size_t count)
{
	unsigned __int128 ways[NULL_U_PRODUCT / 2 + 1] = {1}, total = 1, sum = 0;

	if (m > n) {
		size_t swap = m;

		m = n;
		n = swap;
	}
	for (size_t i = 1; i <= m; i++) {
		for (size_t u = count; u-- > n + i;)
			ways[u] -= ways[u - (n + i)];
		for (size_t u = i; u < count; u++)
			ways[u] += ways[u - i];
		total = total * (n + i) / i;
	}
	for (size_t u = 0; u < count; u++) {
		sum += ways[u];
		cumulative[u] = (double)sum / (double)total;
	}
}

double statistics_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), null_compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The distances fall towards the median and rise after it, so the smallest ones are a
 * merge of two sorted rows that start in the middle. */
double statistics_median_deviation(double *values, size_t count)
{
	double median = statistics_median(values, count), lower = 0, upper = 0;
	size_t above = count / 2, below = above;

	if (!count)
		return NAN;
	for (size_t taken = 0; taken <= count / 2; taken++) {
		double down = below ? median - values[below - 1] : INFINITY;
		double up = above < count ? values[above] - median : INFINITY;

		lower = upper;
		if (up < down) {
			upper = up;
			above++;
		} else {
			upper = down;
			below--;
		}
	}
	return count % 2 ? upper : (lower + upper) / 2;
}

struct test {
	double p;
	size_t index;
};

static int compare_tests(const void *left, const void *right)
{
	const struct test *a = left, *b = right;

	return ORDER_BY(a, b, p);
}

/* Of the k-th smallest of n: the smallest n / j * p(j) over j >= k. */
void statistics_adjust(double *p, size_t count)
{
	auto_free struct test *tests = xcalloc(count, sizeof(*tests));
	size_t found = 0;
	double smallest = 1;

	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			tests[found++] = (struct test){p[i], i};
	qsort(tests, found, sizeof(*tests), compare_tests);
	for (size_t k = found; k > 0; k--) {
		smallest = fmin(smallest, tests[k - 1].p * (double)found / (double)k);
		p[tests[k - 1].index] = smallest;
	}
}

static bool is_inside_unit(double p)
{
	return p > 0 && p < 1;
}

/* Two sides of n runs that do not overlap have the smallest p-value there is. */
static unsigned fewest_runs(double alpha)
{
	double arrangements = 2;
	unsigned n = 1;

	while (2 / arrangements > alpha * (1 + 1e-12)) {
		n++;
		arrangements *= (2.0 * n - 1) * 2 / n;
	}
	return n;
}

unsigned statistics_runs_needed(double effect, double noise, double confidence,
				double power)
{
	double z, runs;
	unsigned fewest;

	if (!(effect > 0) || !(noise >= 0) || !is_inside_unit(confidence) ||
	    !is_inside_unit(power))
		return 0;
	fewest = fewest_runs(1 - confidence);
	z = null_normal_quantile((1 + confidence) / 2) + null_normal_quantile(power);
	if (z < 0)
		return fewest;
	runs = ceil(2 * M_PI / 3 * pow(z * noise / effect, 2));
	if (!(runs < UINT_MAX))
		return UINT_MAX;
	return runs > fewest ? (unsigned)runs : fewest;
}

double statistics_t_quantile(double freedom)
{
	static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706,
				     2.4469,  2.3646, 2.3060, 2.2622, 2.2281};
	double z = null_normal_quantile(0.975), z3 = z * z * z, z5 = z3 * z * z;

	if (freedom <= 10)
		return few[freedom < 1 ? 0 : (size_t)freedom - 1];
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

double statistics_t_outside(double t, size_t freedom)
{
	double angle = atan(fabs(t) / sqrt((double)freedom)), cosine = cos(angle);
	double term = freedom % 2 ? cosine : 1, sum = 0;

	for (size_t i = freedom % 2 + 2; i <= freedom; i += 2) {
		sum += term;
		term *= cosine * cosine * (double)(i - 1) / (double)i;
	}
	sum *= sin(angle);
	return fmax(0, 1 - (freedom % 2 ? (angle + sum) * M_2_PI : sum));
}
