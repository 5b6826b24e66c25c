# SPDX-License-Identifier: MIT
"""Measures one subject: plain, hooks, and each setting of the recorder in turns, and holds
what the recordings say against both builds."""
import collections
import math
import statistics

import harness
import measure
import paired
import running
import truth
from agreement import different_counts, median, agreement_of, spread, thinned, top
from measure import Missing
from recorded import Recording

# Each turn takes samples of a build until it has so many, but not for ever.
SAMPLES_A_TURN, RUNS_A_TURN = 2000, 5
# A run that had no CPU for more of its time is made again, and the better one counts.
MOST_WAITED, MOST_TRIES = 0.02, 2
# What the accounts are held against: samples of this build. The recorded one's own say what
# the account is worth; the others, what recording did to the program, too.
REFERENCES = ("recorded", "hooked", "plain")


class Setting:
    """The recordings of one subject with one setting. Each turn's numbers, and what
    follows from them; ratios are to the medians of the plain build and of the hooks."""

    def __init__(self, name):
        self.name, self.turns, self.accounts, self.errors = name, [], [], []
        self.samples = []
        self.missing = None

    def add(self, spent, recording, counts, subject):
        different = different_counts(counts, recording.counts())
        self.turns.append({
            "wall_s": spent.wall, "cpu_s": spent.cpu, "main_ns": recording.main_ns,
            "raw_main_ns": recording.raw_main_ns,
            "main_error_ns": recording.main_error_ns, "verdict": recording.verdict,
            "stated_share": recording.stated_share,
            "calls": sum(recording.counts().values()),
            "different_counts": {name: pair for name, pair in different.items()
                                 if name not in subject.uncounted}})
        account = recording.account()
        for name in subject.waiting:
            del account[name]
        self.accounts.append(account)
        self.errors.append(recording.errors())
        self.samples.append(recording.samples)
        self.inlined_pairs, self.timed = recording.inlined_pairs(), recording.timed
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
            "cpu_to_plain": self.middle("cpu_s") / plain.cpu,
            "cpu_to_hooks": self.middle("cpu_s") / hooks.cpu,
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


def chance_ns(share, total, plain_mains):
    """Two standard deviations of what the samples say: they are few, and no two runs of the
    plain build take the same time."""
    middle = median(plain_mains)
    runs = statistics.pstdev(plain_mains) if len(plain_mains) > 1 else 0.0
    return 2 * math.hypot((share * (1 - share) / total) ** 0.5 * middle, share * runs)


def coverage(setting, samples, plain_mains):
    """What the stated intervals of functions' self times are worth, of the samples' top
    functions: {"held": [how often, of how many] they hold what the samples of the plain
    build say, "width": the median of error by time}."""
    total, middle = sum(samples.values()), median(plain_mains)
    held, widths = [], []
    for account, errors in zip(setting.accounts, setting.errors):
        for name in top(samples):
            error = errors.get(name)
            if error is None:
                continue
            share = samples[name] / total
            allowed = math.hypot(error, chance_ns(share, total, plain_mains))
            held.append(abs(account[name] - share * middle) <= allowed)
            widths.append(error / (share * middle))
    return {"held": [sum(held), len(held)], "width": median(widths)} if held else None


class Measurement:
    """One subject, all settings."""

    def __init__(self, runner, subject, settings):
        self.runner, self.subject = runner, subject
        self.names = truth.Names(subject.built["hooked"])
        self.counts = truth.counts_of(runner.counted(subject), self.names)
        self.settings = [Setting(name) for name in settings]
        self.plain_turns, self.hook_turns, self.pairs = [], [], []
        self.samples = {build: truth.Samples() for build in REFERENCES}
        self.missing, self.waited = {}, []

    def _sample(self, build):
        """Of several settings the last one is sampled."""
        samples, subject = self.samples[build], self.subject
        program = subject.built["plain" if build == "plain" else "hooked"]
        wanted = samples.total() + SAMPLES_A_TURN
        try:
            for _ in range(RUNS_A_TURN):
                stacks = truth.perf_stacks(
                    self.runner.folder, program,
                    self.runner.command(subject, build, self.settings[-1].name),
                    running.environment_of({}),
                    running.fix_addresses if subject.fixed_addresses else None)
                samples.add(stacks, program, self.counts.keys(), self.names)
                if build == "recorded":
                    harness.settle(self.runner.products, self.runner.database)
                if samples.total() >= wanted:
                    break
        except (measure.BenchError, harness.Failure, OSError) as error:
            self.missing["perf"] = str(error).splitlines()[0]

    def _quietly(self, run):
        """run: returns (share of the time without a CPU, what is wanted)."""
        tries = []
        while len(tries) < MOST_TRIES and (not tries or tries[-1][0] > MOST_WAITED):
            waited, found = run()
            tries.append((waited, found))
            if self.subject.has_threads:
                return found
        best = min(tries, key=lambda one: one[0])
        self.waited.append(best[0])
        return best[1]

    def _unrecorded(self, run):
        def once():
            spent = run(self.subject)
            return spent.waited(), spent
        return self._quietly(once)

    def _recorded(self, setting):
        def once():
            spent = self.runner.recorded(self.subject, setting.name)
            recording = Recording(self.runner.products, self.runner.database,
                                  self.subject.built["hooked"], self.names)
            return spent.waited(recording.raw_main_ns), (spent, recording)
        return self._quietly(once)

    def _record(self, setting, is_counted):
        try:
            spent, recording = self._recorded(setting)
        except (measure.BenchError, harness.Failure) as error:
            setting.missing = Missing(str(error).splitlines()[0])
            return
        if is_counted:
            setting.add(spent, recording, self.counts, self.subject)

    def _pair(self):
        try:
            self.runner.paired(self.subject)
            self.pairs.append(paired.Pair(self.runner.products, self.runner.database,
                                          self.subject.built["plain"]))
        except (measure.BenchError, harness.Failure) as error:
            self.missing["paired"] = str(error).splitlines()[0]

    def take_turns(self, count):
        """The first turn warms caches up and is not counted."""
        for turn in range(count + 1):
            plain = self._unrecorded(self.runner.plain)
            hooks = self._unrecorded(self.runner.hooks)
            if turn:
                self.plain_turns.append(plain)
                self.hook_turns.append(hooks)
                for build in REFERENCES:
                    if "perf" not in self.missing:
                        self._sample(build)
                if "paired" not in self.missing:
                    self._pair()
            for setting in self.settings:
                if not setting.missing:
                    self._record(setting, turn > 0)

    def references(self):
        """{build: {function: samples}}, {build: two halves of them}, and {build: how well
        these agree}."""
        if "perf" in self.missing:
            return {}, {}, {}
        pairs, timed = next(((setting.inlined_pairs, setting.timed)
                             for setting in self.settings if setting.turns), ((), ()))
        halves = {build: self.samples[build].halves(pairs, timed) for build in REFERENCES}
        return ({build: self.samples[build].as_built(pairs, timed) for build in REFERENCES},
                halves,
                {build: agreement_of(both[0], both[1:]) for build, both in halves.items()
                 if both})

    @staticmethod
    def _middle(turns):
        return running.Spent(*(median([getattr(turn, key) for turn in turns])
                               for key in ("wall", "cpu", "main_ns", "main_cpu_ns")))

    def result(self):
        """All numbers, as JSON."""
        plain, hooks = self._middle(self.plain_turns), self._middle(self.hook_turns)
        references, halves, limits = self.references()
        result = {
            "program": self.subject.name, "plain": plain.as_json(),
            "hooks": hooks.as_json(), "functions": len(self.counts),
            "plain_turns": [turn.as_json() for turn in self.plain_turns],
            "hook_turns": [turn.as_json() for turn in self.hook_turns],
            "hooks_to_plain": hooks.cpu / plain.cpu,
            "missing": self.missing, "waited": median(self.waited),
            "references": {name: dict(values.most_common(50))
                           for name, values in references.items()},
            "limits": limits, "settings": []}
        if self.pairs:
            result["paired"] = paired.summary(self.pairs, self.samples["plain"].leaves, plain)
        for setting in self.settings:
            row = {"setting": setting.name}
            if setting.missing or not setting.turns:
                row["missing"] = setting.missing.reason if setting.missing else "no turn"
            else:
                row.update(setting.summary(plain, hooks))
                row["agreement"] = {build: agreement_of(reference, setting.accounts)
                                    for build, reference in references.items()}
                row["samples"] = median(setting.samples)
                row["limits"] = {
                    build: agreement_of(both[0], [thinned(both[1], number)
                                               for number in setting.samples if number])
                    for build, both in halves.items() if both}
                # Threads that wait for a CPU have more time than samples.
                if "plain" in references and not self.subject.has_threads:
                    row["functions_covered"] = coverage(
                        setting, references["plain"],
                        [turn.main_ns for turn in self.plain_turns])
                row["turns"] = setting.turns
                row["self_ns"] = dict(collections.Counter({
                    name: median([account[name] for account in setting.accounts])
                    for name in setting.accounts[0]}).most_common(50))
            result["settings"].append(row)
        return result
