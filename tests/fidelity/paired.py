# SPDX-License-Identifier: MIT
"""What `prof-record --plain` says of the plain build, held against perf's samples of it."""
import collections
import json
import math
import subprocess

import measure
from agreement import agreement_of, median, spread, thinned, top


def demangled(names):
    """{name: as reports have it}"""
    text = subprocess.run(["c++filt"], input="\n".join(names), text=True,
                          capture_output=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def named_as_reports(samples):
    names, renamed = demangled(list(samples)), collections.Counter()
    for name, count in samples.items():
        renamed[names[name]] += count
    return renamed


class Pair:
    """One recording of both builds: of the plain one's functions the time and its error."""

    def __init__(self, products, database, program):
        rows = json.loads(measure.run([products.analyze, "report", database, "--format", "json",
                                       "--limit", "0"]))["plain_functions"]
        self.all_ns = sum(row["cpu_ns"] for row in rows)
        self.account, self.samples, variances = collections.Counter(), 0, collections.Counter()
        for row in rows:
            if row["module"] == program and row["cpu_ns"]:
                name = row["name"]
                self.account[name] += row["cpu_ns"]
                self.samples += row["plain_samples"]
                variances[name] += row["cpu_error_ns"] ** 2
        self.errors = {name: math.sqrt(square) for name, square in variances.items()}

    def intervals(self, samples):
        """[(whether it holds what the samples say, the error by time)] of their top
        functions. Shares: how fast the machine was is another question."""
        total, all_ns = sum(samples.values()), sum(self.account.values())
        for name in top(samples):
            share = samples[name] / total
            chance = 2 * math.sqrt(share * (1 - share) / total) * all_ns
            # Of a function that was not met the report says nothing.
            error = self.errors.get(name, 3.7 * all_ns / self.samples)
            yield (abs(self.account[name] - share * all_ns) <= math.hypot(error, chance),
                   error / (share * all_ns))


def summary(pairs, leaves, plain):
    """Of one program, as JSON. leaves: of perf's runs; plain: as running.Spent."""
    mains = [pair.all_ns / plain.main_cpu_ns for pair in pairs]
    result = {"samples": median([pair.samples for pair in pairs]),
              "main_to_plain": median(mains), "main_to_plain_spread": spread(mains)}
    if len(leaves) < 2:
        return result
    runs = [named_as_reports(run) for run in leaves]
    samples, *halves = (sum(some, collections.Counter())
                        for some in (runs, runs[::2], runs[1::2]))
    held = [interval for pair in pairs for interval in pair.intervals(samples)]
    return {**result, "perf_samples": sum(samples.values()),
            "agreement": agreement_of(samples, [pair.account for pair in pairs]),
            "limit": agreement_of(halves[0], [thinned(halves[1], pair.samples)
                                           for pair in pairs]),
            "held": [sum(is_held for is_held, _ in held), len(held)],
            "width": median([width for _, width in held])}
