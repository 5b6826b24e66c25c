#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Record a function that is slow four times, for another reason each (slow_for_reasons.c),
and look whether prof-analyze why names each of them.

usage: why.py BUILD-ROOT

Judged by which path is named for which call, and by counts: a busy machine makes other
calls slow, too, but none of these less so.
"""
import json
import os
import signal
import sys
import tempfile

import harness

# Of the call that the program told: the function, what it did, and what is certain of it.
KNOWN = {
    "waits": (["handle", "enter", "pthread_mutex_lock"], "blocked",
              lambda row: row["blocked_ns"] > 30e6 and row["holder"] == "hold" and
              row["wait_kind"] == "mutex"),
    "allocates": (["handle", "fill"], "allocates",
                  lambda row: row["alloc_count"] > 500 and row["usual_alloc_count"] == 2 and
                  row["alloc_bytes"] == 4096 * row["alloc_count"]),
    "rebuilds": (["handle", "rebuild"], "only_now",
                 lambda row: row["most_name"] == "sort_index" and row["is_first"]),
    "repeats": (["handle", "answer", "look_up"], "more_calls",
                lambda row: row["calls"] == 500000 and row["usual_calls"] == 4),
}


def record(products, command, directory, status=0, **settings):
    database = os.path.join(directory, "run.db")
    if os.path.exists(database):
        os.unlink(database)
    result = harness.run(command, env=products.environment(database, **settings))
    harness.expect(result.returncode == status, f"the program ended with {result.returncode}")
    harness.settle(products, database)
    return database, dict(word.split("=") for word in result.stdout.split())


def ask(products, *words, status=0):
    result = harness.run([products.analyze, "why", *words, "--format", "json"])
    harness.expect(result.returncode == status,
                   f"why {words} ended with {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


# What is called most may be only counted, from some call on: its caller has that time.
KNOWN_COUNTED = {**KNOWN, "repeats": (None, None, lambda row: "answer" in row["path"] and
                                      row["kind"] in ("computes", "more_calls"))}


def check_causes(document, numbers, known=KNOWN):
    """Each slow call has its own cause, and that is most of the difference: on a busy machine
    there are other waits beside it."""
    rows = {row["number"]: row for row in document["slow_calls"]}
    for word in numbers:
        path, kind, is_right = known[word]
        row = rows.get(int(numbers[word]))
        harness.expect(row, f"{word}: call {numbers[word]} was not kept: {sorted(rows)}")
        harness.expect(is_right(row), f"{word}: {row}")
        if path:
            harness.expect(row["path"][-len(path):] == path and row["kind"] == kind and
                           row["explained_percent"] > 50, f"{word}: {row}")


def check_kept(database):
    """The slowest of all are there, and usual calls did what all of them do."""
    counts = harness.query(database, "SELECT is_slow, COUNT(*) FROM study_cases GROUP BY 1")
    harness.expect(counts == [(0, 8), (1, 8)], f"kept are {counts}")
    calls = harness.query(database, "SELECT calls FROM studies WHERE name = 'handle'")
    harness.expect(calls == [(40000,)], f"calls are {calls}")
    odd = harness.query(database, """SELECT case_id, name, calls, alloc_count, alloc_bytes
        FROM study_parts JOIN study_cases USING (run_id, study_id, case_id)
        WHERE NOT is_slow AND (name, calls, alloc_count, alloc_bytes) NOT IN (VALUES
        ('handle', 1, 0, 0), ('enter', 1, 0, 0), ('fill', 1, 2, 128), ('answer', 1, 0, 0),
        ('look_up', 4, 0, 0))""")
    harness.expect(not odd, f"usual calls did: {odd}")


def check_killed(products, program, directory):
    """What was kept until a SIGKILL is there."""
    database, numbers = record(products, [program, "killed"], directory, -signal.SIGKILL,
                               PROFSHIM_WHY="handle")
    harness.expect(sorted(numbers) == ["allocates", "rebuilds", "waits"], f"{numbers}")
    check_causes(ask(products, database, "handle"), numbers)


def check_marks(products, program, directory):
    """The same of steps and of a region; and what usual ones did."""
    database, numbers = record(products, [program, "marks"], directory,
                               PROFSHIM_WHY="request,serve")
    studies = {row["name"]: row for row in ask(products, database)["studies"]}
    harness.expect({name: (row["kind"], row["calls"], row["reason"])
                    for name, row in studies.items()} ==
                   {"request": ("step", 40000, "asked"), "serve": ("call", 40000, "asked")},
                   f"{studies}")
    for name in studies:
        check_causes(ask(products, database, name), numbers)
    odd = harness.query(database, """SELECT study_id, name, calls, alloc_count
        FROM study_parts JOIN study_cases USING (run_id, study_id, case_id)
        WHERE NOT is_slow AND (name, calls, alloc_count) NOT IN (VALUES ('main', 1, 0),
        ('serve', 1, 0), ('handle', 1, 0), ('enter', 1, 0), ('fill', 1, 2), ('answer', 1, 0),
        ('look_up', 4, 0))""")
    harness.expect(not odd, f"usual ones did: {odd}")
    lost = harness.query(database, "SELECT value FROM trust WHERE name = 'lost_marks'")
    harness.expect(not any(value for (value,) in lost), f"lost marks: {lost}")


def check_hot(products, program, directory):
    """At the default level a function is found that was so hot that it was only counted, and
    the same causes are told."""
    for _ in range(3): # where other programs have the CPUs it may be found too late
        database, numbers = record(products, [program, "hot"], directory,
                                   PROFSHIM_LEVEL="full")
        if harness.query(database, "SELECT 1 FROM studies"):
            break
    counted = harness.query(database, "SELECT least > 0 FROM mode WHERE name = 'handle'")
    harness.expect(counted == [(1,)], f"it was not counted: {counted}")
    studies = {row["name"]: row for row in ask(products, database)["studies"]}
    harness.expect("handle" in studies and studies["handle"]["reason"] == "found", f"{studies}")
    # they are numbered from where it was studied on
    first = harness.query(database, "SELECT calls FROM studies WHERE name = 'handle'")[0][0] - 40000
    harness.expect(first > 0, f"it was found too late: {studies}")
    check_causes(ask(products, database, "handle"),
                 {word: first + int(number) for word, number in numbers.items()}, KNOWN_COUNTED)
    paths = harness.query(database, "SELECT COUNT(*), MAX(depth) FROM call_paths")[0]
    harness.expect(paths[0] < 200 and paths[1] < 20, f"paths and depth: {paths}")


def check_off(products, program, directory):
    """Without any, the answer says so."""
    database, _ = record(products, [program], directory, PROFSHIM_WHY="off")
    document = ask(products, database, status=4)
    harness.expect("no_studies" in json.dumps(document), f"{document}")
    document = ask(products, database, "handle", status=4)
    harness.expect("PROFSHIM_WHY=handle" in json.dumps(document), f"{document}")


def main():
    products = harness.Products(sys.argv[1])
    source = os.path.join(harness.HERE, "slow_for_reasons.c")
    with tempfile.TemporaryDirectory() as directory:
        program = harness.compile_program(source, os.path.join(directory, "program"),
                                          flags=["-pthread"])
        database, numbers = record(products, [program], directory, PROFSHIM_WHY="handle")
        harness.expect(len(numbers) == len(KNOWN), f"{numbers}")
        check_causes(ask(products, database, "handle"), numbers)
        check_kept(database)
        studies = ask(products, database)["studies"]
        harness.expect([row["name"] for row in studies] == ["handle"] and
                       studies[0]["reason"] == "asked", f"{studies}")
        check_killed(products, program, directory)
        check_off(products, program, directory)
        check_marks(products, program, directory)
        check_hot(products, program, directory)


if __name__ == "__main__":
    try:
        main()
    except harness.Failure as failure:
        sys.exit(f"why: {failure}")
