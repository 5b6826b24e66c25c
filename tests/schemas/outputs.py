# SPDX-License-Identifier: MIT
"""What prof-analyze writes as JSON: the golden cases, each with --format json, and the
commands that need a process."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", name) for name in ("reports", "programs", "exports")]
import harness  # noqa: E402  (found through the line above)
import run_golden  # noqa: E402
import servers  # noqa: E402

# these write no document, or the one of another program
WITHOUT = {"export", "flamegraph", "mcp"}
FORMATS = ("-f", "--format")


def plain(arguments):
    """Without the format that was asked for; None: it is no document."""
    kept, skip = [], False
    for one in arguments:
        if skip or one.startswith("--format="):
            skip = False
        elif one in FORMATS:
            skip = True
        else:
            kept.append(one)
    is_document = not WITHOUT & set(kept) and not {"--help", "--version", "-h"} & set(kept) \
        and not any(one.startswith(("-o", "--output")) for one in kept)
    return kept if is_document else None


def run(analyze, arguments, folder):
    """The document, or None where there is an error instead."""
    result = subprocess.run([analyze, *arguments, "-f", "json"], cwd=folder, check=False,
                            env={**os.environ, "no_proxy": "*"},
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    if result.returncode not in (0, 3, 4) or not result.stdout.startswith(b"{"):
        return None
    return json.loads(result.stdout)


def of_cases(analyze):
    """(arguments, document)"""
    with tempfile.TemporaryDirectory(prefix="profshim-schemas-") as folder:
        run_golden.make_databases(folder, run_golden.CASES)
        seen = set()
        for arguments, _ in run_golden.CASES.values():
            arguments = plain(arguments)
            if arguments is None or tuple(arguments) in seen:
                continue
            seen.add(tuple(arguments))
            document = run(analyze, arguments, folder)
            if document:
                yield " ".join(arguments), document


def of_processes(products):
    """snapshot needs somebody who is recorded."""
    with tempfile.TemporaryDirectory(prefix="profshim-schemas-") as folder:
        environment = products.environment(os.path.join(folder, "run.db"))
        with subprocess.Popen(["/bin/cat"], env=environment, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdin.write(b"x\n")
            process.stdin.flush()
            process.stdout.readline()
            yield "snapshot", run(products.analyze, ["snapshot", str(process.pid), "here"], folder)
            process.stdin.close()
        harness.settle(products, os.path.join(folder, "run.db"))
        for command in ("report", "functions", "tree", "memory", "leaks", "doctor", "runs",
                        "resources", "locks", "io", "critical", "delta", "components",
                        "bottlenecks", "compare"):
            yield f"{command}, recorded", run(products.analyze, [command, "run.db"], folder)
        with servers.misbehaving() as port:
            yield "push", run(products.analyze, ["push", f"http://127.0.0.1:{port}/fine", "run.db"],
                              folder)
            yield "fleet", run(products.analyze, ["fleet", "check", f"clickhouse://127.0.0.1:{port}"],
                               folder)


def collect(build):
    products = harness.Products(build)
    return [*of_cases(products.analyze), *of_processes(products)]
