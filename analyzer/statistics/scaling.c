/* SPDX-License-Identifier: MIT */
/*
 * Fits laws of growth to runs of several sizes; scaling.h has the sources. Must not tell
 * laws apart that the measurements do not.
 */
#include "analyzer/statistics/scaling.h"

#include "analyzer/statistics/statistics.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Half of a 95 % interval in standard deviations. */
#define DEVIATIONS 1.959964
/* Terms of lower order make exact values differ from a law of two terms. What is this
 * near to it is called that law. */
#define NEAR_LAW 0.002
/* A count is a whole number: the deviation of rounding. */
#define ROUNDING 0.288675
/* Exact laws whose chi square is within this times the least are not told apart. */
#define ALIKE 4
/* A deviation of the measurement, as a share of the value, that hides all noise. */
#define UNTOLD 0.3
/* Largest power of 2 that a program could count up to. */
#define MOST_DOUBLINGS 64
/* Exponents this near to a limit's keep it. */
#define SLACK 0.01

/* The runs of one n. */
struct size {
	double n, mean, error; /* error: of the measurement, a deviation */
	double spread;	       /* sum of squares of relative differences */
	double deviation;      /* of the mean, all in all */
	size_t count;
};

struct sizes {
	struct size *list;
	size_t count;
	double freedom; /* of the noise; 0: no n was run twice, or errors hide it */
	bool is_exact;
	bool is_blind; /* nothing but the misfit tells of errors */
};

static int by_n(const void *left, const void *right)
{
	const struct scaling_point *a = left, *b = right;

	return ORDER_BY_2(a, b, n, value);
}

static void add_size(struct sizes *sizes, const struct scaling_point *points,
		     size_t count)
{
	struct size *size = &sizes->list[sizes->count++];

	*size = (struct size){.n = points->n, .count = count};
	for (size_t i = 0; i < count; i++) {
		size->mean += points[i].value / (double)count;
		size->error += points[i].error / DEVIATIONS / (double)count;
		sizes->is_exact &= points[i].is_count && points[i].value == points->value;
	}
	for (size_t i = 0; i < count && size->mean > 0; i++)
		size->spread += pow(points[i].value / size->mean - 1, 2);
}

/* The noise of runs is that of all sizes together, a share of the value, less what the
 * measurement's own error explains. A size with little else tells nothing of it. */
static void weigh(struct sizes *sizes)
{
	double noise = 0, errors = 0;

	sizes->freedom = 0;
	for (size_t i = 0; i < sizes->count; i++) {
		const struct size *size = &sizes->list[i];
		double others = (double)size->count - 1, own = size->error / size->mean;

		errors += size->error;
		if (!(size->mean > 0) || own > UNTOLD)
			continue;
		noise += fmax(0, size->spread - others * own * own);
		sizes->freedom += others;
	}
	sizes->is_blind = sizes->freedom == 0 && errors == 0 && !sizes->is_exact;
	noise = sizes->freedom > 0 ? sqrt(noise / sizes->freedom) : 0;
	for (size_t i = 0; i < sizes->count; i++) {
		struct size *size = &sizes->list[i];
		double of_mean = noise * size->mean / sqrt((double)size->count);

		size->deviation = sizes->is_exact ? hypot(ROUNDING, NEAR_LAW * size->mean)
						  : hypot(of_mean, size->error);
		/* without repeats the misfit tells the noise: see scale() */
		if (size->deviation <= 1e-6 * size->mean)
			size->deviation = 1e-6 * size->mean;
		if (size->deviation <= 0)
			size->deviation = ROUNDING;
	}
}

static int group(const struct scaling_point *points, size_t count, struct sizes *ret)
{
	struct scaling_point *sorted;

	*ret = (struct sizes){.is_exact = true};
	if (!count)
		return -EDOM;
	for (size_t i = 0; i < count; i++)
		if (!isfinite(points[i].value) || points[i].value < 0 ||
		    !isfinite(points[i].n) || !(points[i].n > 0) ||
		    !isfinite(points[i].error) || points[i].error < 0)
			return -EDOM;
	sorted = xreallocarray(NULL, count, sizeof(*sorted));
	ret->list = xreallocarray(NULL, count, sizeof(*ret->list));
	memcpy(sorted, points, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_n);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && sorted[end].n == sorted[first].n;)
			end++;
		add_size(ret, sorted + first, end - first);
	}
	free(sorted);
	if (ret->count < 2)
		return -EDOM;
	weigh(ret);
	return 0;
}

/* A straight line value = constant + factor * x by weighted least squares. */
static struct scaling_line fit_line(const double *x, const double *y,
				    const double *deviation, size_t count)
{
	double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, determinant;
	struct scaling_line line = {.misfit = 0};

	for (size_t i = 0; i < count; i++) {
		double weight = 1 / (deviation[i] * deviation[i]);

		s += weight;
		sx += weight * x[i];
		sy += weight * y[i];
		sxx += weight * x[i] * x[i];
		sxy += weight * x[i] * y[i];
	}
	determinant = s * sxx - sx * sx;
	if (!(determinant > 1e-12 * s * sxx)) {
		line.misfit = INFINITY;
		return line;
	}
	line.constant = (sxx * sy - sx * sxy) / determinant;
	line.factor = (s * sxy - sx * sy) / determinant;
	line.var_constant = sxx / determinant;
	line.var_factor = s / determinant;
	line.covariance = -sx / determinant;
	for (size_t i = 0; i < count; i++)
		line.misfit += pow(
			(y[i] - line.constant - line.factor * x[i]) / deviation[i], 2);
	return line;
}

/* The same without a constant, or with nothing else. */
static struct scaling_line fit_part(const double *x, const double *y,
				    const double *deviation, size_t count, bool is_factor)
{
	struct scaling_line line = {.misfit = 0};
	double sxx = 0, sxy = 0, value;

	for (size_t i = 0; i < count; i++) {
		double at = is_factor ? x[i] : 1;

		sxx += at * at / (deviation[i] * deviation[i]);
		sxy += at * y[i] / (deviation[i] * deviation[i]);
	}
	value = sxx > 0 ? sxy / sxx : 0;
	*(is_factor ? &line.factor : &line.constant) = value;
	*(is_factor ? &line.var_factor : &line.var_constant) = sxx > 0 ? 1 / sxx : 0;
	for (size_t i = 0; i < count; i++)
		line.misfit +=
			pow((y[i] - value * (is_factor ? x[i] : 1)) / deviation[i], 2);
	return line;
}

/* g(n) / g(most_n). NAN: the law is not for such n. */
static double shape(enum scaling_law law, double number, double most_n, double n)
{
	double logs = most_n > 1 && n >= 1 ? log(n) / log(most_n) : NAN;

	switch (law) {
	case SCALING_ONE:
		return 1;
	case SCALING_LOG:
		return logs;
	case SCALING_LINEAR:
		return n / most_n;
	case SCALING_LINEAR_LOG:
		return n / most_n * logs;
	case SCALING_SQUARE:
		return pow(n / most_n, 2);
	case SCALING_CUBE:
		return pow(n / most_n, 3);
	case SCALING_EXPONENTIAL:
		return pow(number, n - most_n);
	case SCALING_POWER:
		return pow(n / most_n, number);
	default:
		return NAN;
	}
}

/* Errors grow by this factor (squared) where chance explains less than the misfit. */
static double scale(const struct sizes *sizes, double misfit)
{
	double freedom = (double)sizes->count - 2;
	double ratio = freedom > 0 ? misfit / freedom : 0;

	return sizes->is_blind ? ratio : fmax(1, ratio);
}

static double quantile_of(const struct sizes *sizes)
{
	return statistics_t_quantile(sizes->is_blind	  ? (double)sizes->count - 2
				     : sizes->freedom > 0 ? sizes->freedom
							  : INFINITY);
}

/* The slope of log value over log n with its interval. */
static void fit_exponent(const struct sizes *sizes, const double *x, double *y,
			 double *deviation, struct scaling *ret)
{
	double reach, factor, sum = 0, weights = 0;
	struct scaling_line line;

	ret->exponent = ret->low = ret->high = NAN;
	ret->lines[SCALING_POWER].misfit = INFINITY;
	for (size_t i = 0; i < sizes->count; i++) {
		if (!(sizes->list[i].mean > 0))
			return;
		y[i] = log(sizes->list[i].mean);
		deviation[i] = sizes->is_exact
				       ? 1
				       : sizes->list[i].deviation / sizes->list[i].mean;
		sum += x[i] / pow(deviation[i], 2);
		weights += 1 / pow(deviation[i], 2);
	}
	line = fit_line(x, y, deviation, sizes->count);
	/* with deviations of 1 the misfit alone tells them */
	factor = sizes->is_exact ? line.misfit / fmax(1, (double)sizes->count - 2)
				 : scale(sizes, line.misfit);
	ret->exponent = line.factor;
	ret->mean_log_n = sum / weights;
	reach = ret->quantile * sqrt(line.var_factor * factor);
	ret->low = line.factor - reach;
	ret->high = line.factor + reach;
	/* a constant, and a slope at the mean: without covariance */
	ret->lines[SCALING_POWER] = (struct scaling_line){
		.factor = exp(line.constant + line.factor * log(ret->most_n)),
		.var_constant = factor / weights,
		.var_factor = line.var_factor * factor};
}

/* Of an exact quantity: the exponents from size to size, and as far as they are on their
 * way if the terms of lower order fade as 1 / n. */
static void find_exact_interval(const struct sizes *sizes, struct scaling *ret)
{
	double before = NAN, middle_before = 0, way = 0;

	ret->low = INFINITY;
	ret->high = -INFINITY;
	for (size_t i = 1; i < sizes->count; i++) {
		const struct size *a = &sizes->list[i - 1], *b = &sizes->list[i];
		double local = log(b->mean / a->mean) / log(b->n / a->n);
		double middle = sqrt(a->n * b->n);

		ret->low = fmin(ret->low, local);
		ret->high = fmax(ret->high, local);
		way = isnan(before) ? 0
				    : fabs(local - before) * middle_before /
					      (middle - middle_before);
		before = local;
		middle_before = middle;
	}
	ret->low -= 1.1 * way + NEAR_LAW / 2;
	ret->high += 1.1 * way + NEAR_LAW / 2;
}

/* The base that the last two sizes show (2 when it is near). */
static double find_base(const struct sizes *sizes)
{
	const struct size *a = &sizes->list[sizes->count - 2], *b = a + 1;
	double base = a->mean > 0 ? pow(b->mean / a->mean, 1 / (b->n - a->n)) : 0;

	return fabs(base - 2) < 0.02 ? 2 : base;
}

static void fit_law(const struct sizes *sizes, enum scaling_law law, double *x, double *y,
		    double *deviation, struct scaling *ret)
{
	struct scaling_line *line = &ret->lines[law];
	double number = law == SCALING_POWER ? ret->exponent : ret->base;
	bool is_known =
		law != SCALING_EXPONENTIAL ||
		(ret->base > 1.05 && ret->most_n * log2(ret->base) < MOST_DOUBLINGS);

	if (law == SCALING_POWER && isinf(line->misfit))
		return;
	for (size_t i = 0; i < sizes->count; i++) {
		x[i] = shape(law, number, ret->most_n, sizes->list[i].n);
		y[i] = sizes->list[i].mean;
		deviation[i] = sizes->list[i].deviation;
		is_known &= isfinite(x[i]);
	}
	if (law == SCALING_POWER) {
		for (size_t i = 0; i < sizes->count; i++)
			line->misfit +=
				pow((y[i] - line->factor * x[i]) / deviation[i], 2);
		return;
	}
	*line = law == SCALING_ONE ? fit_part(x, y, deviation, sizes->count, false)
				   : fit_line(x, y, deviation, sizes->count);
	/* what takes time takes no less than none without its input */
	if (!sizes->is_exact && line->constant < 0)
		*line = fit_part(x, y, deviation, sizes->count, true);
	if (!is_known || (law != SCALING_ONE && !(line->factor > 0)))
		line->misfit = INFINITY;
}

/* Of the laws that fit about as well as the best the simplest. */
static void choose(const struct sizes *sizes, struct scaling *ret)
{
	double best = INFINITY, freedom = (double)sizes->count - 2;

	ret->law = SCALING_UNKNOWN;
	for (size_t i = 0; i < SCALING_LAWS; i++)
		best = fmin(best, ret->lines[i].misfit);
	if (sizes->count < 3 || isinf(best))
		return;
	ret->far_misfit = sizes->is_exact
				  ? fmax(ALIKE * best, 2 * freedom)
				  : best + pow(ret->quantile, 2) * scale(sizes, best);
	for (size_t i = SCALING_LAWS; i--;) {
		struct scaling_line *line = &ret->lines[i];
		double factor = scale(sizes, line->misfit);

		if (line->misfit <= ret->far_misfit)
			ret->law = (enum scaling_law)i;
		if (i == SCALING_POWER)
			continue;
		line->var_constant *= factor;
		line->var_factor *= factor;
		line->covariance *= factor;
	}
}

int scaling_fit(const struct scaling_point *points, size_t count, struct scaling *ret)
{
	struct sizes sizes;
	double *x, *y, *deviation;
	int result = group(points, count, &sizes);

	*ret = (struct scaling){0};
	if (result < 0)
		return result;
	x = xreallocarray(NULL, 3 * sizes.count, sizeof(*x));
	y = x + sizes.count;
	deviation = y + sizes.count;
	ret->is_exact = sizes.is_exact;
	ret->size_count = (unsigned int)sizes.count;
	ret->least_n = sizes.list[0].n;
	ret->most_n = sizes.list[sizes.count - 1].n;
	ret->most_value = sizes.list[sizes.count - 1].mean;
	ret->base = find_base(&sizes);
	ret->quantile = quantile_of(&sizes);
	for (size_t i = 0; i < sizes.count; i++)
		x[i] = log(sizes.list[i].n);
	fit_exponent(&sizes, x, y, deviation, ret);
	if (sizes.is_exact && !isnan(ret->exponent))
		find_exact_interval(&sizes, ret);
	for (size_t law = 0; law < SCALING_LAWS; law++)
		fit_law(&sizes, (enum scaling_law)law, x, y, deviation, ret);
	choose(&sizes, ret);
	return 0;
}

/* What one law foretells, and its deviation. */
static double foretell(const struct scaling *scaling, size_t law, double n,
		       double *ret_deviation)
{
	const struct scaling_line *line = &scaling->lines[law];
	double number = law == SCALING_POWER ? scaling->exponent : scaling->base;
	double g = shape((enum scaling_law)law, number, scaling->most_n, n);
	double value = line->constant + line->factor * g;

	if (law == SCALING_POWER)
		*ret_deviation =
			value *
			sqrt(line->var_constant +
			     line->var_factor * pow(log(n) - scaling->mean_log_n, 2));
	else
		*ret_deviation =
			sqrt(fmax(0, line->var_constant + 2 * g * line->covariance +
					     g * g * line->var_factor));
	return value;
}

double scaling_at(const struct scaling *scaling, double n, double *ret_low,
		  double *ret_high)
{
	double value = NAN, low = INFINITY, high = 0;

	*ret_low = *ret_high = NAN;
	if ((unsigned int)scaling->law >= SCALING_LAWS || !(n > 0))
		return NAN;
	for (size_t law = 0; law < SCALING_LAWS; law++) {
		double deviation, at;

		if (!(scaling->lines[law].misfit <= scaling->far_misfit))
			continue;
		at = foretell(scaling, law, n, &deviation);
		low = fmin(low, at - scaling->quantile * deviation);
		high = fmax(high, at + scaling->quantile * deviation);
		if (law == (size_t)scaling->law)
			value = at;
	}
	*ret_low = fmax(0, low);
	*ret_high = high;
	return fmax(0, value);
}

void scaling_law_text(const struct scaling *scaling, char *ret, size_t size)
{
	static const char *const names[] = {"1", "log n", "n", "n log n", "n^2", "n^3"};

	if ((unsigned int)scaling->law < sizeof(names) / sizeof(names[0]))
		snprintf(ret, size, "%s", names[scaling->law]);
	else if (scaling->law == SCALING_EXPONENTIAL)
		snprintf(ret, size, scaling->base == 2 ? "%.0f^n" : "%.2f^n",
			 scaling->base);
	else if (scaling->law == SCALING_POWER)
		snprintf(ret, size, "n^%.2f", scaling->exponent);
	else
		snprintf(ret, size, "?");
}

bool scaling_law_read(const char *text, enum scaling_law *ret_law, double *ret_number)
{
	static const struct {
		const char *text;
		enum scaling_law law;
	} words[] = {{"1", SCALING_ONE},
		     {"log n", SCALING_LOG},
		     {"n", SCALING_LINEAR},
		     {"n log n", SCALING_LINEAR_LOG}};
	char *end;

	*ret_number = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i].text) == 0) {
			*ret_law = words[i].law;
			return true;
		}
	if (strncmp(text, "n^", 2) == 0) {
		*ret_law = SCALING_POWER;
		*ret_number = strtod(text + 2, &end);
		return end != text + 2 && !*end && *ret_number >= 0 && *ret_number <= 100;
	}
	*ret_law = SCALING_EXPONENTIAL;
	*ret_number = strtod(text, &end);
	return end != text && strcmp(end, "^n") == 0 && *ret_number > 1 &&
	       *ret_number <= 100;
}

enum scaling_held scaling_check(const struct scaling *scaling, enum scaling_law law,
				double number)
{
	double from = scaling->least_n, to = scaling->most_n;
	double limit = log(shape(law, number, to, to) / shape(law, number, to, from)) /
		       log(to / from);

	if (isnan(scaling->exponent) || isnan(limit))
		return SCALING_NOT_MEASURED;
	if (scaling->low > limit + SLACK)
		return SCALING_EXCEEDED;
	return scaling->is_exact || scaling->high <= limit + SLACK ? SCALING_KEPT
								   : SCALING_OPEN;
}

int scaling_serial_share(const struct scaling_point *points, size_t count,
			 struct scaling_share *ret)
{
	struct scaling_line line;
	struct sizes sizes;
	double *x, *y, *deviation, all, reach;
	int result = group(points, count, &sizes);

	if (result < 0)
		return result;
	x = xreallocarray(NULL, 3 * sizes.count, sizeof(*x));
	y = x + sizes.count;
	deviation = y + sizes.count;
	for (size_t i = 0; i < sizes.count; i++) {
		x[i] = 1 / sizes.list[i].n;
		y[i] = sizes.list[i].mean;
		deviation[i] = sizes.list[i].deviation;
	}
	line = fit_line(x, y, deviation, sizes.count);
	all = line.constant + line.factor; /* with one thread */
	result = all > 0 && isfinite(line.misfit) ? 0 : -EDOM;
	if (result == 0) {
		/* of constant / all, by its derivatives */
		reach = quantile_of(&sizes) *
			sqrt(scale(&sizes, line.misfit) *
			     fmax(0, pow(line.factor, 2) * line.var_constant +
					     pow(line.constant, 2) * line.var_factor -
					     2 * line.factor * line.constant *
						     line.covariance)) /
			(all * all);
		ret->share = fmin(1, fmax(0, line.constant / all));
		ret->low = fmax(0, line.constant / all - reach);
		ret->high = fmin(1, line.constant / all + reach);
	}
	return result;
}
