# SPDX-License-Identifier: MIT
"""What is exported, imported and exported again has the same sums: of pprof all metrics, of
folded stacks the one they have."""
import os

import readers
import recordings
from recordings import harness

# of folded stacks: the metric of the export, the unit of the import, ours
FOLDED = (("time", "ns", "wall"), ("calls", "calls", "calls"), ("bytes", "bytes", "bytes"),
          ("allocs", "allocs", "allocations"), ("live", "live", "live"))


class Imported(recordings.Recording):
    """A recording's export as a run of its own."""

    def __init__(self, recording, kind, path, *arguments):
        self.name, self.folder = f"{recording.name}, imported {kind}", recording.folder
        self.products, self.database = recording.products, path + ".db"
        result = harness.run([self.products.analyze, "import", kind, path, "-o",
                              self.database, *arguments])
        harness.expect(result.returncode == 0, f"import {kind}: {result.stderr}")


def problems_of_pprof(recording):
    imported = Imported(recording, "pprof", recording.file("pprof"))
    again = os.path.join(recording.folder, "again.pprof")
    imported.export("pprof", again)
    pprof, problems = readers.Pprof(again), []
    sums, ours = imported.sums(), recording.sums()
    for metric in recordings.METRICS:
        problems += recordings.problems_of(recording, "pprof there and back", metric,
                                           *pprof.read(metric))
        if sums[metric] != ours[metric]:
            problems.append(f"{imported.name}: {metric} is {sums[metric]}, not {ours[metric]}")
    return problems


def shapes(stacks):
    """Without names: which of them need their parameters depends on which others are there."""
    return sorted((stack.count(";"), amount) for stack, amount in stacks.items())


def problems_of_folded(recording):
    problems = []
    for metric, unit, name in FOLDED:
        path = os.path.join(recording.folder, f"{recording.name}.{metric}.folded")
        recording.export("folded", path, "--metric", metric)
        imported = Imported(recording, "folded", path, "--unit", unit)
        again = path + ".again"
        imported.export("folded", again, "--metric", metric)
        there, back = (readers.folded(one) for one in (path, again))
        if shapes(there) != shapes(back) or not there:
            problems.append(f"{recording.name}: folded {metric} is not the same back: "
                            f"{len(there)} stacks, {len(back)} stacks")
        if imported.sums()[name] != sum(there.values()):
            problems.append(f"{recording.name}: folded {metric}: {imported.sums()[name]}, "
                            f"not {sum(there.values())}")
    return problems


def problems_of(recording):
    return problems_of_pprof(recording) + problems_of_folded(recording)
