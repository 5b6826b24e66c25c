# SPDX-License-Identifier: MIT
"""Redis under redis-benchmark: how many requests a second a recorded server still serves.

Server and client talk through a socket file in the folder, so that no port is needed. Both
have a core of their own when there are two."""
import contextlib
import os
import re
import shutil
import subprocess

import harness
import measure
from comparing import median
from running import settings_of
from subjects import FLAGS

COMMANDS = "set,get,incr,lpush,hset,zadd"
# Requests that a client sends at once: as redis-benchmark does by itself, and as a client
# does that wants to be fast.
PIPELINES = {1: 40_000, 16: 200_000}


def build(builder):
    """{"plain": redis-server, "hooked": redis-server, "client": redis-benchmark}"""
    source, built = builder.fetch("redis"), {}
    for kind, flags in FLAGS.items():
        folder = os.path.join(builder.folder, "redis-build-" + kind)
        built[kind] = os.path.join(folder, "src", "redis-server")
        if not os.path.exists(built[kind]):
            measure.remove(folder)
            shutil.copytree(source, folder, symlinks=True)
            # Its own code has hooks, the libraries that it brings along have not.
            measure.run(["make", "-C", os.path.join(folder, "src"), f"-j{os.cpu_count()}",
                         "MALLOC=libc", "OPTIMIZATION=-O2", "DEBUG=-g",
                         "REDIS_CFLAGS=" + " ".join(flags), "redis-server",
                         "redis-benchmark"])
    built["client"] = os.path.join(os.path.dirname(built["plain"]), "redis-benchmark")
    return built


@contextlib.contextmanager
def serving(program, environment, folder):
    """A server; yields the path of its socket."""
    socket = os.path.join(folder, "redis.sock")
    measure.remove(socket)
    server = subprocess.Popen(
        [program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no"],
        env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        if not harness.wait_until(lambda: os.path.exists(socket) or
                                  server.poll() is not None):
            raise measure.BenchError("redis-server does not answer")
        yield socket
    finally:
        server.terminate()
        if server.wait(60):
            raise measure.BenchError(f"redis-server ended with {server.returncode}")


def requests_per_second(built, kind, environment, folder):
    """{(pipeline, command): number}"""
    numbers = {}
    for pipeline, count in PIPELINES.items():
        with serving(built[kind], environment, folder) as socket:
            text = measure.run([built["client"], "-s", socket, "-t", COMMANDS, "-n",
                                str(count), "-P", str(pipeline), "--csv"])
        for name, number in re.findall(r'^"([^"]+)","([\d.]+)"', text, re.MULTILINE):
            numbers[pipeline, name] = float(number)
    return numbers


def measured(builder, runner, settings, turns):
    """All numbers, as JSON."""
    built = build(builder)
    plain = harness.plain_environment()
    variants = {"plain": ("plain", plain),
                "hooks": ("hooked", {**plain, "LD_PRELOAD": runner.library["empty_hooks"]})}
    for setting in settings:
        variants[setting] = ("hooked", runner.products.environment(
            runner.database, **settings_of(setting)))

    def variant(kind, environment):
        measure.remove(runner.database, runner.database + "-spool")
        numbers = requests_per_second(built, kind, environment, runner.folder)
        if "PROFSHIM_OUTPUT" in environment:
            harness.settle(runner.products, runner.database)
        return numbers

    samples = measure.in_turn({name: lambda v=v: variant(*v) for name, v in variants.items()},
                              turns)
    result = {"server": "redis", "missing": {}, "tests": []}
    for name, sample in samples.items():
        if isinstance(sample, measure.Missing):
            result["missing"][name] = sample.reason
    if "plain" in result["missing"]:
        raise measure.BenchError(result["missing"]["plain"])
    for pipeline, command in samples["plain"][0]:
        row = {"pipeline": pipeline, "command": command}
        for name, sample in samples.items():
            if not isinstance(sample, measure.Missing):
                row[name] = median([turn[pipeline, command] for turn in sample])
        result["tests"].append(row)
    result["settings"] = [name for name in settings if name not in result["missing"]]
    return result


HEAD = f"""
{'redis':8} {'setting':12}{'pipeline':>9}{'plain':>10}{'recorded':>10}{'of plain':>10}\
{'lowest':>8}{'of hooks':>10}
{'':8} {'':12}{'':>9}{'k/s':>10}{'k/s':>10}{'%':>10}{'%':>8}{'%':>10}"""


def lines(result):
    """Medians over the commands of what is kept of their throughput."""
    if "server" not in result:
        return
    for setting in ["hooks", *result["settings"]]:
        for pipeline in PIPELINES:
            tests = [test for test in result["tests"] if test["pipeline"] == pipeline]
            kept = [test[setting] / test["plain"] for test in tests]
            of_hooks = [test[setting] / test["hooks"] for test in tests]
            yield (f"{'redis':8} {setting:12.12}{pipeline:>9}"
                   f"{median([test['plain'] for test in tests]) / 1e3:>10.0f}"
                   f"{median([test[setting] for test in tests]) / 1e3:>10.0f}"
                   f"{median(kept) * 100:>10.0f}{min(kept) * 100:>8.0f}"
                   f"{median(of_hooks) * 100:>10.0f}")


FOOT = """
Medians over the commands, and the lowest of them, of the throughput of the plain server
that is kept, and of the one with empty hooks; pipeline: requests sent at once."""
