# SPDX-License-Identifier: MIT
"""Runs cases, several at a time: plain, plain, recorded; and judges them."""
import concurrent.futures
import dataclasses
import multiprocessing
import os
import shutil
import subprocess

import books
import compare
import inputs
import sandbox

FIRST_PORT = 23400
PORTS_OF_SLOT = 20
MORE_PLAIN_RUNS = 2  # before a difference is believed


@dataclasses.dataclass
class Verdict:
    case: object
    differences: list = dataclasses.field(default_factory=list)
    varying: list = dataclasses.field(default_factory=list)
    books: list = dataclasses.field(default_factory=list)
    is_installed: bool = True
    status: object = None
    plain_seconds: float = 0
    recorded_seconds: float = 0

    @property
    def is_passed(self):
        return self.is_installed and not self.differences and not self.books


@dataclasses.dataclass
class Products:
    """Copies where any user can read them, which a new build does not change."""
    library: str
    analyze: str


@dataclasses.dataclass
class Setting:
    base: str
    products: Products
    timeout: float
    keep: str
    installed: set
    variables: dict  # of the recorder


def installed_packages():
    listing = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\\n"],
                             capture_output=True, text=True, check=False).stdout
    return {line.split()[1] for line in listing.splitlines() if line.startswith("installed ")}


def set_up(base, build, timeout, keep, variables):
    """build: a built tree; variables: more of them for the recorded runs."""
    os.chmod(base, 0o755)
    folder = os.path.join(base, "products")
    for path in ("shim/libprofshim.so", "collector/profshim-collect",
                 "analyzer/prof-analyze"):
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(build, path), target)
    made = os.path.join(base, "inputs")
    os.mkdir(made)
    inputs.make_all(made)
    return Setting(base, Products(os.path.join(folder, "shim", "libprofshim.so"),
                                  os.path.join(folder, "analyzer", "prof-analyze")),
                   timeout, keep, installed_packages(), variables)


class Slot:
    """What one worker process has to itself."""
    setting = None
    directory = ""
    port = 0


def start_worker(setting, numbers):
    number = numbers.get()
    Slot.setting = setting
    Slot.directory = os.path.join(setting.base, f"slot{number}")
    Slot.port = FIRST_PORT + number * PORTS_OF_SLOT
    sandbox.become_subreaper()


def run_once(case, name, extra):
    outcome = sandbox.run(case, Slot.directory, os.path.join(Slot.setting.base, "inputs"),
                          Slot.port, case.timeout or Slot.setting.timeout, extra)
    if Slot.setting.keep:
        target = os.path.join(Slot.setting.keep, case.name, name)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Slot.directory, target, symlinks=True, copy_function=keep_file)
    return outcome


def keep_file(source, target, *, follow_symlinks=True):
    if os.path.isfile(source) or os.path.islink(source):
        shutil.copy2(source, target, follow_symlinks=follow_symlinks)


def judge(case):
    try:
        return judge_runs(case)
    except (OSError, KeyError) as error:
        return Verdict(case, [f"cannot be run: {error}"])


def judge_runs(case):
    verdict = Verdict(case)
    if not set(case.packages) <= Slot.setting.installed:
        verdict.is_installed = False
        return verdict
    plain = [run_once(case, "plain1", {})]
    if plain[0].status == "timed out":
        verdict.differences = ["timed out without the shim: not a usable case"]
        return verdict
    plain.append(run_once(case, "plain2", {}))
    directory = os.path.join(Slot.directory, "record")
    recorded = run_once(case, "recorded",
                        {"LD_PRELOAD": Slot.setting.products.library,
                         "PROFSHIM_OUTPUT": os.path.join(directory, "run.db"),
                         **Slot.setting.variables})
    verdict.books = books.problems_of(case, Slot.setting.products, directory)
    if compare.differences(case, plain, recorded)[0]:
        plain += [run_once(case, f"plain{3 + i}", {}) for i in range(MORE_PLAIN_RUNS)]
    verdict.differences, verdict.varying = compare.differences(case, plain, recorded)
    verdict.status = plain[0].status
    verdict.plain_seconds = min(outcome.seconds for outcome in plain)
    verdict.recorded_seconds = recorded.seconds
    return verdict


def judge_all(cases, setting, jobs):
    """Yields verdicts in the order of the cases."""
    context = multiprocessing.get_context("fork")
    numbers = context.Queue()
    for number in range(jobs):
        numbers.put(number)
    with concurrent.futures.ProcessPoolExecutor(
            jobs, context, initializer=start_worker,
            initargs=(setting, numbers)) as executor:
        yield from executor.map(judge, cases)
