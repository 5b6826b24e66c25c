# SPDX-License-Identifier: MIT
"""What the tests of faults and life cycles share.

A test file has functions marked @scenario; each gets a Case, with a directory of its
own, and raises harness.Failure. Every scenario runs, whatever became of the others.
"""
import os
import signal
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
import harness  # noqa: E402  (found through the line above)
from harness import Failure, expect  # noqa: E402,F401

NOBODY = 65534
scenarios = []


class LeftOut(Exception):
    """Raised by a scenario that cannot be set up here; says what is missing."""


def scenario(function):
    scenarios.append(function)
    return function


def need_root(function):
    """For what only root can set up; others are told that it was left out."""
    if os.getuid() == 0:
        return scenario(function)
    print(f"left out, not root: {function.__name__}")
    return function


class Case:
    def __init__(self, products, directory):
        self.products = products
        self.directory = directory
        self.database = self.path("run.db")
        self.settings = {}

    def path(self, name):
        return os.path.join(self.directory, name)

    def compile(self, name, **options):
        """Builds tests/host/NAME or tests/programs/NAME; the path of the program."""
        sources = [os.path.join(folder, name) for folder in (HERE, harness.HERE)]
        source, = filter(os.path.exists, sources)  # a name is in one of them only
        options.setdefault("flags", ["-pthread"])
        target = self.path(os.path.splitext(name)[0])
        return harness.compile_program(source, target, **options)

    def environment(self, **settings):
        return self.products.environment(self.database, **{**self.settings, **settings})

    def start(self, command, settings=None, **options):
        """A recorded program that runs on; its output is kept unless redirected."""
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(command, text=True, cwd=self.directory,
                                env=self.environment(**settings or {}), **options)

    def run(self, command, settings=None, **options):
        options.setdefault("cwd", self.directory)
        return harness.run(command, env=self.environment(**settings or {}), **options)

    def run_plain(self, command, brief=False, **options):
        options.setdefault("cwd", self.directory)
        environment = harness.brief_environment() if brief else harness.plain_environment()
        return harness.run(command, env=environment, **options)

    def unharmed(self, command, settings=None, brief=False, **options):
        """Runs with and without the shim; the host must not notice it, and the user gets
        at most one line on stderr. The recorded run. brief: without it the program does
        less, but prints the same."""
        plain = self.run_plain(command, brief, **options)
        recorded = self.run(command, settings, **options)
        expect(recorded.returncode == plain.returncode,
               f"ended with {recorded.returncode} instead of {plain.returncode}: "
               f"{recorded.stderr}")
        expect(recorded.stdout == plain.stdout,
               f"printed {recorded.stdout!r} instead of {plain.stdout!r}")
        added = [line for line in recorded.stderr.splitlines()
                 if line not in plain.stderr.splitlines()]
        expect(len(added) <= 1, f"more than one line on stderr: {recorded.stderr}")
        recorded.message = added[0] if added else ""
        return recorded

    def settle(self, **options):
        return harness.settle(self.products, self.database, **options)

    def value(self, sql):
        return harness.value(self.database, sql)

    def calls(self, name):
        return self.value(f"SELECT TOTAL(calls) FROM functions WHERE name = '{name}'")

    def trust(self, name):
        return self.value(f"SELECT TOTAL(value) FROM trust WHERE name = '{name}'")

    def analyze(self, *arguments, **options):
        return harness.run([self.products.analyze, *arguments], cwd=self.directory, **options)

    def is_collector(self, pid):
        """Not a child of one, which reads names for it."""
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                parent = file.read().rpartition(")")[2].split()[1]
            if not os.path.samefile(f"/proc/{pid}/exe", self.products.collector):
                return False
        except OSError:
            return False
        try:
            return not os.path.samefile(f"/proc/{parent}/exe", self.products.collector)
        except OSError:
            return True

    def collectors(self):
        """Process ids of the collectors that work in the case's directory."""
        return list(filter(self.is_collector, harness.processes_naming(self.directory)))

    def wait_for_collector(self):
        found = harness.wait_until(self.collectors)
        expect(len(found) == 1, f"one collector expected, found {found}")
        return found[0]


def share_with_nobody(directory):
    """The user nobody can read what lies there and everything above it."""
    os.chmod(directory, 0o755)


def remove(directory):
    """Ends what still works in the directory and removes it."""
    for pid in harness.processes_naming(directory):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    shutil.rmtree(directory, ignore_errors=True)


class Ended(BaseException):
    """Somebody ends the test: its time is over."""


def end(signum, frame):
    raise Ended


def run_scenario(function, products):
    """What came of it, in a line, and whether that is good."""
    directory = tempfile.mkdtemp(prefix="profshim-host-")
    started = time.monotonic()
    try:
        function(Case(products, directory))
        verdict, ok = "ok", True
    except LeftOut as reason:
        verdict, ok = f"left out: {reason}", True
    except (Failure, subprocess.TimeoutExpired) as error:
        verdict, ok = f"FAILED: {error}", False
    except Exception:  # a fault of the test is told like any other failure
        verdict, ok = "FAILED: " + traceback.format_exc(), False
    finally:
        remove(directory)
    return f"{function.__name__}: {verdict} ({time.monotonic() - started:.1f} s)", ok


def publish(build_root, directory):
    """Copies the products to where other users can read them: the checkout may lie below
    a directory that only its owner may enter."""
    share_with_nobody(directory)
    harness.keep_programs(build_root)
    for product in ("shim/libprofshim.so", "collector/profshim-collect",
                    "record/prof-record", "analyzer/prof-analyze"):
        target = os.path.join(directory, product)
        os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
        shutil.copy(os.path.join(build_root, product), target)
        os.chmod(target, 0o755)
    return harness.Products(directory)


def run_all(chosen, products):
    """Up to the one in which the test was ended."""
    results = []
    signal.signal(signal.SIGTERM, end)
    for function in chosen:
        try:
            results.append(run_scenario(function, products))
        except Ended:
            results.append((f"{function.__name__}: FAILED: the test's time is over", False))
            break
    return results


def main():
    """usage: TEST BUILD-ROOT [SCENARIO...]"""
    chosen = [function for function in scenarios
              if len(sys.argv) < 3 or function.__name__ in sys.argv[2:]]
    with tempfile.TemporaryDirectory(prefix="profshim-products-") as directory:
        products = publish(sys.argv[1], directory)
        results = run_all(chosen, products)
    # What failed first: of a long log one sees the beginning.
    for line, _ in sorted(results, key=lambda result: bool(result[1])):
        print(line, flush=True)
    sys.exit(0 if results and all(ok for _, ok in results) else 1)
