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


def perf_chains(folder, data, how, environment):
    """The call chains in perf's data, innermost first, as lists of (symbol, module)."""
    text = measure.run(["perf", "script", "-i", data, how, "--no-demangle", "-F",
                        "ip,sym,dso"], environment, cwd=folder)
    for chain in text.split("\n\n"):
        frames = [re.fullmatch(r"\s*[0-9a-f]+ (.*) \((.*)\)", line)
                  for line in chain.splitlines()]
        yield [(frame.group(1), frame.group(2)) for frame in frames if frame]


def perf_samples(folder, subject, environment, instrumented, names, fix):
    """Samples of one run of the plain build: {function: number} of those whose code it is,
    and of those that it was before the compiler inlined it."""
    if not shutil.which("perf"):
        raise measure.BenchError("perf is not installed")
    program, data = subject.built["plain"], os.path.join(folder, "perf.data")
    measure.run(["perf", "record", "-q", "-o", data, "-e", "cpu-clock", "-F",
                 str(SAMPLES_PER_SECOND), "--call-graph", "dwarf", "--",
                 *subject.command("plain")], environment, cwd=folder, preexec_fn=fix)
    result = []
    for how, modules in (("--no-inline", [program]), ("--inline", [program, "inlined"])):
        samples = collections.Counter()
        for chain in perf_chains(folder, data, how, environment):
            ours = (names.of(symbol) for symbol, module in chain if module in modules)
            name = next((name for name in ours if name in instrumented), None)
            if name:
                samples[name] += 1
        result.append(samples)
    measure.remove(data, data + ".old")
    return result


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
