# SPDX-License-Identifier: MIT
"""Is a recording there, whole, and are its books in order?"""
import os
import sqlite3
import subprocess

# None of the programs has hooks, so none has anything to repair.
ZERO = ("unknown_frees", "lost_frees", "dropped_allocations", "repaired_frames",
        "orphan_exits", "hook_calls", "lost_processes", "damaged_segments",
        "collector_recovered")


def problems_of(case, products, directory):
    """directory: where the recorded run was told to put run.db, and nothing else."""
    database = os.path.join(directory, "run.db")
    names = sorted(os.listdir(directory))
    if not case.is_recorded:
        return [f"{name} was written" for name in names]
    problems = [f"{name} is left" for name in names if name != "run.db"]
    if "run.db" not in names:
        return problems + ["no run.db"]
    try:
        problems += problems_in(case, database)
    except sqlite3.Error as error:
        return problems + [f"run.db: {error}"]
    report = subprocess.run([products.analyze, database], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, check=False, timeout=120)
    if report.returncode not in (0, 4):
        problems.append(f"prof-analyze: {report.returncode} {report.stderr.strip()[:200]}")
    return problems


def problems_in(case, database):
    problems = []
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        runs = connection.execute("SELECT run_id FROM runs").fetchall()
        # What a signal has killed is not complete, and says so: that is not a fault. Nor
        # is it one when a process that lived for a moment had been reaped before the
        # collector, on a busy machine, could look how it ended.
        unseen = connection.execute("SELECT COUNT(*) FROM processes WHERE NOT complete AND "
                                    "exit_signal IS NULL AND wall_ns > 100000000"
                                    ).fetchone()[0]
        trust = connection.execute(
            "SELECT name, SUM(value), MAX(text) FROM trust GROUP BY name").fetchall()
        processes = connection.execute("SELECT COUNT(*) FROM processes").fetchone()[0]
    finally:
        connection.close()
    if len(runs) != 1:
        problems.append(f"{len(runs)} runs")
    if unseen and "incomplete" not in case.allowed:
        problems.append(f"incomplete: the end of {unseen} processes")
    if not processes:
        problems.append("no process")
    for name, value, text in trust:
        if name in case.allowed or not value:
            continue
        if name in ZERO:
            problems.append(f"{name} {value}")
        elif name.startswith("note_"):
            problems.append(text or name)
    return problems
