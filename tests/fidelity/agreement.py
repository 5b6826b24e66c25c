# SPDX-License-Identifier: MIT
"""How well two accounts of the same program agree."""
import collections
import random
import statistics


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    result, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            result[index] = (start + 1 + end) / 2
        start = end
    return result


def correlation(first, second):
    count = len(first)
    mean_first, mean_second = sum(first) / count, sum(second) / count
    products = sum((a - mean_first) * (b - mean_second) for a, b in zip(first, second))
    squares = sum((a - mean_first) ** 2 for a in first) * \
        sum((b - mean_second) ** 2 for b in second)
    return products / squares ** 0.5 if squares else None


# Less than this share of the time is noise.
LEAST_SHARE = 0.001


def top(account, count=20):
    """The names that have most, and something at all."""
    least = LEAST_SHARE * sum(account.values())
    names = sorted(account, key=lambda name: (-account[name], name))[:count]
    return [name for name in names if account[name] >= least]


def rank_of_top(reference, account):
    """Spearman's coefficient over the reference's top names, None for fewer than three."""
    return rank_agreement(reference, account, top(reference))


def common_share(reference, account):
    """How much of the time both give to the same functions, 0 to 1: what is left when every
    function counts with the smaller of its two shares."""
    total, other = sum(reference.values()), sum(account.values())
    if not total or not other:
        return None
    return sum(min(reference[name] / total, account[name] / other) for name in reference)


def thinned(account, count):
    """What so many samples drawn from the account say: the same ones each time."""
    names = sorted(account)
    return collections.Counter(random.Random(count).choices(
        names, [account[name] for name in names], k=count))


def rank_agreement(reference, account, names):
    """Spearman's coefficient over the names, None for fewer than three."""
    if len(names) < 3:
        return None
    return correlation(ranks([reference[name] for name in names]),
                       ranks([account[name] for name in names]))


def different_counts(truth, counts):
    """{name: (true, recorded)} where they are not equal."""
    return {name: (truth[name], counts[name]) for name in sorted(truth.keys() | counts.keys())
            if truth[name] != counts[name]}


def median(numbers):
    """Of those that are known; None when none is."""
    known = [number for number in numbers if number is not None]
    return statistics.median(known) if known else None


def spread(numbers):
    known = [number for number in numbers if number is not None]
    return [min(known), max(known)] if known else None


def agreement_of(reference, accounts):
    """Medians over the turns."""
    return {"rank": median([rank_of_top(reference, account) for account in accounts]),
            "common_share": median([common_share(reference, account)
                                    for account in accounts])}
