/* SPDX-License-Identifier: MIT */
/*
 * How a quantity grows with a parameter n of the program: its exponent, the simplest law
 * that fits, and what both foretell. Pure functions without state. A point is one RUN.
 * Counts are exact when the runs of one n agree; then the laws are judged by their shape
 * alone, else by chance.
 *
 * Sources of the formulas:
 *   weighted straight line, its variances and that of a forecast: Bevington and Robinson,
 *     Data Reduction and Error Analysis, chapter 6; Draper and Smith, Applied Regression
 *     Analysis, sections 1.4 and 3.1. The exponent is the slope of log value over log n.
 *   errors enlarged by the misfit's root where it is above what they explain: Birge,
 *     Physical Review 40 (1932) 207
 *   laws whose chi square is within t^2 of the least are not told apart (the interval of
 *     one parameter): Wilks, Annals of Mathematical Statistics 9 (1938) 60; of those the
 *     simplest, as Akaike and Schwarz weigh parameters
 *   quantile of Student's t from the normal one: Abramowitz and Stegun, 26.7.5
 *   serial share: Amdahl, AFIPS 30 (1967) 483: T(p) = T(1) (s + (1 - s) / p)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From the simplest on. */
enum scaling_law {
	SCALING_ONE,
	SCALING_LOG,
	SCALING_LINEAR,
	SCALING_LINEAR_LOG,
	SCALING_SQUARE,
	SCALING_CUBE,
	SCALING_EXPONENTIAL, /* base^n, usually 2^n */
	SCALING_POWER,	     /* n^exponent, where none of the above fits */
	SCALING_LAWS,
	SCALING_UNKNOWN = SCALING_LAWS, /* fewer than three sizes */
};

struct scaling_point {
	double n, value;
	double error;  /* half of the value's 95 % interval */
	bool is_count; /* nothing but another number of them can change it */
};

struct scaling_line {
	/* value at n: constant + factor * g(n) / g(most_n) */
	double constant, factor;
	double var_constant, var_factor, covariance;
	double misfit; /* chi square; INFINITY: not possible */
};

struct scaling {
	double exponent, low, high; /* 95 %; of exact ones what it was from size to size,
				     * and where that leads. NAN: too few values above 0
				     */
	enum scaling_law law;
	double base; /* of the exponential */
	bool is_exact;
	unsigned int size_count;
	double least_n, most_n, most_value;
	double mean_log_n; /* of the line of the exponent */
	double far_misfit; /* lines up to here count for bounds */
	double quantile;   /* for a 95 % interval */
	struct scaling_line lines[SCALING_LAWS];
};

/* 0, -EDOM: fewer than two sizes, or a value that is not finite or is below 0, or an n
 * that is not above 0. */
int scaling_fit(const struct scaling_point *points, size_t count, struct scaling *ret);
/* What it is, or will be, at n, within bounds that hold for every law that fits. NAN: the
 * law is not known. */
double scaling_at(const struct scaling *scaling, double n, double *ret_low,
		  double *ret_high);
/* "n log n", "n^1.52"; "?" when it is not known. */
void scaling_law_text(const struct scaling *scaling, char *ret, size_t size);

/* Reads a law as it is written in limits: 1, log n, n, n log n, n^1.5, 2^n. */
bool scaling_law_read(const char *text, enum scaling_law *ret_law, double *ret_number);
enum scaling_held { SCALING_KEPT, SCALING_OPEN, SCALING_EXCEEDED, SCALING_NOT_MEASURED };
/* Does it grow faster than the law, over the sizes measured? Exceeded: all of its
 * interval is above. */
enum scaling_held scaling_check(const struct scaling *scaling, enum scaling_law law,
				double number);

struct scaling_share {
	double share, low, high;
};
/* The serial share of a time over numbers of threads, with its 95 % interval. As
 * scaling_fit(). */
int scaling_serial_share(const struct scaling_point *points, size_t count,
			 struct scaling_share *ret);
