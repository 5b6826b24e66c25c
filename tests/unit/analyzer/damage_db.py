#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replay the database fuzzer over a corpus of damaged recordings.

usage: damage_db.py FUZZ_RUNDB_REPLAY MAKE_DB.PY
       damage_db.py --corpus FOLDER MAKE_DB.PY    write the corpus for libFuzzer

The damage is the same every time: cut files, changed bytes, pages filled or exchanged, and
sound databases with senseless contents.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

PAGE = 4096
BIG = 2 ** 63 - 1

# Contents that a writer would never make. Each is applied to a copy of its own. Wild numbers
# and texts alone, in every column, are what wild_numbers.py tries.
SENSELESS = [
    "UPDATE path SET parent_path_id = path_id",
    "UPDATE path SET parent_path_id = path_id + 1",
    "UPDATE path SET parent_path_id = -5",
    "UPDATE path SET function_id = 999999",
    "UPDATE function SET name = ''",
    "UPDATE function SET name = char(27) || '[2J' || char(10) || char(31) || char(0x202e)",
    "UPDATE function SET name = printf('%.*c', 20000, '<')",
    "UPDATE function SET module_id = NULL, recording = 7",
    "UPDATE site SET path_id = 1, file = NULL, line = 99999999999",
    "UPDATE run SET started_utc = '2026-03-01T'",
    "UPDATE run SET complete = 'no', exit_signal = 9999999999",
    "UPDATE run SET run_id = -run_id",
    "UPDATE resource SET time_ns = -time_ns, cpu_percent = 'x'",
    "UPDATE resource SET process_id = rowid, time_ns = 0",
    f"INSERT INTO gpu_sample SELECT run_id, process_id, time_ns, {BIG}, {BIG}, 'x' FROM resource",
    "INSERT INTO gpu_sample SELECT run_id, rowid % 7, -time_ns, -rowid, 9e999, -1 FROM resource",
    "UPDATE trust SET name = 'unheard_of', value = 'x'",
    "DELETE FROM function",
    "DELETE FROM path",
    "DELETE FROM run",
    "DROP VIEW functions; CREATE VIEW functions AS SELECT 1 AS run_id",
    "DROP VIEW call_paths; CREATE VIEW call_paths AS SELECT *, 'a' AS kind, 'b' AS name FROM path",
    "DROP VIEW runs; CREATE TABLE runs (run_id, label, command, wall_ns)",
    "DROP TABLE trust",
    "DROP TABLE resource",
    "DROP TABLE gpu_sample",
]

# The same for a recording with snapshots.
SENSELESS_SNAPSHOTS = [
    "UPDATE snapshot_site SET until_id = 0",
    f"UPDATE OR IGNORE snapshot_site SET site_id = {BIG}",
    f"UPDATE OR IGNORE snapshot_free SET born_id = freed_id, freed_id = {BIG}",
    f"UPDATE snapshot SET time_ns = {BIG}, live_bytes = -{BIG}, number = 0",
    "UPDATE snapshot SET time_ns = 0, label = x'ff', taken_by = 7, live_bytes = 'x'",
    "UPDATE snapshot SET label = '#1', number = -1, process_id = 77",
    "UPDATE snapshot SET number = 2, time_ns = -time_ns, alloc_bytes = 9e999",
    "UPDATE process SET pid = 1, process_id = -process_id, started_ns = 'x'",
    "UPDATE site SET path_id = 5, file = x'80', line = -7",
    "UPDATE path SET function_id = 999999",
    "UPDATE path SET parent_path_id = path_id + 1",
    "DELETE FROM process",
    "DELETE FROM snapshot",
    "DROP TABLE snapshot_free",
]

# The same for a recording with regions, steps and counters.
SENSELESS_MARKS = [
    f"UPDATE series SET first_ns = -{BIG}, last_ns = {BIG}, growth_bytes = -{BIG}, value_count = 0",
    "UPDATE series SET name = x'80', kind = 9",
    "UPDATE series SET name = printf('%.*c', 100000, 'n') || char(10, 27, 0x202e) || series_id",
    "UPDATE series SET name = ''",
    f"UPDATE OR IGNORE series SET series_id = {BIG} WHERE series_id = 5",
    f"UPDATE series_span SET first_ns = 0, last_ns = {BIG}, value_count = 0, sum = 9e999",
    f"UPDATE series_extreme SET time_ns = {BIG}, value = -9e999, number = -{BIG}, process_id = 7",
    "UPDATE series_extreme SET time_ns = 'x', value = x'00', lane_id = 'x', is_highest = 3 + is_highest",
    f"UPDATE step SET duration_ns = -{BIG}, started_ns = {BIG}, step_index = 'x'",
    "UPDATE function SET component = x'fe', recording = 1",
    "UPDATE function SET component = ''; UPDATE path SET kind = 77",
    "UPDATE run SET wall_ns = -5, started_utc = 'yesterday'",
    "DELETE FROM series_span",
    "DELETE FROM process",
]

# The same, looping for ever unless stopped.
ENDLESS = ("DROP VIEW functions; CREATE VIEW functions AS WITH RECURSIVE n(i) AS "
           "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS run_id FROM n")


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def damage_bytes(folder, data):
    randomness = random.Random(7)
    pages = len(data) // PAGE
    for size in (0, 1, 15, 16, 99, 100, 512, PAGE, PAGE + 1, len(data) // 2, len(data) - 1):
        write(folder, "cut-%06d" % size, data[:size])
        # The same, claiming that it is whole.
        if size > 100:
            whole = bytearray(data[:size - size % PAGE or PAGE])
            whole[28:32] = (len(whole) // PAGE).to_bytes(4, "big")
            write(folder, "short-%06d" % size, bytes(whole) + b"\1")
    for number in range(30):
        changed = bytearray(data)
        for _ in range(randomness.choice((1, 3, 30))):
            changed[randomness.randrange(100, len(data))] = randomness.randrange(256)
        write(folder, "bytes-%02d" % number, changed)
    # neighbours are of one table, and are missed alike; the first hold the schema
    for number in (*range(8), *range(8, pages, 3)):
        filled = bytearray(data)
        filled[number * PAGE:(number + 1) * PAGE] = bytes([number * 37 & 255]) * PAGE
        write(folder, "page-%02d" % number, filled + b"\1" if number == 0 else filled)
    for number in range(8):
        first, second = (randomness.randrange(1, pages) * PAGE for _ in range(2))
        changed = bytearray(data)
        changed[first:first + PAGE], changed[second:second + PAGE] = (
            data[second:second + PAGE], data[first:first + PAGE])
        write(folder, "swap-%02d" % number, changed)


def damage_contents(folder, fixture, changes):
    for number, sql in enumerate(changes):
        path = "%s-senseless-%02d" % (fixture, number)
        shutil.copy(fixture, path)
        db = sqlite3.connect(path)
        db.execute("PRAGMA foreign_keys = OFF")
        db.executescript(sql)
        db.commit()
        db.close()


def make_corpus(folder, make_db):
    fixture = os.path.join(folder, "fixture")
    subprocess.run([sys.executable, make_db, "fixture", fixture], check=True)
    with open(fixture, "rb") as file:
        damage_bytes(folder, file.read())
    damage_contents(folder, fixture, SENSELESS + [ENDLESS])
    snapshots = os.path.join(folder, "snapshots")
    subprocess.run([sys.executable, make_db, "snapshots", snapshots], check=True)
    damage_contents(folder, snapshots, SENSELESS_SNAPSHOTS)
    marks = os.path.join(folder, "marks")
    subprocess.run([sys.executable, make_db, "marks", marks], check=True)
    damage_contents(folder, marks, SENSELESS_MARKS)


def main():
    if sys.argv[1] == "--corpus":
        os.makedirs(sys.argv[2], exist_ok=True)
        make_corpus(sys.argv[2], sys.argv[3])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(folder, sys.argv[2])
        files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        environment = dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
                           PLAIN_SQLITE_MEMORY="1")
        return subprocess.run([sys.argv[1], "0"] + files, check=False,
                              env=environment).returncode


sys.exit(main())
