#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs in a ClickHouse: what is there is what run.db has, once, whatever happens on the way.
usage: check_fleet.py BUILD-ROOT

Skipped without what scripts/fetch_servers brings.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import clickhouse
import recordings
import servers
from recordings import harness

sys.path.insert(0, os.path.join(recordings.HERE, "..", "reports"))
import hostile_names  # noqa: E402

SUMS = ("calls", "self_ns", "self_error_ns", "total_ns", "self_cpu_ns", "self_ready_ns",
        "self_blocked_ns", "alloc_count", "alloc_bytes", "live_bytes", "at_peak_bytes")
KEPT = {name: value for name, value in os.environ.items()
        if name.lower() not in ("http_proxy", "all_proxy", "no_proxy", "profshim_credentials")}


class Fleet:
    """A database of a server."""

    def __init__(self, products, port, database):
        self.analyze, self.port, self.database = products.analyze, port, database
        self.url = f"clickhouse://127.0.0.1:{port}/{database}"

    def run(self, *arguments):
        return harness.run([self.analyze, *arguments], env=KEPT)

    def push(self, *databases, url=None):
        return self.run("push", url or self.url, *databases, "--format", "json")

    def pushed(self, *databases):
        """Whether each run was there."""
        result = self.push(*databases)
        harness.expect(result.returncode == 0, result.stderr)
        return [row["was_there"] for row in json.loads(result.stdout)["pushed"]]

    def fleet(self, action):
        result = self.run("fleet", action, self.url, "--format", "json")
        harness.expect(result.returncode == 0, result.stderr)
        return json.loads(result.stdout)["fleet"]

    def ask(self, query):
        return clickhouse.ask(self.port, query, self.database)

    def refuses(self, sentence, *databases, url=None):
        result = self.push(*databases, url=url)
        harness.expect(result.returncode == 1 and sentence in result.stderr and
                       result.stderr.count("\n") == 1, f"not '{sentence}': {result}")


def token_of(database):
    with contextlib.closing(sqlite3.connect(database)) as file:
        return file.execute("SELECT token FROM run ORDER BY run_id DESC").fetchone()[0]


def check_same(fleet, recording, final=""):
    """All sums of the run, without FINAL: no row is there twice; and its functions by name."""
    where = f"token = '{token_of(recording.database)}'"
    rows = recording.rows("SELECT " + ", ".join(f"SUM({name})" for name in SUMS) + " FROM path")
    told = fleet.ask("SELECT " + ", ".join(f"sum({name})" for name in SUMS) +
                     f" FROM profshim_measurements {final} WHERE {where}")
    harness.expect(told == [[str(number) for number in rows[0]]],
                   f"{recording.name}: {told}, not {rows}")
    expected = recording.rows("SELECT f.full_name, SUM(p.calls) FROM path p JOIN functions f "
                              "USING (function_id) WHERE p.calls > 0 GROUP BY 1 ORDER BY 2 DESC, 1")
    # this release has one JOIN in a query
    told = fleet.ask("SELECT name, sum(calls) AS c FROM (SELECT function, calls FROM (SELECT stack, "
                     f"calls FROM profshim_measurements {final} WHERE {where} AND calls > 0) ANY LEFT JOIN "
                     "(SELECT hash AS stack, function FROM profshim_stacks) USING stack) ANY LEFT "
                     "JOIN (SELECT hash AS function, name FROM profshim_functions) USING function "
                     "GROUP BY name ORDER BY c DESC, name")
    harness.expect([(name, int(calls)) for name, calls in told] == expected,
                   f"{recording.name}: {told[:5]}, not {expected[:5]}")
    run = fleet.ask("SELECT program, wall_ns, complete, stacks, calls FROM profshim_runs "
                    f"{final} WHERE {where}")
    wall, complete = recording.rows("SELECT wall_ns, complete FROM runs")[0]
    stacks, = fleet.ask(f"SELECT count() FROM profshim_measurements {final} WHERE {where}")
    calls = sum(number for _, number in expected)
    harness.expect(run == [[recording.name, str(wall), str(complete), *stacks, str(calls)]],
                   f"{recording.name}: {run}")


def check_whole(fleet, made):
    first = made[0].database
    fleet.refuses("fleet init", first)
    harness.expect(fleet.run("fleet", "check", fleet.url).returncode == 1, "there are no tables")
    harness.expect(fleet.fleet("init")["run_count"] == 0, "there are runs")
    harness.expect(fleet.pushed(*(one.database for one in made)) == [False] * 3, "too new")
    rows = fleet.fleet("check")["row_count"]
    harness.expect(fleet.pushed(*(one.database for one in made)) == [True] * 3, "sent twice")
    facts = fleet.fleet("init")
    harness.expect((facts["run_count"], facts["row_count"], facts["unfinished_count"]) ==
                   (3, rows, 0), f"{facts}")
    for one in made:
        check_same(fleet, one)


def check_cut(products, port, one, whole):
    """A way that breaks before, within or after what it was given; and half of the rows."""
    for number, (word, part) in enumerate(
            [("functions", 0), ("functions", 0.5), ("stacks", 0.4), ("stacks", 1),
             *(("measurements", part) for part in (0, 0.4, 0.8, -1, 1)),
             *(("runs", part) for part in (0, 0.9, -4, -3, -2, -1, 1))]):
        fleet = Fleet(products, port, f"cut{number}")
        fleet.fleet("init")
        with clickhouse.breaking(port, f"INSERT%20INTO%20profshim_{word}", part) as way:
            fleet.refuses("cannot be reached", one.database,
                          url=f"clickhouse://127.0.0.1:{way}/{fleet.database}")
        rows, unfinished, runs = (fleet.fleet("check")[name] for name in (
            "row_count", "unfinished_count", "run_count"))
        was_there = runs == 1
        harness.expect(was_there or (word, part) != ("runs", 1), "a run is lost")
        harness.expect(unfinished == (rows > 0 and not was_there),
                       f"{word}, {part}: {unfinished} pushes are cut short with {rows} rows")
        harness.expect(fleet.pushed(one.database) == [was_there], f"{word}, {part}")
        check_same(fleet, one)
    for name, order in (("half", "stack"), ("other", "stack DESC")):
        fleet = Fleet(products, port, name)
        fleet.fleet("init")
        fleet.ask(f"INSERT INTO profshim_measurements SELECT * FROM {whole.database}."
                  f"profshim_measurements WHERE token = '{token_of(one.database)}' "
                  f"ORDER BY {order} LIMIT 5")
        harness.expect(fleet.pushed(one.database) == [False], "half is not whole")
        # what does not begin as ours is sent anew
        check_same(fleet, one, "FINAL" if name == "other" else "")


def check_at_once(products, port, one):
    fleet = Fleet(products, port, "once")
    fleet.fleet("init")
    pushes = [subprocess.Popen([fleet.analyze, "push", fleet.url, one.database], env=KEPT,
                               stdout=subprocess.DEVNULL) for _ in range(8)]
    harness.expect([push.wait() for push in pushes] == [0] * 8, "pushes at once")
    check_same(fleet, one, "FINAL")


def check_foreign(products, port, one, folder):
    """Tables of others, or of another version; credentials; names that are no rows."""
    fleet = Fleet(products, port, "foreign")
    fleet.fleet("init")
    path = os.path.join(folder, "hostile.db")
    shutil.copy(one.database, path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        names = [*hostile_names.NAMES, b"a\\tb\\", b"\\N", b"'); DROP TABLE profshim_runs; --"]
        for number, (function,) in enumerate(database.execute(
                "SELECT function_id FROM function").fetchall()):
            database.execute("UPDATE function SET full_name = CAST(? AS TEXT), component = ? "
                             "WHERE function_id = ?",
                             (names[number % len(names)], str(number), function))
        database.execute("UPDATE run SET label = CAST(? AS TEXT), host = '\\', token = 'abc1'",
                         (hostile_names.WORST,))
        database.execute("UPDATE path SET parent_path_id = path_id WHERE path_id % 7 = 0")
        database.commit()
        count, = database.execute("SELECT COUNT(*) FROM path").fetchone()
        harness.expect(fleet.pushed(path) == [False], "hostile")
        told = fleet.ask("SELECT count(), sum(calls) FROM profshim_measurements")[0]
        calls, = database.execute("SELECT SUM(calls) FROM path").fetchone()
        harness.expect(0 < int(told[0]) <= count and int(told[1]) == calls, f"{told}, {calls}")
        database.execute("UPDATE run SET token = ?", ("' OR 1 --",))
        database.commit()
        fleet.refuses("has no identity", path)
    secret = os.path.join(folder, "secret")
    for text, status in (("me:pass:word", 0), ("me:wrong", 1), ("nobody:x", 1)):
        with open(secret, "w", encoding="utf-8", opener=lambda name, flags: os.open(
                name, flags, 0o600)) as file:
            file.write(text)
        result = fleet.run("push", fleet.url, one.database, "--credentials", secret)
        harness.expect(result.returncode == status and text not in result.stderr, f"{result}")
    fleet.ask("INSERT INTO profshim_schema VALUES (7)")
    fleet.refuses("of schema 7", one.database)
    fleet = Fleet(products, port, "others")
    clickhouse.ask(port, "CREATE DATABASE others", "default")
    fleet.ask("CREATE TABLE profshim_functions (a String) ENGINE = TinyLog")
    fleet.refuses("not all tables", one.database)
    fleet.fleet("init")
    fleet.refuses("Unknown identifier", one.database)


def main():
    if not servers.program("clickhouse-server"):
        print("skipped: scripts/fetch_servers brings what this needs")
        sys.exit(77)
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-fleet-") as folder:
        made = recordings.make(products, folder)
        with clickhouse.running(folder) as port:
            fleet = Fleet(products, port, "fleet")
            check_whole(fleet, made)
            check_cut(products, port, made[2], fleet)
            check_at_once(products, port, made[1])
            check_foreign(products, port, made[0], folder)
        fleet.refuses("cannot be reached", made[0].database)


main()
