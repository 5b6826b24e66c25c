# SPDX-License-Identifier: MIT
"""What the recordings are held against: exact counts, and where the plain build spends its
time, by samples (perf) and by instructions (callgrind).

Recorders by hooks see functions of the program only: what libc or the kernel does for one
of them is its own time. So samples go to the innermost frame that has hooks in the other
build, and instructions of libraries go to their callers.
"""
import collections
import json
import os
import re
import shutil

import measure

CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|localalias|llvm)\b.*|@.*")
SAMPLES_PER_SECOND = 3999
# Of perf, for two seconds of samples with 8 KiB of stack each.
BUFFER = "64M"
MOST_LOST = 0.01


def base_name(symbol):
    """A clone's time is that of the function it was made of."""
    return CLONE.sub("", symbol)


class Names:
    """One name for each function of a program: the same in all accounts of it."""

    def __init__(self, program):
        at = collections.defaultdict(set)
        for line in measure.run(["nm", "--defined-only", program]).splitlines():
            address, kind, name = line.split(" ", 2)
            if kind in "tTwW":
                at[int(address, 16)].add(base_name(name))
        # A constructor has two names for one address.
        self.first = {offset: min(names) for offset, names in at.items()}
        self.same = {name: self.first[offset] for offset, names in at.items()
                     for name in names}

    def of(self, symbol):
        name = base_name(symbol)
        return self.same.get(name, name)

    def at(self, offset):
        return self.first.get(offset, hex(offset))


def counts_of(lines, names):
    """{name: entries} of exact_counter's lines. Functions of one name count together."""
    counts = collections.Counter()
    for line in lines:
        if line.endswith(" lost"):
            raise measure.BenchError("the exact counter has too few slots")
        entries, offset, _ = line.split(" ", 2)
        counts[names.at(int(offset, 16))] += int(entries)
    return counts


class Samples:
    """Of runs of the plain build. chains: {(function, its caller, ...): number}, those that
    the compiler inlined, too; as_plain: {function: number} of those whose code it is in the
    plain build. All of functions that have hooks in the other build."""

    def __init__(self):
        self.chains, self.as_plain = collections.Counter(), collections.Counter()

    def total(self):
        return sum(self.chains.values())

    def add(self, more):
        self.chains.update(more.chains)
        self.as_plain.update(more.as_plain)

    def apart(self):
        """{function: number} of those that it was before the compiler inlined it."""
        samples = collections.Counter()
        for chain, count in self.chains.items():
            samples[chain[0]] += count
        return samples

    def as_built(self, inlined_pairs):
        """Of those that it is in the recorded build. inlined_pairs: (function, caller) of
        the copies that the compiler put into their callers there."""
        samples = collections.Counter()
        for chain, count in self.chains.items():
            apart = (pair[0] for pair in zip(chain, chain[1:]) if pair not in inlined_pairs)
            samples[next(apart, chain[-1])] += count
        return samples


FRAME = re.compile(r"\s*[0-9a-f]+ (.*) \((.*)\)")


def chains_in(text, program, instrumented, names):
    """The call chains that `perf script` prints, innermost first: of the functions in
    instrumented, those that have any."""
    for lines in text.split("\n\n"):
        frames = [FRAME.fullmatch(line) for line in lines.splitlines()]
        ours = (names.of(frame.group(1)) for frame in frames
                if frame and frame.group(2) in (program, "inlined"))
        chain = tuple(name for name in ours if name in instrumented)
        if chain:
            yield chain


def lost_share(folder, data, environment):
    """Of the samples in perf's data. They are lost in bursts: those that are left are of some
    phases of the program only."""
    text = measure.run(["perf", "report", "-i", data, "--stats"], environment, cwd=folder)
    events = dict(re.findall(r"^ *(SAMPLE|LOST|LOST_SAMPLES) events: +(\d+)$", text,
                             re.MULTILINE))
    kept, lost = int(events.get("SAMPLE", 0)), int(events.get("LOST_SAMPLES", 0))
    if "LOST events" in text and not lost:
        return 1.0  # an old perf or kernel does not know how many
    return lost / (kept + lost) if kept + lost else 0.0


def record_samples(folder, command, environment, fix):
    """Into perf.data; returns its path. At real-time priority perf has no turn while the
    program runs, and what does not fit in its buffer is lost: 82 % of bzip2's samples with
    the usual half MiB."""
    data = os.path.join(folder, "perf.data")
    measure.run(["perf", "record", "-q", "-m", BUFFER, "-o", data, "-e", "cpu-clock", "-F",
                 str(SAMPLES_PER_SECOND), "--call-graph", "dwarf", "--", *command],
                environment, cwd=folder, preexec_fn=fix)
    lost = lost_share(folder, data, environment)
    if lost > MOST_LOST:
        raise measure.BenchError(f"perf lost {lost * 100:.0f} % of its samples")
    return data


def perf_samples(folder, subject, environment, instrumented, names, fix):
    """Samples of one run of the plain build."""
    if not shutil.which("perf"):
        raise measure.BenchError("perf is not installed")
    samples = Samples()
    data = record_samples(folder, subject.command("plain"), environment, fix)
    # With --inline perf takes parts of functions that stand apart for inlined ones.
    inlined, plain = (
        list(chains_in(measure.run(["perf", "script", "-i", data, how, "--no-demangle",
                                    "-F", "ip,sym,dso"], environment, cwd=folder),
                       subject.built["plain"], instrumented, names))
        for how in ("--inline", "--no-inline"))
    samples.chains.update(inlined)
    samples.as_plain.update(chain[0] for chain in plain)
    measure.remove(data, data + ".old")
    return samples


class Callgrind:
    """A callgrind.out file: what each function spends itself and on each callee."""

    NAME = re.compile(r"\((\d+)\)(?: (.*))?")

    def __init__(self, path, names):
        self.own = collections.Counter()
        self.edges = collections.Counter()
        self.one_name = names
        self.names = {"ob": {}, "fn": {}}
        with open(path, encoding="utf-8", errors="replace") as file:
            self._read(file)

    def _name(self, space, text):
        number, name = self.NAME.fullmatch(text).groups()
        if name is not None:
            self.names[space][number] = name
        return self.names[space][number]

    def _read(self, file):
        module = called_module = function = callee = None
        is_call = False
        for line in file:
            line = line.rstrip("\n")
            word, _, text = line.partition("=")
            if word == "ob":
                module = self._name("ob", text)
            elif word == "cob":
                called_module = self._name("ob", text)
            elif word == "fn":
                function = (module, self.one_name.of(self._name("fn", text)))
            elif word == "cfn":
                callee = (called_module or module, self.one_name.of(self._name("fn", text)))
                called_module = None
            elif word == "calls":
                is_call = True
            elif line[:1] in "0123456789+-*" and line:
                cost = int(line.split()[1]) if " " in line else 0
                if is_call:
                    self.edges[function, callee] += cost
                else:
                    self.own[function] += cost
                is_call = False

    def fold_libraries(self, program, instrumented):
        """{function: instructions}, those of its libraries included: each library function
        gives what it has to its callers, as the instructions below its calls divide."""
        def is_ours(node):
            return node[0] == program and node[1] in instrumented

        callers = collections.defaultdict(dict)
        for (caller, callee), cost in self.edges.items():
            if caller != callee and not is_ours(callee) and cost:
                callers[callee][caller] = cost
        kept = collections.Counter()
        moving = collections.Counter(self.own)
        # Libraries call each other in circles; what circles is soon nothing.
        for _ in range(60):
            following = collections.Counter()
            for node, cost in moving.items():
                if is_ours(node):
                    kept[node[1]] += cost
                    continue
                total = sum(callers[node].values())
                for caller, weight in callers[node].items():
                    following[caller] += cost * weight / total
            moving = following
        return kept


def callgrind_instructions(folder, subject, environment, instrumented, names, fix):
    """{function: instructions} of one run of the plain build. Takes fifty times as long as
    the run, so that it is kept for the next time."""
    program = subject.built["plain"]
    kept = os.path.join(folder, f"callgrind-{subject.name}.json")
    key = [os.stat(program).st_mtime_ns, subject.arguments, sorted(instrumented)]
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            found = json.load(file)
        if found["key"] == key:
            return collections.Counter(found["instructions"])
    if not shutil.which("valgrind"):
        raise measure.BenchError("valgrind is not installed")
    output = os.path.join(folder, "callgrind.out")
    measure.run(["valgrind", "-q", "--tool=callgrind", "--demangle=no",
                 "--callgrind-out-file=" + output, *subject.command("plain")], environment,
                cwd=folder, preexec_fn=fix)
    account = Callgrind(output, names)
    instructions = account.fold_libraries(program, instrumented)
    measure.remove(output)
    with open(kept, "w", encoding="utf-8") as file:
        json.dump({"key": key, "instructions": instructions}, file)
    return instructions
