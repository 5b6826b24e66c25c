#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prof-analyze on files that are missing, damaged or somebody else's: one clear sentence,
status 1, never a crash. Wrong questions: status 1 or 2 and a sentence."""
import os
import random
import shutil
import sqlite3

import host
from host import NOBODY, expect, need_root, scenario


def expect_refused(case, *arguments, status=(1,), words=(), **options):
    result = case.analyze(*arguments, **options)
    expect(result.returncode in status,
           f"{arguments}: status {result.returncode}, not {status}: {result.stderr}")
    expect(len(result.stderr.splitlines()) == 1,
           f"{arguments}: not one sentence on stderr: {result.stderr!r}")
    expect(not result.stdout, f"{arguments}: printed {result.stdout!r}")
    for word in words:
        expect(word in result.stderr, f"{arguments}: does not name {word}: {result.stderr}")


def good_database(case):
    program = case.compile("allocations.c")
    case.unharmed([program])
    case.settle()
    return case.database


def written(case, name, data):
    with open(case.path(name), "wb") as file:
        file.write(data)
    return case.path(name)


@scenario
def not_a_database(case):
    expect_refused(case, case.path("missing.db"), words=["missing.db"])
    expect(not os.path.exists(case.path("missing.db")), "it was created")
    expect_refused(case, case.directory)
    expect_refused(case, written(case, "empty.db", b""), words=["empty.db"])
    expect_refused(case, written(case, "text.db", b"hello\n" * 500), words=["text.db"])
    expect_refused(case, written(case, "zeros.db", bytes(8192)))
    expect_refused(case, written(case, "head.db", b"SQLite format 3\0"))
    expect_refused(case, "/dev/null")


@scenario
def cut_short(case):
    with open(good_database(case), "rb") as file:
        data = file.read()
    for size in (1, 15, 16, 99, 100, 1000, 4096, len(data) // 2, len(data) - 1):
        expect_refused(case, written(case, "cut.db", data[:size]))


@scenario
def somebody_elses(case):
    connection = sqlite3.connect(case.path("other.db"))
    connection.execute("CREATE TABLE runs (a, b)")
    connection.commit()
    connection.close()
    expect_refused(case, case.path("other.db"), words=["other.db"])


@scenario
def another_version(case):
    for pragma in ("user_version = 99", "user_version = 0", "application_id = 1"):
        shutil.copy(good_database(case), case.path("version.db"))
        connection = sqlite3.connect(case.path("version.db"))
        connection.execute("PRAGMA " + pragma)
        connection.commit()
        connection.close()
        expect_refused(case, case.path("version.db"), words=["version.db"])


@scenario
def tables_missing(case):
    for table in ("run", "path", "function", "trust", "site"):
        shutil.copy(good_database(case), case.path("less.db"))
        connection = sqlite3.connect(case.path("less.db"))
        connection.execute(f"DROP TABLE {table}")
        connection.commit()
        connection.close()
        expect_refused(case, case.path("less.db"))


@scenario
def flipped_bytes(case):
    """Whatever the damage: an answer or a sentence."""
    with open(good_database(case), "rb") as file:
        data = file.read()
    chance = random.Random(2)
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(chance.choice((1, 10, 100))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path = written(case, "flipped.db", damaged)
        command = chance.choice(("report", "functions", "tree", "memory", "leaks"))
        result = case.analyze(command, path, timeout=20)
        expect(result.returncode in (0, 1, 4),
               f"{command}: status {result.returncode}: {result.stderr[-500:]}")
        expect(result.returncode == 0 or result.stderr, f"{command}: failed without a word")


@scenario
def damaged_spool(case):
    """What a killed collector left, and then something else went over it."""
    program = case.compile("allocations.c")
    chance = random.Random(3)
    for i in range(40):
        case.unharmed([program], {"PROFSHIM_COLLECTOR": "/nonexistent"})
        spool = case.database + "-spool"
        for folder, _, names in os.walk(spool):
            for name in names:
                damage(chance, os.path.join(folder, name))
        result = case.analyze("functions", case.database, timeout=30)
        expect(result.returncode in (0, 1, 4),
               f"round {i}: status {result.returncode}: {result.stderr[-500:]}")
        shutil.rmtree(spool, ignore_errors=True)
        if os.path.exists(case.database):
            os.remove(case.database)


def damage(chance, path):
    """Flips bytes where there are any (the files are sparse), or cuts the file."""
    size = os.path.getsize(path)
    if not size:
        return
    if chance.random() < 0.2:
        os.truncate(path, chance.randrange(size))
        return
    with open(path, "r+b") as file:
        for _ in range(chance.choice((1, 20, 400))):
            start = file.seek(chance.randrange(size))
            try:
                start = os.lseek(file.fileno(), start, os.SEEK_DATA)
            except OSError:
                start = 0  # nothing but a hole behind
            file.seek(min(start + chance.randrange(256), size - 1))
            file.write(bytes([chance.randrange(256)]))


@scenario
def wrong_questions(case):
    database = good_database(case)
    for arguments, status in (
            (["nonsense", database], (1, 2)), (["functions"], (1, 2)), ([], (1, 2)),
            (["functions", database, "--sort", "nonsense"], (1, 2)),
            (["functions", database, "--format", "nonsense"], (2,)),
            (["functions", database, "--limit", "many"], (2,)),
            (["functions", database, "--focus", "*["], (2,)),
            (["functions", database, "--nonsense"], (2,)),
            (["functions", database, "--run", "77"], (1, 2)),
            (["callers", database, "nonsense"], (1, 2))):
        result = case.analyze(*arguments)
        expect(result.returncode in status and result.stderr and not result.stdout,
               f"{arguments}: status {result.returncode}: {result.stderr!r}")


@scenario
def wrong_sql(case):
    database = good_database(case)
    for sql in ("SELECT nonsense FROM functions", "SELEC", "DROP TABLE run", "",
                "SELECT 1; DELETE FROM run"):
        result = case.analyze("sql", database, sql)
        expect(result.returncode in (1, 2) and result.stderr,
               f"{sql!r}: status {result.returncode}: {result.stderr!r}")
    expect(case.value("SELECT COUNT(*) FROM runs") == 1, "the database was changed")
    result = case.analyze("sql", database, "SELECT name, alloc_count FROM functions "
                          "WHERE name = 'with_malloc'")
    expect(result.returncode == 0 and "with_malloc" in result.stdout and
           "100" in result.stdout, f"sql: {result}")


@need_root
def not_readable(case):
    database = good_database(case)
    host.share_with_nobody(case.directory)
    os.chmod(database, 0o600)
    expect_refused(case, database, user=NOBODY, group=NOBODY, extra_groups=[])


@scenario
def read_only(case):
    """Reading needs no right to write."""
    database = good_database(case)
    os.chmod(database, 0o444)
    os.chmod(case.directory, 0o555)
    result = case.analyze(database)
    os.chmod(case.directory, 0o755)
    expect(result.returncode == 0, f"status {result.returncode}: {result.stderr}")


@scenario
def output_ends_early(case):
    """`prof-analyze run.db | head -1` ends quietly."""
    database = good_database(case)
    result = host.harness.run(["/bin/sh", "-c", f"{case.products.analyze} {database} --limit 0 "
                               "| head -1"])
    expect(result.returncode == 0 and not result.stderr, f"{result}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = host.harness.subprocess.run([case.products.analyze, database], stdout=full,
                                             stderr=-1, text=True, check=False)
    expect(result.returncode == 1 and result.stderr, f"/dev/full: {result}")


host.main()
