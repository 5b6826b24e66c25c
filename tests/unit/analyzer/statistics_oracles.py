#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare model/statistics.h with scipy, or with plain counting where scipy has nothing.

usage: statistics_oracles.py STATISTICS_VALUES

Random inputs of fixed seeds go through the filter STATISTICS_VALUES; what it answers must
agree to 1e-9 relative. Intervals follow R's wilcox.test(conf.int=TRUE): order statistics
of the differences at qwilcox(alpha / 2).
"""
import functools
import itertools
import math
import subprocess
import sys

import numpy
from scipy import stats

TOLERANCE = 1e-9
SIDES = [(1, 1), (1, 2), (2, 2), (1, 30), (3, 3), (3, 4), (4, 4), (5, 5), (2, 8), (7, 4),
         (6, 9), (10, 10), (13, 8), (20, 20), (17, 30), (30, 30), (29, 1), (30, 12)]


class Questions:
    """What to ask, and the answers that are right: a list of numbers, or "error"."""

    def __init__(self):
        self.lines, self.expected = [], []

    def ask(self, line, expected):
        self.lines.append(line)
        self.expected.append(expected)


def words(*parts):
    return " ".join(repr(float(value)) for part in parts for value in numpy.atleast_1d(part))


@functools.cache
def ways_of_u(m, n):
    """In how many arrangements U is 0, 1, ... m * n: Mann and Whitney's recursion."""
    if m == 0 or n == 0:
        return numpy.array([1], dtype=object)
    ways = numpy.zeros(m * n + 1, dtype=object)
    ways[n:] += ways_of_u(m - 1, n)
    ways[:m * (n - 1) + 1] += ways_of_u(m, n - 1)
    return ways


def rank_sums2(ranks2, m):
    """{doubled rank sum: number of choices of m ranks that have it}, for p with ties."""
    if math.comb(len(ranks2), m) <= 20000:
        sums = {}
        for chosen in itertools.combinations(ranks2, m):
            sums[sum(chosen)] = sums.get(sum(chosen), 0) + 1
        return sums
    sums = [{} for _ in range(m + 1)]
    sums[0][0] = 1
    for rank in ranks2:
        for k in range(m, 0, -1):
            for total, ways in sums[k - 1].items():
                sums[k][total + rank] = sums[k].get(total + rank, 0) + ways
    return sums[m]


def tied_p(a, b):
    ranks2 = [round(2 * rank) for rank in stats.rankdata(numpy.concatenate([a, b]))]
    m, mean2 = len(a), len(a) * (len(ranks2) + 1)
    distance = abs(sum(ranks2[:m]) - mean2)
    sums = rank_sums2(ranks2, m)
    return sum(ways for total, ways in sums.items() if abs(total - mean2) >= distance) \
        / math.comb(len(ranks2), m)


def has_ties(*values):
    joined = numpy.concatenate(values)
    return len(set(joined)) < len(joined)


def expected_p(a, b):
    smaller, count = min(len(a), len(b)), len(a) + len(b)
    if not has_ties(a, b) and len(a) * len(b) <= 2500:
        return stats.mannwhitneyu(a, b, method="exact").pvalue
    if has_ties(a, b) and (smaller + 1) * (count * (count + 1) + 1) <= 36000:
        return tied_p(a, b)
    if len(set(a) | set(b)) == 1:
        return 1.0
    return stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=True).pvalue


def expected_shift(a, b, confidence):
    differences = numpy.sort(numpy.subtract.outer(b, a).ravel())
    m, n, half_alpha = len(a), len(b), (1 - confidence) / 2
    if m * n <= 2500:
        below = numpy.cumsum(ways_of_u(m, n)) / math.comb(m + n, m)
        below = below.astype(float)
    else:
        deviation = math.sqrt(m * n * (m + n + 1) / 12)
        below = stats.norm.cdf((numpy.arange(m * n + 1) + 0.5 - m * n / 2) / deviation)
    index = max(1, int(numpy.argmax(below >= half_alpha * (1 - 1e-12))))
    return [numpy.median(differences), differences[index - 1], differences[m * n - index],
            max(0, 1 - 2 * below[index - 1])]


def ask_sides(questions, a, b):
    sizes = words(len(a), len(b))
    questions.ask(f"whitney {sizes} {words(a, b)}", [expected_p(a, b)])
    for confidence in (0.95, 0.99, 0.5):
        questions.ask(f"shift {confidence} {sizes} {words(a, b)}",
                      expected_shift(a, b, confidence))
    expected = expected_shift(numpy.log(a), numpy.log(b), 0.95)
    questions.ask(f"ratio 0.95 {sizes} {words(a, b)}",
                  list(numpy.exp(expected[:3])) + expected[3:])


def ask_two_sides(questions, random):
    for (m, n), digits, factor in itertools.product(SIDES, (None, 2, 1), (1, 1.04, 1.5)):
        a, b = (random.normal(10, 0.4, size) for size in (m, n))
        b = b * factor
        if digits:
            a, b = a.round(digits), b.round(digits)
        ask_sides(questions, a, b)
    for m, n in ((50, 50), (51, 50), (2, 300), (90, 120)):
        for digits in (12, 1):
            ask_sides(questions, random.lognormal(0, 0.5, m).round(digits) + 1,
                      random.lognormal(0.1, 0.5, n).round(digits) + 1)
    same = numpy.full(60, 3.0)
    ask_sides(questions, same[:4], same[:6])
    ask_sides(questions, same[:55], same)


def kendall_p(x, y):
    """With ties or many points: scipy's variance of Kendall's score, and continuity."""
    count = len(x)
    score = sum(numpy.sign(x[j] - x[i]) * numpy.sign(y[j] - y[i])
                for i, j in itertools.combinations(range(count), 2))
    if count <= 20 and not has_ties(x) and not has_ties(y):
        return stats.kendalltau(x, y, method="exact").pvalue
    x_groups, y_groups = (numpy.unique(values, return_counts=True)[1] for values in (x, y))
    full = count * (count - 1)
    variance = (full * (2 * count + 5)
                - sum((t * (t - 1) * (2 * t + 5)).sum() for t in (x_groups, y_groups))) / 18
    pairs = [(t * (t - 1)).sum() for t in (x_groups, y_groups)]
    triples = [(t * (t - 1) * (t - 2)).sum() for t in (x_groups, y_groups)]
    variance += pairs[0] * pairs[1] / (2 * full)
    if count > 2:
        variance += triples[0] * triples[1] / (9 * full * (count - 2))
    if variance > 0:
        # Without the continuity correction this is what scipy calls asymptotic.
        plain = 2 * stats.norm.sf(abs(score) / math.sqrt(variance))
        asymptotic = stats.kendalltau(x, y, method="asymptotic").pvalue
        assert math.isclose(plain, asymptotic, rel_tol=TOLERANCE), (plain, asymptotic)
    if abs(score) <= 1 or variance <= 0:
        return 1.0
    return 2 * stats.norm.sf((abs(score) - 1) / math.sqrt(variance))


def ask_trends(questions, random):
    for count, x_digits, y_digits in itertools.product(
            (2, 3, 4, 5, 8, 10, 11, 20, 21, 60), (None, 1), (None, 1, 0)):
        for slope in (0, 0.3, -2):
            x = numpy.sort(random.uniform(0, 5, count))
            y = slope * x + random.normal(0, 0.5, count)
            x = x if x_digits is None else x.round(x_digits)
            y = y if y_digits is None else y.round(y_digits)
            if len(set(x)) == 1:
                questions.ask(f"trend {count} {words(x, y)}", "error")
                continue
            questions.ask(f"trend {count} {words(x, y)}",
                          [stats.theilslopes(y, x).slope, kendall_p(x, y)])
    for rising in (numpy.arange(20.0), -numpy.arange(20.0), numpy.zeros(20)):
        x = numpy.arange(20.0)
        questions.ask(f"trend 20 {words(x, rising)}",
                      [stats.theilslopes(rising, x).slope, kendall_p(x, rising)])


def adjusted(p):
    """As R's p.adjust(method="BH")."""
    known = numpy.flatnonzero(~numpy.isnan(p))
    order = known[numpy.argsort(p[known])]
    scaled = p[order] * len(order) / numpy.arange(1, len(order) + 1)
    result = numpy.full(len(p), math.nan)
    result[order] = numpy.minimum(1, numpy.minimum.accumulate(scaled[::-1])[::-1])
    return result


def ask_lists(questions, random):
    for count in (1, 2, 3, 50, 1001):
        p = random.uniform(0, 1, count) ** 3
        p[random.uniform(0, 1, count) < 0.1] = math.nan
        p = numpy.where(random.uniform(0, 1, count) < 0.2, p.round(2), p)
        questions.ask(f"adjust {count} {words(p)}", list(adjusted(p)))
    for count, digits in itertools.product((1, 2, 3, 4, 5, 10, 31, 1000), (12, 0)):
        values = random.normal(0, 2, count).round(digits)
        questions.ask(f"median {count} {words(values)}",
                      [numpy.median(values), stats.median_abs_deviation(values)])


def deviation(answer, expected):
    if math.isnan(expected) or math.isnan(answer):
        return 0 if math.isnan(expected) == math.isnan(answer) else math.inf
    if answer == expected:
        return 0
    return abs(answer - expected) / abs(expected) if expected else math.inf


def worst_of(answer, expected):
    if expected == "error" or answer.startswith("error"):
        return 0 if answer.startswith("error") and expected == "error" else math.inf
    numbers = [float(word) for word in answer.split()]
    if len(numbers) != len(expected):
        return math.inf
    return max(deviation(*pair) for pair in zip(numbers, expected))


def main():
    questions, random = Questions(), numpy.random.default_rng(20240229)
    ask_two_sides(questions, random)
    ask_trends(questions, random)
    ask_lists(questions, random)
    answers = subprocess.run([sys.argv[1]], input="\n".join(questions.lines), text=True,
                             stdout=subprocess.PIPE, check=True, timeout=60)
    lines = answers.stdout.splitlines()
    if len(lines) != len(questions.lines):
        sys.exit(f"{len(questions.lines)} questions, {len(lines)} answers")
    worst, failed = {}, 0
    for question, answer, expected in zip(questions.lines, lines, questions.expected):
        name, off = question.split()[0], worst_of(answer, expected)
        worst[name] = max(worst.get(name, 0), off)
        if off > TOLERANCE:
            failed += 1
            print(f"{question[:300]}\n  answered {answer}, right is {expected}")
    for name, off in worst.items():
        asked = sum(line.startswith(name) for line in questions.lines)
        print(f"{name}: {asked} cases, largest relative deviation {off:.2g}")
    sys.exit(1 if failed else 0)


main()
