#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes into an archive comes out as it was, and what is no archive is refused.

usage: check_archive.py PROF-ANALYZE

Of recordings with all that a run can have, every command shows the same of the archive as of
the file. Adding again changes nothing, two that add at once lose nothing, and what cannot be
added (a full disk, a damaged file) leaves the archive as it was.
"""
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import make_db

KINDS = ("fixture", "inlined", "waits", "marks", "timeline", "why", "critical", "frames", "groups")
COMMANDS = (["report"], ["bottlenecks"], ["functions"], ["tree"], ["lines"], ["why"], ["locks"],
            ["critical"], ["memory"], ["leaks"], ["components"], ["steps"], ["timeline"], ["io"],
            ["resources"], ["ranks"], ["exclude-list"])
EXPORTS = ("folded", "callgrind", "jsonl")
failures = []


def check(what, holds, told=""):
    if not holds:
        failures.append(f"{what}: {told}")


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org",
                    "-c", "init.defaultBranch=trunk", *words], check=True, capture_output=True)


class Case:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, wanted=0, limit_bytes=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
        done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=60,
                              preexec_fn=limit if limit_bytes else None, errors="replace")
        check(" ".join(words), wanted is None or done.returncode == wanted,
              f"status {done.returncode}, wanted {wanted}: {done.stderr}")
        return done

    def refused(self, sentence, *words, wanted=1):
        error = self.run(*words, wanted=wanted).stderr
        check(" ".join(words), sentence in error, error)

    def recording(self, kind, token=None, **columns):
        path = self.path(f"{token or kind}.db")
        make_db.make(kind, path)
        with sqlite3.connect(path) as db:
            # one token for each run: who makes them gives the same to all kinds
            db.execute("UPDATE run SET token = ? || run_id", (token or kind,))
            for name, value in columns.items():
                db.execute(f"UPDATE run SET {name} = ?", (value,))
        return path

    def rows(self, archive, sql):
        with sqlite3.connect(archive) as db:
            return db.execute(sql).fetchall()

    def shown(self, database, *words):
        done = self.run(*words[:1], database, *words[1:], wanted=None)
        return done.returncode, re.sub(re.escape(database), "DB", done.stdout)


def runs_come_back(case):
    archive = case.path("all.db")
    other = case.path("alone.db")
    for kind in KINDS:
        recording = case.recording(kind)
        # in an archive of its own the latest run has the same number
        if os.path.exists(other):
            os.unlink(other)
        case.run("archive", "add", other, recording)
        case.run("archive", "add", archive, recording)
        latest, = case.rows(recording, "SELECT MAX(run_id) FROM run")[0]
        for words in COMMANDS + tuple(["export", name] for name in EXPORTS):
            options = [] if words[0] == "export" else ["--format", "json", "--limit", "0"]
            chosen = ["--run", str(latest)]
            check(f"{kind}: {words}", case.shown(recording, *words, *options, *chosen) ==
                  case.shown(other, *words, *options, *chosen), "differs from the file")
    # the same runs again, and again with others
    before = case.rows(archive, "SELECT run_id, token, host FROM archived")
    done = case.run("archive", "add", archive, *(case.path(f"{kind}.db") for kind in KINDS))
    check("again", case.rows(archive, "SELECT run_id, token, host FROM archived") == before)
    check("again", "already there" in done.stdout, done.stdout)
    # runs that are differences come back, too
    count, = case.rows(archive, "SELECT COUNT(*) FROM packed WHERE reference_id IS NOT NULL")[0]
    check("references", count > 0, "no run is packed as a difference")
    for number, token in case.rows(archive, "SELECT run_id, token FROM archived"):
        kind = token.rstrip("0123456789")
        own, = case.rows(case.path(f"{kind}.db"),
                         f"SELECT run_id FROM run WHERE token = '{token}'")[0]
        one, other = (case.shown(database, "functions", "--run", str(run), "--format", "csv", "--limit", "0")
                      for database, run in ((case.path(f"{kind}.db"), own), (archive, number)))
        # ids of a second run in a file are its own
        check(f"run {number}", len(one[1]) == len(other[1]) and one[0] == other[0], token)


def tags_are_kept(case):
    tree = case.path("tree")
    os.makedirs(os.path.join(tree, "below"))
    git(tree, "init")
    git(tree, "commit", "--allow-empty", "-m", "first")
    commit = subprocess.run(["git", "-C", tree, "rev-parse", "HEAD"], capture_output=True, text=True,
                            check=True).stdout.strip()
    git(tree, "pack-refs", "--all")
    git(tree, "worktree", "add", "-b", "side", case.path("beside"))
    here = os.uname().nodename
    archive = case.path("tags.db")
    beside = case.recording("fixture", "beside", cwd=case.path("beside"), host=here,
                            started_utc="2036-01-01T00:00:00.000Z")
    case.run("archive", "add", archive, beside)
    tags = dict(case.rows(archive, "SELECT name, value FROM tag WHERE run_id = 1"))
    check("a work tree", tags == {"commit": commit, "branch": "side"}, tags)
    later = case.recording("fixture", "later", cwd=os.path.join(tree, "below"), host=here,
                           started_utc="2036-01-01T00:00:00.000Z")
    earlier = case.recording("fixture", "earlier", cwd=tree, host=here,
                             started_utc="2016-01-01T00:00:00.000Z")
    case.run("archive", "add", archive, later, earlier, "--tag", "version=1.2", "--tag", "by=me")
    tags = dict(case.rows(archive, "SELECT name, value FROM tag JOIN archived USING (run_id) WHERE token = 'later1'"))
    check("git", tags == {"commit": commit, "branch": "trunk", "version": "1.2", "by": "me"}, tags)
    tags = dict(case.rows(archive, "SELECT name, value FROM tag JOIN archived USING (run_id) WHERE token = 'earlier1'"))
    check("HEAD moved since", tags == {"version": "1.2", "by": "me"}, tags)
    case.run("archive", "add", archive, later, "--tag", "by=you")
    for words in ("by=you", "version=1.2", "1.2", commit, "1"):
        case.run("functions", archive, "--run", words)
    case.refused("has no run 'by=nobody'", "functions", archive, "--run", "by=nobody")
    case.refused("is not NAME=VALUE", "archive", "add", archive, later, "--tag", "word", wanted=2)


def wrong_files_are_refused(case):
    recording, archive = case.recording("fixture", "wrong"), case.path("sound.db")
    case.run("archive", "add", archive, recording)
    case.refused("is a recording, not an archive", "archive", "list", recording)
    case.refused("is a recording, not an archive", "archive", "add", recording, recording)
    case.refused("is an archive of runs, not a recording", "runs", archive)
    case.refused("is an archive of runs, not a recording", "archive", "add", case.path("x.db"), archive)
    case.refused("archive add' makes one", "archive", "list", case.path("none.db"))
    case.refused("add needs recordings", "archive", "add", archive, wanted=2)
    case.refused("it is 'archive add", "archive", "remove", archive, wanted=2)
    text = case.path("text.db")
    with open(text, "w", encoding="ascii") as file:
        file.write("text")
    case.refused("not a SQLite database", "archive", "list", text)
    foreign = case.path("foreign.db")
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE t (x)")
    case.refused("not a recording made by profshim", "archive", "add", foreign, recording)
    for name, sql, sentence in (
            ("newer", "PRAGMA user_version = 99", "by a newer profshim"),
            ("changed", "CREATE INDEX archived_index ON archived(label); ALTER TABLE tag ADD COLUMN x",
             "changed table 'tag'"),
            ("lacking", "DROP TABLE besides", "lacks tables")):
        copy = shutil.copy(archive, case.path(name + ".db"))
        with sqlite3.connect(copy) as db:
            db.executescript(sql)
        case.refused(sentence, "functions", copy)
        case.refused(sentence, "archive", "add", copy, recording)
    cut = shutil.copy(archive, case.path("cut.db"))
    os.truncate(cut, os.path.getsize(cut) // 2)
    case.refused("truncated", "functions", cut)
    old = shutil.copy(archive, case.path("old.db"))
    with sqlite3.connect(old) as db:
        db.execute("UPDATE archived SET schema = 1")
    case.refused("recorded by another version", "functions", old)
    case.run("archive", "list", old)


def damaged_runs_are_told(case):
    recording, archive = case.recording("fixture", "damaged"), case.path("damaged-archive.db")
    case.run("archive", "add", archive, recording)
    whole, = case.rows(archive, "SELECT rows FROM packed WHERE run_id = 1")[0]
    for number in range(60):
        at = number * len(whole) // 60
        bad = whole[:at] if number % 3 == 0 else whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:]
        with sqlite3.connect(archive) as db:
            db.execute("UPDATE packed SET rows = ? WHERE run_id = 1", (bad,))
        done = case.run("functions", archive, "--run", "1", "--format", "json", wanted=None)
        # a number may be another one; nothing worse
        check(f"damage {number}", done.returncode in (0, 1, 4), done.stderr)
    with sqlite3.connect(archive) as db:
        db.execute("UPDATE packed SET rows = ?, reference_id = run_id", (whole,))
    case.refused("run 1 is damaged", "functions", archive, "--run", "1")
    with sqlite3.connect(archive) as db:
        db.execute("UPDATE packed SET reference_id = 0 WHERE run_id = 1")
    case.refused("run 0 is damaged", "functions", archive, "--run", "1")


def nothing_is_added_in_part(case):
    archive = case.path("full.db")
    case.run("archive", "add", archive, case.recording("fixture", "first"))
    size, before = os.path.getsize(archive), case.rows(archive, "SELECT * FROM measured")
    big = case.path("big.db")
    make_db.make("big", big, 4000)
    done = case.run("archive", "add", archive, big, wanted=None, limit_bytes=size + 8192)
    check("a full disk", done.returncode != 0, "added")
    check("a full disk", case.rows(archive, "SELECT * FROM measured") == before)
    case.run("archive", "add", archive, big)
    recordings = [case.recording("fixture", f"together{i}") for i in range(8)]
    both = case.path("both.db")
    started = [subprocess.Popen([case.program, "archive", "add", both, *recordings[i::2], recordings[0]],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(2)]
    told = [process.communicate(timeout=60)[1].decode() for process in started]
    check("two at once", [process.returncode for process in started] == [0, 0], told)
    tokens = case.rows(both, "SELECT token FROM archived")
    check("two at once", len(tokens) == len(set(tokens)) and
          len({token.rstrip("0123456789") for token, in tokens}) == 1 and
          len(tokens) % 8 == 0, tokens)


def comparisons_take_runs(case):
    archive = case.path("compared.db")
    for i, label in enumerate(("old", "old", "new", "new")):
        case.run("archive", "add", archive, case.recording("fixture", f"side{'abcd'[i]}", label=label))
    done = case.run("compare", archive, "--before", "old", "--after", "new", "--format", "json", wanted=None)
    sides = json.loads(done.stdout)["sides"]
    check("compare", sides["before_run_count"] == sides["after_run_count"] > 1, sides)
    case.refused("has no run 'none'", "compare", archive, "--before", "none", "--after", "new")


def history_finds_what_changed(case):
    archive, chance = case.path("history.db"), random.Random(7)
    recording = case.recording("fixture", "course", label="course", level="exact")
    with sqlite3.connect(recording) as db:
        db.execute("DELETE FROM run WHERE run_id = 1")
        run, = db.execute("SELECT run_id FROM run").fetchone()
        db.execute("UPDATE function SET recording = 'exact'")
        names = [name for name, in db.execute("SELECT DISTINCT name FROM function WHERE run_id = ? AND calls > 0 "
                                              "ORDER BY self_ns DESC, name", (run,))]
    slow, called, gone = names[:3]
    original = case.path("original.db")
    os.rename(recording, original)
    for i in range(24):
        shutil.copy(original, recording)
        with sqlite3.connect(recording) as db:
            db.execute("UPDATE run SET token = ?, started_utc = ?, level = ?",
                       (f"course{i:02}", f"2026-01-{i + 1:02}T00:00:00.000Z", "basic" if i == 20 else "exact"))
            for name in names:
                ns = int(1e7 * (1.05 if name == slow and i >= 12 else 1) * chance.gauss(1, 0.01))
                db.execute("UPDATE function SET self_ns = ?, self_cpu_ns = ?, total_ns = ? WHERE name = ?",
                           (ns, ns, ns, name))
            db.execute("UPDATE function SET calls = calls + ? WHERE name = ?", (7 * (i >= 15), called))
            if i in (3, 4, 9):  # of no hooks: in runs in which a sample met it
                db.execute("CREATE TEMP TABLE met AS SELECT * FROM function WHERE run_id = ? LIMIT 1", (run,))
                db.execute("UPDATE met SET function_id = 999999, name = 'met', linkage_name = NULL, full_name = NULL, "
                           "calls = 0, inlined_calls = 0, alloc_count = 0, recording = 'sampled'")
                db.execute("INSERT INTO function SELECT * FROM met")
            if i >= 18:
                db.execute("UPDATE function SET calls = 0, self_ns = 0, alloc_count = 0 WHERE name = ?", (gone,))
                db.execute("UPDATE path SET at_peak_bytes = 0")
        case.run("archive", "add", archive, recording, "--tag", f"version={i // 12 + 1}")

    def asked(*words):
        return json.loads(case.run("history", archive, *words, "--format", "json", "--limit", "0").stdout)
    document = asked()
    check("runs", document["compared"]["run_count"] == 23, document["compared"])
    told = {(row["function"], row["quantity"]): row for row in document["changes"]}
    change = told.get((slow, "cpu_ns"), {})
    check("a time", 12 <= change.get("run_id", 0) <= 14 and change["low_ratio"] < 1.05 < change["high_ratio"], change)
    change = told.get((called, "calls"), {})
    check("a count", change.get("run_id") == 16 and change["after"] - change["before"] == 7
          and change["exact"], change)
    others = [key for key in told if key[1] == "cpu_ns" and key[0] not in (slow, gone, "[the whole run]")]
    check("no other time", not others, others)
    check("gone", [(row["function"], row["is"], row["run_id"]) for row in document["appeared"]] ==
          [(gone, "gone", 19)], document["appeared"])
    check("one function", {row["function"] for row in asked(slow)["changes"]} == {slow})
    check("tags", asked("--tag", "version=1")["compared"]["run_count"] == 12)
    case.run("history", archive, "--tag", "version=9", wanted=4)
    case.refused("no run has a function 'nobody'", "history", archive, "nobody")
    case.refused("is a recording, not an archive", "history", recording)


def gates_judge_a_run(case):
    """Of seeded runs: an equal one passes, a slower one and one with more calls do not."""
    archive, chance = case.path("gate.db"), random.Random(11)
    recording = case.recording("fixture", "gated", label="gated", level="exact")
    with sqlite3.connect(recording) as db:
        db.execute("DELETE FROM run WHERE run_id = 1")
        db.execute("UPDATE function SET recording = 'exact', self_error_ns = 0")
        names = [name for name, in db.execute("SELECT DISTINCT name FROM function WHERE calls > 0 ORDER BY name")]
        calls, = db.execute("SELECT SUM(calls) FROM function JOIN run USING (run_id) WHERE name = ?", names[:1]).fetchone()
    original = case.path("original.db")
    os.rename(recording, original)

    def made(day, slower=1.0, more=0, noise=0.01):
        path = shutil.copy(original, case.path(f"day{day}.db"))
        with sqlite3.connect(path) as db:
            db.execute("UPDATE run SET token = ?, started_utc = ?", (f"day{day}", f"2026-01-{day:02}T00:00:00.000Z"))
            for name in names:
                ns = int(1e7 * (slower if name == names[1] else 1) * chance.gauss(1, noise))
                db.execute("UPDATE function SET self_ns = ?, self_cpu_ns = ?, total_ns = ? WHERE name = ?",
                           (ns, ns, ns, name))
            db.execute("UPDATE function SET calls = calls + ? WHERE name = ?", (more, names[0]))
        return path

    def judged(word, wanted, *options):
        done = case.run("history", archive, "--gate", word, *options, "--format", "json", wanted=wanted)
        document = json.loads(done.stdout)
        return document, {(row["function"], row["quantity"]): row for row in document.get("gate", ()) if row["failed"]}
    for day in range(1, 5):
        case.run("archive", "add", archive, made(day), "--tag", "by=me")
    few, _ = judged(made(20), 4)
    check("too few", few["notes"][0]["text"].startswith("gate: cannot be judged: 4 earlier runs"), few["notes"])
    for day in range(5, 11):
        case.run("archive", "add", archive, made(day))
    equal, slow, called = made(20, noise=0), made(21, slower=1.3, noise=0), made(22, more=7, noise=0)
    check("an equal run", not judged(equal, 0)[1])
    worse = judged(slow, 3)[1]
    check("a slower run", list(worse) == [(names[1], "cpu_ns")], worse)
    check("one function", not judged(slow, 0, names[0])[1])
    document, worse = judged(called, 3)
    row = worse.get((names[0], "calls"), {})
    check("more calls", list(worse) == [(names[0], "calls")] and (row["before"], row["after"]) == (calls, calls + 7)
          and row["exact"], worse)
    check("what is judged", document["gated"]["earlier_run_count"] == 10, document["gated"])
    told = case.run("history", archive, "--gate", called, wanted=3).stdout
    check("a sentence", f"{names[0]}, calls: {calls:,} in each of the last 10 runs, now {calls + 7:,}" in
          " ".join(told.split()), told)
    # a run of the archive is judged by those before it
    case.run("archive", "add", archive, slow, equal, "--tag", "version=3")
    check("latest", (names[1], "cpu_ns") in judged("latest", 3)[1])
    check("another", judged("version=3", 0)[0]["gated"]["earlier_run_count"] == 10)
    check("tags", judged("8", 4, "--tag", "by=me")[0]["notes"][0]["name"] == "gate_few")
    told = case.run("history", archive, "--gate", slow, "--format", "junit", wanted=3).stdout
    check("junit", told.count("<failure") == 1 and f'name="{names[1]}, CPU"' in told, told)
    case.refused("has no run 'nobody'", "history", archive, "--gate", "nobody")
    case.refused("is an archive of runs", "history", archive, "--gate", archive)


def main():
    for number, part in enumerate((runs_come_back, tags_are_kept, wrong_files_are_refused,
                                   damaged_runs_are_told, nothing_is_added_in_part, comparisons_take_runs, history_finds_what_changed, gates_judge_a_run)):
        with tempfile.TemporaryDirectory(prefix="profshim-archive-") as folder:
            part(Case(sys.argv[1], folder))
        print(f"part {number + 1}: {part.__name__}", flush=True)
    for failure in failures:
        print("not ok:", failure[:2000])
    sys.exit(bool(failures))


main()
