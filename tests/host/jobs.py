#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs of a launcher: every rank knows which one it is of which job, and compare takes
jobs for repetitions."""
import os
import shutil
import subprocess

import host
from host import LeftOut, expect, scenario

RANKS = 4


def program(case):
    return [case.compile("calls.c")]


def rows(case, sql, database=None):
    return host.harness.query(database or case.database, sql)


def record_job(case, job, database):
    """All ranks at once, by the variables that Open MPI's mpirun sets."""
    command = program(case)
    started = [case.start(command, {
        "PROFSHIM_OUTPUT": database, "OMPI_COMM_WORLD_RANK": str(rank),
        "OMPI_COMM_WORLD_SIZE": str(RANKS), "OMPI_MCA_ess_base_jobid": str(job)})
        for rank in range(RANKS)]
    for process in started:
        process.communicate(timeout=120)
        expect(process.returncode == 0, f"a rank ended with {process.returncode}")


@scenario
def ranks_are_no_repetitions(case):
    """Three jobs of four ranks against three are three against three."""
    before, after = case.path("before.db"), case.path("after.db")
    for job in range(3):
        record_job(case, job, before)
        record_job(case, 100 + job, after)
    for database in (before, after):
        found = rows(case, "SELECT job, COUNT(*), COUNT(DISTINCT rank), MIN(rank_count) "
                     "FROM runs GROUP BY job", database)
        expect([row[1:] for row in found] == 3 * [(RANKS, RANKS, RANKS)], f"jobs: {found}")
    result = host.harness.run([case.products.analyze, "compare", before, after, "--format",
                               "json"])
    expect(result.returncode == 0, result.stderr)
    expect('"before_run_count": 3, "before_recording_count": 12' in result.stdout and
           '"after_run_count": 3, "after_recording_count": 12' in result.stdout,
           f"not three against three: {result.stdout[:400]}")


@scenario
def children_are_of_their_rank(case):
    recorded = case.run(["sh", "-c", f"{' '.join(program(case))}; exit 0"],
                        {"PMI_RANK": "1", "PMI_SIZE": "2", "PMI_JOBID": "x"})
    expect(recorded.returncode == 0, recorded.stderr)
    case.settle()
    found = rows(case, "SELECT DISTINCT job, rank FROM processes")
    expect(found == [("pmi:x", 1)], f"processes: {found}")


def launch(case, launcher, arguments, outside):
    if not shutil.which(launcher):
        raise LeftOut(f"{launcher} is not installed")
    environment = case.environment()
    preload = environment.pop("LD_PRELOAD")
    command = [launcher, *arguments, "-n", "3"]
    if outside:
        environment["LD_PRELOAD"] = preload
    else:
        command += ["env", "LD_PRELOAD=" + preload]
    done = subprocess.run(command + program(case), cwd=case.directory, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          timeout=120)
    expect(done.returncode == 0, f"{launcher}: {done.stderr[-400:]}")
    case.settle()


OPEN_MPI = ("mpirun.openmpi", ("--allow-run-as-root", "--oversubscribe"))
MPICH = ("mpirun.mpich", ())


def ranks_of(case, view):
    found = rows(case, f"SELECT job, rank FROM {view} WHERE rank IS NOT NULL ORDER BY rank")
    expect([rank for _, rank in found] == [0, 1, 2] and len({job for job, _ in found}) == 1,
           f"{view}: {found}")


@scenario
def open_mpi(case):
    launch(case, *OPEN_MPI, outside=False)
    ranks_of(case, "runs")
    expect(rows(case, "SELECT DISTINCT rank_count FROM runs") == [(3,)], "not of three")


@scenario
def mpich(case):
    launch(case, *MPICH, outside=False)
    ranks_of(case, "runs")


@scenario
def recorded_launcher(case):
    """mpirun itself is recorded: one run, whose processes have ranks."""
    launch(case, *OPEN_MPI, outside=True)
    expect(rows(case, "SELECT COUNT(*), MAX(rank) FROM runs") == [(1, None)], "runs")
    found = rows(case, "SELECT DISTINCT job, rank FROM processes WHERE rank IS NOT NULL "
                 "ORDER BY rank")
    expect([rank for _, rank in found] == [0, 1, 2], f"processes: {found}")


host.main()
