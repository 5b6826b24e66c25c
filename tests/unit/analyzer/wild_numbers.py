#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Numbers and texts of a run.db that no writer makes, NULL, and hostile names: in every report
and format.

usage: wild_numbers.py FUZZ_RUNDB_REPLAY REPORTS-TESTS

The columns are those of the schema, made free of NOT NULL. SEED=N in the environment begins
with other chances.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

KINDS = ("fixture", "groups", "snapshots", "marks", "machine", "findings", "jobs-before",
         "timeline", "why", "io", "estimates", "waits", "critical", "wrappers")
WILD = (-2**63, 2**63 - 1, -2**62, 2**53, 2**32, -1, 1e308, -1e308, 9e18, 1e19, -1e19,
        float("inf"), float("-inf"), 0.5, None, "text", "9e999", b"\x00\xff")
TEXTS = (None, 5, -1.5, b"\x00\xff", "", "x")
# How many of the values are wild: all, and so few that what refers to others still does.
SHARES = (1, 0.3, 0.03)


def change_schema(path, old, new):
    """As whoever writes the file byte by byte: no row is looked at."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE type = 'table'",
               (old, new))
    db.commit()
    db.close()


def keep_run(db, number):
    """One run of the file: the readers take the last."""
    runs = [run for (run,) in db.execute("SELECT run_id FROM run ORDER BY run_id")]
    db.execute("DELETE FROM run WHERE run_id <> ?", (runs[number % len(runs)],))


def spoil(path, surface, chance, share, number):
    db = sqlite3.connect(path)
    texts = surface.text_columns(db)
    columns = {table: names + texts.get(table, [])
               for table, names in surface.numeric_columns(db).items()}
    keep_run(db, number)
    for table, names in columns.items():
        key = surface.key_of(db, table)
        where = " AND ".join(f"{column} IS ?" for column in key)
        for row in db.execute(f"SELECT {', '.join(key)} FROM {table}").fetchall():
            chosen = [name for name in names if chance.random() < share]
            if chosen:
                values = [chance.choice(TEXTS if name in texts.get(table, ()) else WILD)
                          for name in chosen]
                db.execute(f"UPDATE OR IGNORE {table} SET "
                           f"{', '.join(name + ' = ?' for name in chosen)} WHERE {where}",
                           (*values, *row))
    db.commit()
    db.close()


def poisoned(sound, surface, hostile_names, worst):
    """A copy all of whose texts are hostile: each another one, or all the worst."""
    path = sound + "-poisoned"
    shutil.copy(sound, path)
    db = sqlite3.connect(path)
    columns = surface.text_columns(db)
    db.close()
    hostile_names.poison(path, columns, worst)
    return path


def main():
    sys.path.insert(0, sys.argv[2])
    import hostile_names  # pylint: disable=import-outside-toplevel
    import make_db  # pylint: disable=import-outside-toplevel
    import surface  # pylint: disable=import-outside-toplevel
    chance = random.Random(int(os.environ.get("SEED", "24")))
    with tempfile.TemporaryDirectory(prefix="profshim-numbers-") as folder:
        files = []
        for number, kind in enumerate(KINDS):
            sound = os.path.join(folder, kind)
            make_db.make(kind, sound)
            files.append(poisoned(sound, surface, hostile_names, number % 2))
            change_schema(sound, "NOT NULL", "/*NOTNULL*/")
            for share in SHARES:
                number += 1
                files.append(f"{sound}-{share}")
                shutil.copy(sound, files[-1])
                spoil(files[-1], surface, chance, share, number)
                change_schema(files[-1], "/*NOTNULL*/", "NOT NULL")
            os.remove(sound)
        options = "halt_on_error=1:print_stacktrace=1"
        environment = dict({"UBSAN_OPTIONS": options}, **os.environ)
        return subprocess.run([sys.argv[1], "0", *files], check=False, env=environment).returncode


sys.exit(main())
