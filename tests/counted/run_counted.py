#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs whose functions are switched between ways of recording: each call is counted.

usage: run_counted.py BUILD_ROOT READ_COUNTS PROGRAM [VARIANT]

A program counts in each function's body and says what it counted; what the segment files
hold must be the same. No collector takes part.
"""
import glob
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import harness  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Function:
    """What the segment files hold of one."""

    def __init__(self, fields):
        self.calls, self.counted, self.least, self.sites, self.early, \
            self.changes = (int(field) for field in fields)


def read_counts(tool, spool):
    files = glob.glob(os.path.join(spool, "*", "*.segment"))
    harness.expect(files, "no segment file was left")
    result = harness.run([tool, *files])
    harness.expect(result.returncode == 0, f"what was left does not hold:\n{result.stderr}")
    lines = [line.split() for line in result.stdout.splitlines()]
    return {int(line[1], 16): Function(line[2:]) for line in lines if line[0] == "function"}, \
        result.stdout


def compare(said, functions, text):
    """said: the program's output. Returns the functions by name."""
    found = {}
    wrong = []
    for line in said.splitlines():
        if not line.startswith("calls "):
            continue
        _, name, address, count = line.split()
        function = functions.get(int(address, 16))
        found[name] = function
        calls = function.calls if function else 0
        # a thread that was killed may have been between the hook and the body
        most = int(count) + (KILLED_THREADS if "killed" in said else 0)
        if not int(count) <= calls <= most:
            wrong.append(f"{name} was called {count} times, {calls} are recorded")
    harness.expect(found, "the program said nothing")
    harness.expect(not wrong, "\n".join(wrong + [text]))
    return found


class Skipped(Exception):
    """The kernel cannot what the program needs."""


def record(products, tool, folder, command, settings=()):
    """Runs a program and compares. Returns (functions by name, read_counts' text)."""
    output = os.path.join(folder, "run.db")
    environment = products.environment(output, PROFSHIM_COLLECTOR="/nonexistent",
                                       **{"PROFSHIM_OVERHEAD": "0.1", **dict(settings)})
    result = harness.run(command, env=environment)
    if result.returncode == SKIPPED:
        raise Skipped
    harness.expect(result.returncode == 0,
                   f"{command} ended with {result.returncode}\n{result.stdout}{result.stderr}")
    functions, text = read_counts(tool, output + "-spool")
    return compare(result.stdout, functions, text), text


# Compiler, options, hooks by the compiler's own option.
VARIANTS = {
    "gcc": ("gcc", "-O2", []),
    "gcc-0": ("gcc", "-O0", []),
    "gcc-shared": ("gcc", "-O2 -fPIC", []),
    "gcc-slots": ("gcc", "-O2 -fno-plt", []),
    "gcc-fixed": ("gcc", "-O2 -fno-pie", ["-no-pie"]),
    "gcc-3": ("gcc", "-O3", []),
    "gcc-hardened": ("gcc", "-O2 -fcf-protection=full -fstack-protector-all "
                     "-fstack-clash-protection", ["-Wl,-z,ibtplt,-z,now"]),
    "gcc-large": ("gcc", "-O2 -mcmodel=large -fno-pie", ["-no-pie"]),
    "gcc-lazy": ("gcc", "-O2", ["-Wl,-z,lazy"]),
    "gcc-lto": ("gcc", "-O2 -flto", []),
    "gcc-size": ("gcc", "-Os -freorder-blocks-and-partition", []),
    "clang": ("clang", "-O2", []),
    "clang-0": ("clang", "-O0", []),
    "clang-3": ("clang", "-O3 -fPIC", []),
    "clang-slots": ("clang", "-O2 -fno-plt", []),
}


def run_variant(products, tool, program, variant, arguments=(), settings=()):
    """Builds the program and compares. settings: of its environment."""
    compiler, options, flags = VARIANTS[variant]
    with tempfile.TemporaryDirectory(prefix="profshim-counted-") as folder:
        target = os.path.join(folder, "program")
        harness.compile_program(os.path.join(HERE, program), target, compiler, options,
                                [*flags, "-lpthread", *(["-Wno-infinite-recursion"] if compiler == "gcc" else [])])
        return record(products, tool, folder, [target, *arguments], settings)


# Of each program: variants, arguments, functions that must have been only counted, and
# settings of its environment.
PROGRAMS = {
    "crowd.c": (["gcc", "clang"], [], ["step", "deeper"]),
    "deepening.c": (list(VARIANTS), ["120"],
                    ["leaf", "even", "odd", "roomy", "exits", "tail", "inlined",
                     "choose"]),
    "generating.c": (["gcc"], [], ["step", "made"]),
    "killed.c": (["gcc"], [], ["step", "deeper"]),
    "offspring.c": (["gcc"], ["120", "with a thread"], ["step", "third"]),
    # functions are known by their addresses, in relatives, too
    "relatives.c": (["gcc-fixed"], [], ["step", "deeper", "third"]),
    "routines.c": (["gcc", "clang-0"], [], ["step", "yielding"]),
    "tosses.cpp": (["gcc", "clang"], [], ["carry", "guarded", "short_one"]),
}


KILLED_THREADS = 3  # killed.c
MAY_BE_WRITTEN = ("pages", "room", "bare")
SEALED = ("refuse", "kill")  # by a filter: after it there may be no room for what is switched
SKIPPED = 77  # the exit status of a program on a kernel that cannot


def build(source, folder, name, *flags):
    """Builds with gcc, as most are built."""
    return harness.compile_program(os.path.join(HERE, source), os.path.join(folder, name),
                                   "gcc", "-O2", flags)


def check_plugins(products, tool):
    """Libraries that are loaded and unloaded, at one place in turns."""
    with tempfile.TemporaryDirectory(prefix="profshim-counted-") as folder:
        libraries = [build("plug.c", folder, f"plug{number}.so", "-shared", "-fPIC",
                           f"-DNUMBER={number}") for number in (1, 2)]
        found, text = record(products, tool, folder,
                             [build("plugging.c", folder, "plugging"), "60", *libraries])
        harness.expect(any(function.counted for name, function in found.items()
                           if name.startswith("plugged")), f"what is loaded was not switched\n{text}")


def check_forbidding(products, tool):
    """Programs that forbid code to be written, before and after it has been."""
    with tempfile.TemporaryDirectory(prefix="profshim-counted-") as folder:
        program = build("forbidding.c", folder, "forbidding")
        for what in ("mdwe", "refuse", "kill", "pages", "room", "writes", "called", "bare",
                     "mapped", "moved", "reads"):
            for moment in ([], ["early"]):
                output = tempfile.mkdtemp(dir=folder)
                settings = {"PROFSHIM_PATCH": "off"} if what == "reads" else {}
                try:
                    found, text = record(products, tool, output, [program, what, *moment],
                                         settings)
                except Skipped:
                    print(f"{what}: this kernel cannot")
                    continue
                sites = found["step"].sites
                if what == "reads":  # counted by the hooks
                    harness.expect(found["other"].counted > 0.8 * found["other"].calls,
                                   f"{what}: too exact\n{text}")
                for name in ("step", "late"):
                    harness.expect(found[name].counted or
                                   what in SEALED and (moment or name == "late"),
                                   f"{what}: {name} was not switched\n{text}")
                harness.expect(found["late"].sites or what != "bare",
                               f"{what}: code was not written\n{text}")
                harness.expect(not sites or what in MAY_BE_WRITTEN or
                               not moment and what != "reads",
                               f"{what}: code was written\n{text}")


def check_moving(products, tool):
    with tempfile.TemporaryDirectory(prefix="profshim-counted-") as folder:
        found, text = record(products, tool, folder, [build("moving.c", folder, "moving")])
        for name in ("moving", "pushing"):
            harness.expect(found[name].counted, f"{name} was not switched\n{text}")
        harness.expect(" repaired 0 " in text, f"frames were left open\n{text}")


def check_slots(products, tool):
    """Children that have functions switched leave slots that others go on in."""
    with tempfile.TemporaryDirectory(prefix="profshim-counted-") as folder:
        found, text = record(products, tool, folder,
                             [build("offspring.c", folder, "offspring"), "300"])
        processes = sum(line.startswith("process") for line in text.splitlines())
        harness.expect(found["step"].counted, f"nothing was switched\n{text}")
        harness.expect(processes < 100, f"300 children took {processes} slots")


SCENARIOS = {"moving": check_moving, "slots": check_slots,
             "plugging": check_plugins, "forbidding": check_forbidding}


def check_variant(products, tool, program, variant):
    _, arguments, counted = PROGRAMS[program]
    found, text = run_variant(products, tool, program, variant, arguments)
    for name in counted:
        harness.expect(found[name].counted, f"{name} was not switched\n{text}")
        harness.expect(found[name].sites or variant == "gcc-large" or name == "made",
                       f"no call of a hook in {name} was led elsewhere\n{text}")
    return found


def main():
    products = harness.Products(sys.argv[1])
    program = os.path.basename(sys.argv[3])
    if program in SCENARIOS:
        SCENARIOS[program](products, sys.argv[2])
        return
    failed = 0
    for variant in sys.argv[4:] or PROGRAMS[program][0]:
        try:
            found = check_variant(products, sys.argv[2], program, variant)
            print(f"{program} {variant}: " + ", ".join(
                f"{name} {function.calls} ({function.counted} counted, {function.early} early)"
                for name, function in found.items() if function))
        except harness.Failure as failure:
            print(f"{program} {variant}: {failure}")
            failed = 1
    sys.exit(failed)


main()
