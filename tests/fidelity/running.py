# SPDX-License-Identifier: MIT
"""Runs a subject as it is, with hooks that do nothing, counted, or recorded."""
import ctypes
import os
import subprocess
import time

import harness
import measure

HERE = os.path.dirname(os.path.abspath(__file__))
NO_RANDOM_ADDRESSES = 0x0040000  # personality(2)
# The variables that every run has beside the machine's own: gawk makes an element of an
# array, with calls, of each variable that it finds.
VARIABLES = 12


def fix_addresses():
    """In the child, before the program: its addresses are the same in each run."""
    ctypes.CDLL(None).personality(NO_RANDOM_ADDRESSES)


class Spent:
    """What a run took: the command's wall and CPU time in seconds, main()'s in ns."""

    def __init__(self, wall, cpu, main_ns=None, main_cpu_ns=None):
        self.wall, self.cpu = wall, cpu
        self.main_ns, self.main_cpu_ns = main_ns, main_cpu_ns

    def waited(self, main_ns=None):
        """The share of main()'s time in which the program had no CPU; of one thread."""
        return max(0.0, 1 - (self.main_cpu_ns or self.cpu * 1e9) / (main_ns or self.main_ns))

    def as_json(self):
        return {"wall_s": self.wall, "cpu_s": self.cpu, "main_ns": self.main_ns,
                "main_cpu_ns": self.main_cpu_ns}


def settings_of(text):
    """"default", "exact" or "overhead=10" or "level=full+overhead=3": variables of the shim."""
    if text == "default":
        text = "full"  # which it is; tests' plain environment asks for exact
    variables = {}
    for part in text.split("+"):
        name, _, value = part.rpartition("=")
        variables["PROFSHIM_" + (name or "level").upper()] = value
    return variables


def environment_of(variables, of_recorder=0):
    """The plain environment and these, and so many more that there are always as many.
    of_recorder: how many the recorder adds by itself."""
    plain = harness.plain_environment()
    spare = VARIABLES - len(variables.keys() - plain.keys()) - of_recorder
    return {**plain, **variables,
            **{f"FIDELITY_SPARE_{number}": "" for number in range(spare)}}


class Runner:
    """All runs of one folder. products: of a built tree (harness.Products)."""

    def __init__(self, folder, products):
        self.folder, self.products = folder, products
        self.database = os.path.join(folder, "run.db")
        self.library = {name: self._library(name)
                        for name in ("empty_hooks", "main_clock", "exact_counter")}

    def _library(self, name):
        target = os.path.join(self.folder, name + ".so")
        measure.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-shared", "-fPIC",
                     os.path.join(HERE, name + ".c"), "-o", target, "-ldl"])
        return target

    def spend(self, subject, command, environment):
        """Runs it with its output thrown away."""
        started = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            preexec_fn=fix_addresses if subject.fixed_addresses else None)
        with process.stderr:
            errors = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise measure.BenchError(
                f"{subject.name} ended with {process.returncode}: {errors[-500:]}")
        return Spent(wall, usage.ru_utime + usage.ru_stime)

    def clocked(self, subject, kind, libraries=()):
        """Without a recorder; main() is timed by tests/fidelity/main_clock.c."""
        path = os.path.join(self.folder, "main-clock")
        measure.remove(path)
        preloads = [self.library[name] for name in ("main_clock", *libraries)]
        spent = self.spend(subject, subject.command(kind),
                           environment_of({"FIDELITY_CLOCK": path,
                                           "LD_PRELOAD": ":".join(preloads)}))
        try:
            with open(path, encoding="utf-8") as file:
                spent.main_ns, spent.main_cpu_ns = map(int, file.read().split())
        except (OSError, ValueError) as error:
            raise measure.BenchError(f"{subject.name}: nobody timed main()") from error
        return spent

    def plain(self, subject):
        return self.clocked(subject, "plain")

    def hooks(self, subject):
        return self.clocked(subject, "hooked", ["empty_hooks"])

    def counted(self, subject):
        """Lines of tests/fidelity/exact_counter.c."""
        path = os.path.join(self.folder, "counts")
        measure.remove(path)
        self.spend(subject, subject.command("hooked"),
                   environment_of({"FIDELITY_COUNTS": path,
                                   "LD_PRELOAD": self.library["exact_counter"]}))
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def _recording(self, setting):
        """The variables for one, into self.database."""
        measure.remove(self.database, self.database + "-spool")
        return {"LD_PRELOAD": self.products.library, "PROFSHIM_OUTPUT": self.database,
                **settings_of(setting)}

    def command(self, subject, build, setting=None):
        """Of one build: "plain"; "hooked", with hooks that do nothing; or "recorded"."""
        if build == "plain":
            return subject.command(build)
        variables = self._recording(setting) if build == "recorded" else \
            {"LD_PRELOAD": self.library["empty_hooks"]}
        return ["env", *[f"{name}={value}" for name, value in variables.items()],
                *subject.command("hooked")]

    def recorded(self, subject, setting):
        """Into self.database, which is complete when this returns."""
        variables = self._recording(setting)
        # The shim tells children of its run by a variable, PROFSHIM_RUN.
        spent = self.spend(subject, subject.command("hooked"),
                           environment_of(variables, of_recorder=1))
        harness.settle(self.products, self.database)
        return spent

    def paired(self, subject):
        """One run of each build, by prof-record --plain."""
        measure.remove(self.database, self.database + "-spool")
        self.spend(subject, [self.products.record, "-q", "-o", self.database, "--plain",
                             subject.built["plain"], "--", *subject.command("hooked")],
                   environment_of(settings_of("default"), of_recorder=1))
        harness.settle(self.products, self.database)
