# SPDX-License-Identifier: MIT
"""How the benchmark measures: variants of a command run in turn, again and again.

Turn by turn, because a machine gets slower and faster by itself: what is compared must
have been measured at the same time. A variant is a function that runs its command once
and returns a number; a peer that is missing is a Missing, which says why.
"""
import contextlib
import os
import re
import resource
import shutil
import statistics
import subprocess
import time


class Missing:
    """Stands for a variant that cannot be run here."""

    def __init__(self, reason):
        self.reason = reason


class BenchError(Exception):
    pass


def run(command, environment=None, **options):
    """Runs a command that must end with status 0; its standard output."""
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, errors="replace", check=False,
                            **options)
    if result.returncode:
        raise BenchError(f"{' '.join(command)} ended with {result.returncode}:\n"
                         f"{result.stdout[-500:]}{result.stderr[-1500:]}")
    return result.stdout


def printed_ns(output):
    """The ns=NUMBER that the programs in tests/bench print."""
    return float(re.search(r"\bns=([\d.]+)", output).group(1))


def wall_seconds(command, environment=None, **options):
    """From the start of a command to the moment the user has the prompt again."""
    started = time.perf_counter()
    run(command, environment, **options)
    return time.perf_counter() - started


def wall_and_memory(command):
    """(seconds, most resident bytes) of one command."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchError(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, usage.ru_maxrss * 1024


def in_turn(variants, rounds):
    """{name: function or Missing} -> {name: list of numbers or Missing}. The first turn
    warms caches up and is not counted."""
    samples = {name: variant if isinstance(variant, Missing) else []
               for name, variant in variants.items()}
    for turn in range(rounds + 1):
        for name, variant in variants.items():
            if isinstance(samples[name], Missing):
                continue
            try:
                number = variant()
            except (BenchError, OSError) as error:
                samples[name] = Missing(str(error).splitlines()[0])
                continue
            if turn:
                samples[name].append(number)
    return samples


def middle(samples):
    """The median, or None for what is missing."""
    return None if isinstance(samples, Missing) or not samples \
        else statistics.median(samples)


def build_tools(folder, root, say):
    """A build of profshim as a user would make it: optimised, without tests."""
    build = os.path.join(folder, "profshim")
    say("building profshim")
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run(["meson", "setup", build, root, "-Dtests=false", "--buildtype=debugoptimized"])
    run(["ninja", "-C", build])
    return build


def folder_bytes(path):
    """Bytes of a file, or of all files below a directory."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(path) for name in names)


def remove(*paths):
    """Files and folders. A collector may still be at work in a spool: then again."""
    for path in paths:
        for _ in range(200):
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                os.remove(path)
            if not os.path.exists(path):
                break
            time.sleep(0.01)


def machine():
    """What the numbers depend on."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return {"cpu": model.group(1).strip() if model else "unknown CPU",
            "cpu_count": os.cpu_count(), "kernel": os.uname().release,
            "compiler": run(["gcc", "-dumpfullversion"]).strip(),
            "page_size": resource.getpagesize()}
