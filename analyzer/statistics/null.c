/* SPDX-License-Identifier: MIT */
/*
 * Distributions under chance alone, see null.h. Must not use tables: every
 * value is computed to the precision of double.
 */
#include "analyzer/statistics/null.h"

#include <math.h>

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
