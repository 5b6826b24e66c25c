# SPDX-License-Identifier: MIT
"""Measures one subject: plain, hooks, and each setting of the recorder in turns, and holds
what the recordings say against the plain build."""
import collections
import statistics

import harness
import measure
import running
import truth
from agreement import different_counts, rank_agreement, top
from measure import Missing
from recorded import Recording

# A function with fewer samples has no rank that means anything.
LEAST_SAMPLES = 5


def median(numbers):
    """Of those that are known; None when none is."""
    known = [number for number in numbers if number is not None]
    return statistics.median(known) if known else None


def spread(numbers):
    known = [number for number in numbers if number is not None]
    return [min(known), max(known)] if known else None


class Setting:
    """The recordings of one subject with one setting. Each turn's numbers, and what
    follows from them; ratios are to the medians of the plain build and of the hooks."""

    def __init__(self, name):
        self.name, self.turns, self.accounts = name, [], []
        self.missing = None

    def add(self, spent, recording, counts, standing, uncounted):
        different = different_counts(counts, recording.counts())
        self.turns.append({
            "wall_s": spent.wall, "cpu_s": spent.cpu, "main_ns": recording.main_ns,
            "raw_main_ns": recording.raw_main_ns,
            "main_error_ns": recording.main_error_ns, "verdict": recording.verdict,
            "stated_share": recording.stated_share,
            "calls": sum(recording.counts().values()),
            "different_counts": {name: pair for name, pair in different.items()
                                 if name not in uncounted}})
        self.accounts.append({"as_built": recording.self_times(),
                              "as_plain": recording.self_times(standing),
                              "errors": {name: function.error_ns for name, function
                                         in recording.functions.items()}})
        self.knows_inlined = recording.knows_inlined

    def middle(self, key):
        return median([turn[key] for turn in self.turns])

    def summary(self, plain, hooks):
        """plain, hooks: medians, as running.Spent."""
        mains = [turn["main_ns"] / plain.main_ns for turn in self.turns]
        raw = self.middle("raw_main_ns")
        errors = [turn["main_error_ns"] for turn in self.turns]
        covered = None if None in errors else [
            abs(turn["main_ns"] - plain.main_ns) <= turn["main_error_ns"]
            for turn in self.turns]
        different = [turn["different_counts"] for turn in self.turns]
        return {
            "calls": self.turns[0]["calls"],
            "wall_to_plain": self.middle("wall_s") / plain.wall,
            "wall_to_hooks": self.middle("wall_s") / hooks.wall,
            "raw_main_to_plain": raw / plain.main_ns,
            "raw_main_to_hooks": raw / hooks.main_ns,
            "main_to_plain": median(mains), "main_to_plain_spread": spread(mains),
            "main_error": median([error / plain.main_ns for error in errors
                                  if error is not None]),
            "main_covered": covered and [sum(covered), len(covered)],
            "stated_share": self.middle("stated_share"),
            "true_share": 1 - plain.main_ns / raw,
            "functions_with_other_counts": max(map(len, different)),
            "knows_inlined": self.knows_inlined,
            "verdicts": sorted({turn["verdict"] for turn in self.turns})}


def agreements(setting, references):
    """{reference: {account: median over the turns of the rank agreement}}"""
    result = {}
    for reference, values in references.items():
        if isinstance(values, Missing):
            continue
        names = top(values, least=LEAST_SAMPLES if reference == "perf" else 0)
        result[reference] = {"functions": len(names)}
        for account in ("as_built", "as_plain"):
            result[reference][account] = median(
                [rank_agreement(values, turn[account], names)
                 for turn in setting.accounts])
    return result


def coverage(setting, samples, plain_main_ns):
    """[how often, of how many] the stated interval of a function's self time holds what the
    samples of the plain build say. They are few, too: twice their own deviation is added."""
    if isinstance(samples, Missing) or not samples:
        return None
    total, inside, asked = sum(samples.values()), 0, 0
    for turn in setting.accounts:
        for name in top(samples, least=LEAST_SAMPLES):
            error = turn["errors"].get(name)
            if error is None:
                continue
            share = samples[name] / total
            chance = 2 * (share * (1 - share) / total) ** 0.5 * plain_main_ns
            asked += 1
            inside += abs(turn["as_built"][name] - share * plain_main_ns) <= error + chance
    return [inside, asked] if asked else None


class Measurement:
    """One subject, all settings."""

    def __init__(self, runner, subject, settings):
        self.runner, self.subject = runner, subject
        self.names = truth.Names(subject.built["hooked"])
        self.standing = {self.names.of(name) for name
                         in truth.Names(subject.built["plain"]).same}
        self.counts = truth.counts_of(runner.counted(subject), self.names)
        self.settings = [Setting(name) for name in settings]
        self.plain_turns, self.hook_turns = [], []
        self.samples = collections.Counter()

    def _asked_of_plain(self, ask):
        subject = self.subject
        return ask(self.runner.folder, subject, harness.plain_environment(),
                   self.counts.keys(), self.names,
                   running.fix_addresses if subject.fixed_addresses else None)

    def _sample(self):
        if isinstance(self.samples, Missing):
            return
        try:
            self.samples += self._asked_of_plain(truth.perf_samples)
        except (measure.BenchError, OSError) as error:
            self.samples = Missing(str(error).splitlines()[0])

    def _record(self, setting, is_counted):
        try:
            spent = self.runner.recorded(self.subject, setting.name)
            recording = Recording(self.runner.products, self.runner.database,
                                  self.subject.built["hooked"], self.names)
        except (measure.BenchError, harness.Failure) as error:
            setting.missing = Missing(str(error).splitlines()[0])
            return
        if is_counted:
            setting.add(spent, recording, self.counts, self.standing, self.subject.uncounted)

    def take_turns(self, count):
        """The first turn warms caches up and is not counted."""
        for turn in range(count + 1):
            plain, hooks = self.runner.plain(self.subject), self.runner.hooks(self.subject)
            if turn:
                self.plain_turns.append(plain)
                self.hook_turns.append(hooks)
                self._sample()
            for setting in self.settings:
                if not setting.missing:
                    self._record(setting, turn > 0)

    def count_instructions(self):
        try:
            return self._asked_of_plain(truth.callgrind_instructions)
        except (measure.BenchError, OSError) as error:
            return Missing(str(error).splitlines()[0])

    @staticmethod
    def _middle(turns):
        return running.Spent(*(median([getattr(turn, key) for turn in turns])
                               for key in ("wall", "cpu", "main_ns", "main_cpu_ns")))

    def result(self):
        """All numbers, as JSON."""
        plain, hooks = self._middle(self.plain_turns), self._middle(self.hook_turns)
        references = {"perf": self.samples, "callgrind": self.count_instructions()}
        result = {
            "program": self.subject.name, "plain": plain.as_json(),
            "hooks": hooks.as_json(), "functions": len(self.counts),
            "plain_turns": [turn.as_json() for turn in self.plain_turns],
            "hook_turns": [turn.as_json() for turn in self.hook_turns],
            "hooks_to_plain": hooks.wall / plain.wall,
            "missing": {name: values.reason for name, values in references.items()
                        if isinstance(values, Missing)},
            "references": {name: dict(values.most_common(50))
                           for name, values in references.items()
                           if not isinstance(values, Missing)},
            "settings": []}
        if not result["missing"]:
            perf, instructions = references["perf"], references["callgrind"]
            result["perf_and_callgrind"] = rank_agreement(
                perf, instructions, top(perf, least=LEAST_SAMPLES))
        for setting in self.settings:
            row = {"setting": setting.name}
            if setting.missing or not setting.turns:
                row["missing"] = setting.missing.reason if setting.missing else "no turn"
            else:
                row.update(setting.summary(plain, hooks))
                row["agreement"] = agreements(setting, references)
                row["functions_covered"] = coverage(setting, references["perf"],
                                                    plain.main_ns)
                row["turns"] = setting.turns
                row["self_ns"] = {
                    account: dict(collections.Counter({
                        name: median([turn[account][name] for turn in setting.accounts])
                        for name in setting.accounts[0][account]}).most_common(50))
                    for account in ("as_built", "as_plain")}
            result["settings"].append(row)
        return result
