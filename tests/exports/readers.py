# SPDX-License-Identifier: MIT
"""What programs of Debian, and readers that know the formats only, make of exports: each
gives (sum, {function: (itself, with all that it calls)}), None for what it does not tell."""
import gzip
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
import harness  # noqa: E402  (found through the line above)
import recordings  # noqa: E402


def add_up(stacks):
    """(sum, functions) of (names from the root, amount)."""
    total, functions = 0, {}
    for names, amount in stacks:
        total += amount
        for name in set(names):
            own, whole = functions.get(name, (0, 0))
            functions[name] = (own + amount * (name == names[-1]), whole + amount)
    return total, functions


def numbers(data):
    """Those of a packed field, of 64 bits with a sign."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value - (1 << 64) if value >> 63 else value
            value = shift = 0
    harness.expect(not shift, "a number is cut off")


def fields(data):
    """(number, value) of a message; a value is a number or bytes."""
    at = 0

    def number():
        nonlocal at
        start = at
        while data[at] >= 0x80:
            at += 1
        at += 1
        return next(numbers(data[start:at]))

    while at < len(data):
        key = number()
        harness.expect(key & 7 in (0, 2), f"field of kind {key & 7}")
        if key & 7 == 0:
            yield key >> 3, number()
            continue
        size = number()
        harness.expect(size <= len(data) - at, "a message is cut off")
        yield key >> 3, data[at:at + size]
        at += size


class Pprof:
    """profile.proto, as far as it has to hold together."""

    def __init__(self, path):
        with gzip.open(path) as file:
            data = file.read()
        self.all = {}
        for number, value in fields(data):
            self.all.setdefault(number, []).append(value)
        self.strings = [text.decode() for text in self.all[6]]
        harness.expect(self.strings[0] == "", "the first string is not empty")
        self.types = [self.strings[dict(fields(one))[1]] for one in self.all[1]]
        functions = {}
        for one in map(dict, map(fields, self.all[5])):
            functions[one[1]] = self.strings[one[2]]
        self.locations, self.lines = {}, {}
        for one in map(dict, map(fields, self.all[4])):
            line = dict(fields(one[4]))
            self.locations[one[1]] = functions[line[1]]
            self.lines[one[1]] = line.get(2, 0)
        harness.expect(0 not in functions and 0 not in self.locations, "an id is 0")
        self.comments = [self.strings[one] for one in numbers(self.all[13][0])]

    def samples(self):
        """(names from the root, values, labels)"""
        for one in self.all[2]:
            parts = list(fields(one))
            places = [value for number, value in parts if number == 1]
            values = [value for number, value in parts if number == 2]
            labels = [dict(fields(value)) for number, value in parts if number == 3]
            yield ([self.locations[place] for place in numbers(places[0])][::-1],
                   list(numbers(values[0])),
                   {self.strings[label[1]]: self.strings[label[2]] if 2 in label else label[3]
                    for label in labels})

    def calls(self):
        """{(caller, callee, line of the call)}"""
        return {(self.locations[caller], self.locations[callee], self.lines[caller])
                for one in self.all[2] for number, value in fields(one) if number == 1
                for places in [list(numbers(value))]
                for callee, caller in zip(places, places[1:])}

    def read(self, metric):
        at = self.types.index(metric)
        return add_up((names, values[at]) for names, values, _ in self.samples())


def views(profile_name, metric):
    """Is it one of those that show the metric?"""
    word = {"wall": "time", "cpu": "computing", "ready": "CPU wait",
            "bytes": "bytes allocated", "live": "live at exit",
            "at_peak": "live at the peak"}.get(metric, metric)
    return profile_name.split(":")[0] == word


def speedscope(path, metric):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    names = [frame["name"] for frame in profile["shared"]["frames"]]
    stacks = []
    for one in profile["profiles"]:
        if views(one["name"], metric):
            harness.expect(len(one["samples"]) == len(one["weights"]), "samples and weights")
            harness.expect(sum(one["weights"]) == one["endValue"], "the end of a profile")
            stacks += [([names[frame] for frame in stack], weight)
                       for stack, weight in zip(one["samples"], one["weights"])]
    return add_up(stacks)


def folded(path):
    """The sum of all lines."""
    with open(path, encoding="utf-8") as file:
        return sum(int(line.rsplit(" ", 1)[1]) for line in file)


def callgrind_annotate(recording):
    """{metric: (sum, functions)}; what they have with callees is told by --inclusive."""
    metrics = list(recordings.METRICS)
    names = recording.functions("calls")
    columns = re.compile(r"\s*([\d,]+)(?:\s+\([\s\d.]+%\))?")
    found = {metric: [0, {name: [0, None] for name in names}] for metric in metrics}
    for inclusive in (0, 1):
        result = harness.run(
            ["callgrind_annotate", "--inclusive=" + ("no", "yes")[inclusive],
             "--threshold=100", "--auto=no", recording.file("callgrind")],
            cwd=recording.folder)
        harness.expect(result.returncode == 0 and not result.stderr,
                       f"callgrind_annotate: {result.stderr}")
        for line in result.stdout.splitlines():
            at, amounts = 0, []
            while len(amounts) < len(metrics) and (match := columns.match(line, at)):
                amounts.append(int(match.group(1).replace(",", "")))
                at = match.end()
            text = re.sub(r" \[\S+\]$", "", line[at:].strip())
            for metric, amount in zip(metrics, amounts if len(amounts) == len(metrics) else []):
                if text == "PROGRAM TOTALS":
                    found[metric][0] = amount
                for name in names:
                    if re.search(f"(^|[^:]):{re.escape(name)}$", text):
                        found[metric][1][name][inclusive] = amount
    return found
