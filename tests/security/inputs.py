#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a stranger hands to root's tools: journals beside root's database, a database that acts
when it is written to, directories that are exchanged while they are read, messages that are
none, a program that fills the disk, and environments without end."""
import json
import os
import sqlite3
import subprocess
import sys

import security
from security import expect, harness, host, scenario

SECRET = "the secret line of root\n"


def shared_database(case):
    """Root's run in a directory as /tmp is; its path."""
    os.chmod(case.directory, 0o755)
    shared = case.path("shared")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    database = os.path.join(shared, "run.db")
    case.run(["true"], {"PROFSHIM_OUTPUT": database})
    harness.settle(case.products, database)
    return database


def hot_journal(database, folder):
    """A journal that would make a page of the database what it never was."""
    copy = os.path.join(folder, "copy.db")
    with open(database, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    db = sqlite3.connect(copy, isolation_level=None)
    db.execute("PRAGMA cache_spill = 1")
    db.execute("PRAGMA cache_size = 1")
    db.execute("UPDATE run SET label = 'planted'")
    db.execute("BEGIN")
    db.execute("UPDATE run SET label = 'original'")
    db.execute("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
               "FROM n LIMIT 500) SELECT i, zeroblob(2000) AS b FROM n")
    with open(copy + "-journal", "rb") as file:
        journal = file.read()
    db.execute("ROLLBACK")
    db.close()
    return journal


@scenario
def planted_journal(case):
    """SQLite would play it back into root's file."""
    database = shared_database(case)
    with open(database, "rb") as file:
        before = file.read()
    strange = security.make_strange(case)
    journal = bytearray(hot_journal(database, case.directory))
    expect(len(journal) > 1024, "there is no journal to plant")
    planted = os.path.join(strange, "journal")
    with open(planted, "wb") as file:
        file.write(journal)
    os.chmod(planted, 0o644)
    for suffix in ("-journal", "-wal"):
        security.as_stranger(case, ["cp", planted, database + suffix])
        owner = os.stat(database + suffix).st_uid
        expect(owner == host.NOBODY, f"{suffix} is not the stranger's")
        case.analyze("runs", database)
        with open(database, "rb") as file:
            expect(file.read() == before, f"root's database was changed by {suffix}")
        case.run(["true"], {"PROFSHIM_OUTPUT": database})
        harness.wait_until(lambda: not case.collectors())
        if os.path.exists(database + suffix):
            os.remove(database + suffix)
        harness.settle(case.products, database)
        expect(harness.value(database, "SELECT COUNT(*) FROM run WHERE label = 'planted'") == 0,
               f"the stranger's {suffix} was played back")
        with open(database, "rb") as file:
            before = file.read()
    expect(harness.value(database, "SELECT COUNT(*) FROM runs") == 3, "a run is lost")


@scenario
def database_that_acts(case):
    """A file that others made, with triggers and views in the place of tables, as root's
    output: nothing of it is carried out, and it is not taken for ours."""
    case.run(["true"])
    case.settle()
    os.rename(case.database, case.path("sound.db"))
    acts = {
        "trigger": "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM process; END",
        "instead": "ALTER TABLE trust RENAME TO trust_; CREATE VIEW trust AS SELECT * FROM "
                   "trust_; CREATE TRIGGER i INSTEAD OF INSERT ON trust BEGIN DELETE FROM run; "
                   "END",
        "column": "ALTER TABLE run ADD COLUMN x AS (abs(run_id))",
        "index": "CREATE INDEX x ON run(abs(run_id))",
        "view": "DROP VIEW runs; CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                "SELECT i + 1 FROM n) SELECT i AS run_id FROM n",
    }
    for name, sql in acts.items():
        with open(case.path("sound.db"), "rb") as source, open(case.database, "wb") as target:
            target.write(source.read())
        db = sqlite3.connect(case.database)
        db.executescript(sql)
        db.commit()
        processes = db.execute("SELECT COUNT(*) FROM process").fetchone()
        db.close()
        recorded = case.unharmed(["true"])
        expect(recorded.returncode == 0, f"{name}: {recorded}")
        harness.wait_until(lambda: not case.collectors())
        case.analyze("runs", case.database, timeout=60)
        found = harness.query(case.database, "SELECT COUNT(*) FROM process")
        expect(found[0] >= processes, f"{name}: processes are gone: {found}")
        subprocess.run(["rm", "-rf", case.database, case.database + "-spool"], check=True)


SWAP_SOURCES = """
import os, sys
tree, victim = sys.argv[1:]
print("ready", flush=True)
while True:
    os.rename(tree + "/src", tree + "/away")
    os.symlink(victim, tree + "/src")
    os.unlink(tree + "/src")
    os.rename(tree + "/away", tree + "/src")
"""


def name_source(case, recorded):
    db = sqlite3.connect(case.database)
    db.execute("UPDATE function SET file = ?, line = 1", (recorded,))
    db.execute("UPDATE site SET file = ?, line = 1", (recorded,))
    db.commit()
    db.close()


@scenario
def sources_elsewhere(case):
    """--source shows what lies below it, whatever the names are and whoever exchanges
    directories meanwhile."""
    case.run([case.compile("small.c", flags=["-g"])])
    case.settle()
    tree = security.make_strange(case, "tree")
    os.mkdir(os.path.join(tree, "src"))
    with open(os.path.join(tree, "src", "a.c"), "w", encoding="utf-8") as file:
        file.write("the strange line\n" * 3)
    os.chown(os.path.join(tree, "src"), host.NOBODY, host.NOBODY)
    os.mkdir(case.path("secret"), 0o700)
    with open(case.path("secret/a.c"), "w", encoding="utf-8") as file:
        file.write(SECRET * 3)
    page = case.path("page.html")

    def look(recorded):
        name_source(case, recorded)
        result = case.analyze("report", case.database, "--format", "html", "--source", tree,
                              "-o", page)
        expect(result.returncode == 0, f"{recorded}: {result}")
        with open(page, encoding="utf-8") as file:
            expect(SECRET.strip() not in file.read(), f"{recorded}: root's file is shown")

    for recorded in ("../secret/a.c", "src/../../secret/a.c", "/../" * 20 + "etc/shadow",
                     case.path("secret/a.c"), "src/./..//../secret/a.c", "\0../secret/a.c",
                     tree + "/../secret/a.c", "x/" * 3000 + "../secret/a.c"):
        look(recorded)
    with security.stranger_at_work(SWAP_SOURCES, tree, case.path("secret")):
        for _ in range(40):
            look("src/a.c")


def messages():
    """Lines that are no messages, or are too much of one."""
    yield from (b"", b"{", b"[]", b"null", b"\x00", b"\xff\xfe", b"{}" * 1000, b'"' * 5000)
    yield b"[" * 200000 + b"]" * 200000
    yield b'{"a":' * 100000 + b"1" + b"}" * 100000
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call"}
    for params in (None, [], 7, {"name": 7}, {"name": "x" * 100000}, {"name": "functions"},
                   {"name": "functions", "arguments": []},
                   {"name": "functions", "arguments": {"database": "\u001b[31m", "limit": 1e308}},
                   {"name": "functions", "arguments": {"database": "/dev/zero"}},
                   {"name": "functions", "arguments": {"database": "/proc/self/mem"}},
                   {"name": "sql", "arguments": {"query": "ATTACH '/tmp/x' AS y"}},
                   {"name": "sql", "arguments": {"query": "SELECT writefile('/tmp/x', 1)"}},
                   {"name": "sql", "arguments": {"query": "SELECT " + "(" * 50000}}):
        yield json.dumps({**call, "params": params}).encode()
    yield b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}'
    yield b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/call"}'
    yield b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'
    yield b'{"jsonrpc":"2.0","id":"\\u0000","method":"ping"}'


@scenario
def messages_to_mcp(case):
    """Each is answered, or left out, and the session goes on."""
    case.run(["true"])
    case.settle()
    begin = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                         "clientInfo": {"name": "x", "version": "1"}}},
             {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    start = b"".join(json.dumps(one).encode() + b"\n" for one in begin)
    end = b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n'
    for message in messages():
        done = subprocess.run([case.products.analyze, "mcp", case.database], timeout=60,
                              input=start + message.replace(b"\n", b"") + b"\n" + end,
                              capture_output=True, check=False)
        what = message[:60]
        expect(done.returncode == 0, f"{what}: ended with {done.returncode}: {done.stderr[-300:]}")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        expect(answers and answers[-1].get("id") == "last", f"{what}: then it is silent")


FILL = """
import os, sys, time
def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 65536)
        except OSError:
            pass
fill(sys.argv[1])
def call(depth):
    return [call(depth - 1) for _ in range(2)] if depth else bytearray(100)
call(8)
print("done")
"""


@scenario
def full_disk(case):
    """A program that fills the disk of its recording goes on, and so does the next."""
    inside = case.path("small")
    os.mkdir(inside)
    script = case.path("fill.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(FILL)
    command = (f"mount -t tmpfs -o size=1m none {inside} && "
               f"export LD_PRELOAD={case.products.library} PROFSHIM_OUTPUT={inside}/run.db && "
               f"{sys.executable} {script} {inside}/fill && rm {inside}/fill && "
               f"{sys.executable} -c 'print(1)' && unset LD_PRELOAD && "
               f"{case.products.analyze} runs {inside}/run.db")
    done = harness.run(["unshare", "-m", "sh", "-c", command], cwd="/",
                       env=harness.plain_environment())
    if done.stderr.startswith("unshare:"):
        raise host.LeftOut("mount namespaces are not allowed here")
    expect(done.stdout.startswith("done\n1\n"), f"{done}")
    expect(done.returncode in (0, 1, 4), f"prof-analyze ended with {done.returncode}: {done}")


@scenario
def endless_environments(case):
    """Long values, many of them, and names like ours without a value."""
    longest = 128 * 1024 - 64
    for extra in ({f"PROFSHIM_{name}": "x" * longest for name in
                   ("LABEL", "ONLY", "SKIP", "FROM", "WHY", "OUTPUT", "RUN", "COLLECTOR",
                    "COMPONENTS", "REPORT", "LIBRARY")},
                  {f"V{number}": "y" * 20 for number in range(50000)},
                  {"PROFSHIM_LABEL": "a,b=" * 30000, "PROFSHIM_ONLY": "(" * 60000},
                  {"PROFSHIM_RUN": "/" * 4096 + "x", "PROFSHIM_OUTPUT": "/x" * 3000},
                  {"LD_PRELOAD": case.products.library + ":" * 100000}):
        command = ["sh", "-c", "true; exit 3"]
        done = case.run(command, extra)
        expect(done.returncode == 3 and not done.stdout,
               f"{[(name, value[:9]) for name, value in extra.items()][:3]}: {done.returncode}, "
               f"{done.stderr[-300:]}")
        harness.wait_until(lambda: not case.collectors())


security.main()
