# SPDX-License-Identifier: MIT
"""What the recordings are held against: exact counts, and where the program spends its time,
by perf's samples of the recorded program, of the build with hooks that do nothing, and of the
plain one.

A library's function has its own instructions in all accounts. What the kernel does for a
function is its own time, and so is what a call of libc does that the recorder times (read(),
fread()), of who called it. Samples in the program go to the innermost frame that has hooks in
the recorded build. The hooks' own are left out.
"""
import collections
import mmap
import os
import re
import shutil
import struct

import measure

CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|localalias|llvm)\b.*|@.*")
SAMPLES_PER_SECOND = 1499
# Of perf, for five seconds of samples with 8 KiB of stack each.
BUFFER = "64M"
MOST_LOST = 0.01
# Hooks, and the code beside the program that only counts.
HOOKS = re.compile(r"(.*/)?(empty_hooks\.so|libprofshim\.so|perf-\d+\.map|//anon|\[unknown\])")


# What processors and aliases make of one function's name.
VARIANT = re.compile(r"(_(sse\d*|ssse3|avx\w*|evex\w*|erms|unaligned|movbe|rtm|nonstandard))+$")
ALIASES = {"memmove": "memcpy", "cfree": "free"}


def library_name(symbol):
    """As the two sides name a function of a library."""
    name = re.sub(r"^(__GI_)?_*(libc_|IO_)?", "", VARIANT.sub("", base_name(symbol)))
    return "lib:" + ALIASES.get(name, name)


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

    def has(self, symbol):
        return base_name(symbol) in self.same

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
    """Of runs of one build. runs: [{(library, (function, its caller, ...)): number}], of
    each run, those that the compiler inlined, too; all of functions that have hooks.
    library: (the function of a library that has the instruction, the one that the program
    called), or twice "". leaves: [{function: number}] by nothing but the instruction."""

    def __init__(self):
        self.runs, self.leaves = [], []

    def add(self, stacks, program, instrumented, names):
        chains = (chain_in(frames, program, instrumented, names) for frames in stacks)
        leaves = (leaf_in(frames, program, names) for frames in stacks)
        self.runs.append(collections.Counter(chain for chain in chains if any(chain[0])
                                             or chain[1]))
        self.leaves.append(collections.Counter(name for name in leaves if name))

    def total(self):
        return sum(sum(run.values()) for run in self.runs)

    def as_built(self, inlined_pairs, timed=(), runs=None):
        """Of those that it is in the recorded build. inlined_pairs: (function, caller) of
        the copies that the compiler put into their callers there. timed: names of the
        library's functions that the recorder times. runs: some of them."""
        samples = collections.Counter()
        for run in self.runs if runs is None else runs:
            for (library, called), chain, count in (
                    (*key, count) for key, count in run.items()):
                if library and (called not in timed or not chain):
                    samples[library] += count
                    continue
                apart = (pair[0] for pair in zip(chain, chain[1:])
                         if pair not in inlined_pairs)
                samples[next(apart, chain[-1])] += count
        return samples

    def halves(self, inlined_pairs, timed):
        """Two accounts of the same: every second run; None where there is only one."""
        if len(self.runs) < 2:
            return None
        return [self.as_built(inlined_pairs, timed, self.runs[half::2]) for half in (0, 1)]


FRAME = re.compile(r"\s*([0-9a-f]+) (.*) \((.*)\)")


def stacks_in(text):
    """The stacks that `perf script` prints: [(address, symbol, module)], innermost first. Of
    what is inlined the module is "inlined"."""
    for lines in text.split("\n\n"):
        frames = [FRAME.fullmatch(line) for line in lines.splitlines()]
        frames = [frame.groups() for frame in frames if frame]
        if frames:
            yield frames


def module_of(frames):
    """Whose code it is, which may have been on its way through the kernel."""
    own = [frame for frame in frames if "kernel" not in frame[2]]
    # Of some code of libc perf calls all of it inlined: the next module is its caller's.
    if own and any(symbol.startswith("__GI_") or VARIANT.search(symbol)
                   for at, symbol, module in own
                   if at == own[0][0] and module == "inlined"):
        return "libc"
    return next((module for _, _, module in own if module != "inlined"), "")


def library_in(frames, program):
    """(The function of a library that has the instruction, the one that the program called).
    """
    if module_of(frames) == program:
        return "", ""
    own = [frame for frame in frames if "kernel" not in frame[2]]
    symbols = []
    for at, symbol, module in own:
        if module == program:
            break
        if not symbols or at != symbols[-1][0]:
            symbols.append([at, symbol])
        symbols[-1][1] = symbol
    return (library_name(symbols[0][1]), library_name(symbols[-1][1])) if symbols else ("", "")


def chain_in(frames, program, instrumented, names):
    """library_in(), and the functions in instrumented, innermost first; nothing of hooks."""
    if HOOKS.fullmatch(module_of(frames)):
        return ("", ""), ()
    chain = tuple(name for name in (names.of(symbol) for _, symbol, module in frames
                                    if module in (program, "inlined"))
                  if name in instrumented)
    return library_in(frames, program), chain


def leaf_in(frames, program, names):
    """The function that has the program's own instruction, also one that is inlined there;
    None where that is in no code of the program."""
    own = [frame for frame in frames if "kernel" not in frame[2]]
    own = [frame for frame in own if frame[0] == own[0][0]]
    modules = {module for _, _, module in own}
    # Of code that the compiler took out of a function (.part.0) perf prints that as inlined.
    if program in modules or modules == {"inlined"} and names.has(own[-1][1]):
        return names.of(own[0][1])
    return None


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


COMM, MMAP2, IS_EXEC = 3, 10, 1 << 13
COMM_LENGTH = 15  # of a process's name
READ, EXECUTE = 1, 4
# Bits of perf's sample_type whose words stand behind the time of every event.
BEHIND_TIME = (1 << 6, 1 << 7, 1 << 9, 1 << 16)


def events_in(data):
    """(type, misc, offset, size) of processes' names and maps, in the order of time: perf
    wrote what each processor had, one after the other."""
    at, = struct.unpack_from("<Q", data, 24)
    kinds, = struct.unpack_from("<Q", data, at + 24)
    behind = 8 + 8 * sum(bool(kinds & bit) for bit in BEHIND_TIME)
    offset, size = struct.unpack_from("<QQ", data, 40)
    end, events = offset + size, []
    while offset < end:
        kind, misc, length = struct.unpack_from("<IHH", data, offset)
        if kind in (COMM, MMAP2):
            time, = struct.unpack_from("<Q", data, offset + length - behind)
            events.append((time, len(events), kind, misc, offset, length))
        offset += length
    return [event[2:] for event in sorted(events)]


def misleading_maps(data):
    """Offsets of the names of maps after which perf unwinds no code of that file: it takes
    the lowest map of it for where the code begins. Of what the process was before it was
    executed, and of files that it only reads: the recorder reads tables of libraries."""
    before, code = collections.defaultdict(list), collections.defaultdict(set)
    for kind, misc, offset, length in events_in(data):
        pid, = struct.unpack_from("<I", data, offset + 8)
        if kind == COMM and misc & IS_EXEC:
            yield from before[pid]
            before[pid], code[pid] = [], set()
        if kind == COMM:
            continue
        name = data[offset + 72:offset + length].split(b"\0")[0]
        begin, = struct.unpack_from("<Q", data, offset + 32)
        access, = struct.unpack_from("<I", data, offset + 64)
        before[pid].append(offset + 72)
        if access & EXECUTE:
            code[pid].add(name)
        elif access == READ and not begin and name in code[pid]:
            yield offset + 72


def hide_maps(path):
    """Changes the names of those. Else half of the recorded runs had nobody's malloc()."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        for offset in list(misleading_maps(data)):
            data[offset:offset + 1] = b"-"


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
    hide_maps(data)
    return data


def perf_stacks(folder, program, command, environment, fix):
    """Those of one run of a command, as far as they are of that program: the recorder has
    processes of its own, which are busy in the same libraries."""
    if not shutil.which("perf"):
        raise measure.BenchError("perf is not installed")
    data = record_samples(folder, command, environment, fix)
    text = measure.run(["perf", "script", "-i", data, "--inline", "--no-demangle", "-F",
                        "ip,sym,dso", "--comms", os.path.basename(program)[:COMM_LENGTH]],
                       environment, cwd=folder)
    measure.remove(data, data + ".old")
    return list(stacks_in(text))
