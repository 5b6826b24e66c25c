#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that no name of a run.db steers a terminal, a spreadsheet or a parser.

usage: check_hostile.py PROF_ANALYZE

One set of hostile names goes into every text of a few recordings, and everything is shown
in every format: no character without a picture may come through, no row or element may be
forged, no cell may be a formula; and what is quoted in errors is held to the same. Three
recordings are shown in all formats, the others in one, in turns.
"""
import contextlib
import csv
import gzip
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import make_db
import surface
from hostile_names import ALL_HIDDEN, poison

NOT_TO_SHOW = re.compile("[" + re.escape(ALL_HIDDEN + "\0") + "]")
csv.field_size_limit(1 << 24)
# Words of the format itself. Everything else is what people or programs chose.
KEPT = {"run.token", "run.level", "run.clock", "function.recording", "function.naming",
        "lock.kind", "lock.named_by", "stall.kind", "snapshot.taken_by", "module.symbols",
        "module.trouble", "trust.name", "storing.token"}
# What a run.db that is whole has none of.
EMPTY = {"storing"}
KINDS = ("fixture", "groups", "snapshots", "marks", "machine", "findings", "jobs-before",
         "timeline", "why", "io", "unhooked", "builds", "estimates")
ONE_FILE = {"compare", "runs", "ranks", "selftest-gate"}  # they take no run
FORMATS = ("text", "json", "csv", "md", "html")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?%?$")
STEERING = re.compile(r"^[=+\-@\t\r＝＋－＠]")


def make(folder, kind):
    path = os.path.join(folder, kind + ".db")
    make_db.make(kind, path)
    return path


def run_count(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT COUNT(*) FROM run").fetchone()[0]


def poisonings(path, is_first):
    """(what, columns, worst): all that is no word of the format; and of the first recordings
    all texts, for the others have no other words of the format."""
    db = sqlite3.connect(path)
    columns = surface.text_columns(db)
    db.close()
    free = {table: [name for name in names if f"{table}.{name}" not in KEPT]
            for table, names in columns.items()}
    return [("all", columns, False)] * is_first + [("chosen", free, False), ("worst", free, True)]


def words_alone(recordings, problems):
    """(what, columns, path): each word of the format alone, in the recording that has most of
    it. A table that no recording has is a problem: its texts would not be looked at."""
    counts = {}
    for path in recordings:
        db = sqlite3.connect(path)
        for table, names in surface.text_columns(db).items():
            for name in names:
                count = db.execute(f"SELECT COUNT(*), COUNT({name}) FROM {table}").fetchone()
                counts.setdefault((table, name), []).append((count, path))
        db.close()
    for (table, name), found in counts.items():
        (rows, _), path = max(found)
        if not rows and table not in EMPTY:
            problems.append(f"{table}: no recording of this test has any")
        if f"{table}.{name}" in KEPT:
            yield f"{table}.{name}", {table: [name]}, path


def check_shown(what, output, problems):
    text = output.decode("utf-8")
    if text.replace("\n", "").isprintable():  # the quick answer
        return
    shown = NOT_TO_SHOW.search(text)
    if shown:
        problems.append(f"{what}: shows {shown.group()!r}")


def without_script(output, what, problems):
    """The picture, or the page, less its style and its script, which are ours and may be
    indented, and the page's data, which is no text."""
    parts = re.subn(rb"<style>.*?</style>|<script>.*?</script>\n</(svg|body)>|"
                    rb'<script type="text/plain" id="(?:lanes-)?data">[\w+/=\n]*</script>', b"", output,
                    flags=re.DOTALL)
    if b"<script" in parts[0]:
        problems.append(f"{what}: a script that is not ours")
    return parts[0]


def check_csv(what, text, problems):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    widths = {len(row) for row in rows if row}
    if len(widths) > 1:
        problems.append(f"{what}: rows of {sorted(widths)} fields")
    for row in rows:
        for field in row:
            if STEERING.match(field) and not NUMBER.match(field) and field != "-":
                problems.append(f"{what}: a formula: {field[:40]!r}")
                return


def check(what, arguments, done, problems):
    output = done.stdout
    if done.returncode not in (0, 1, 2, 3, 4):
        problems.append(f"{what}: ended with {done.returncode}: {done.stderr[-300:]!r}")
    check_shown(what + " (stderr)", done.stderr, problems)
    if "pprof" in arguments:
        if output:
            gzip.decompress(output)
        return
    if "csv" in arguments:
        check_csv(what, output.decode("utf-8"), problems)
        output = output.replace(b"\r\n", b"\n")
    is_picture = arguments[0] == "flamegraph" and output.startswith(b"<?xml")
    has_script = is_picture or output.startswith(b"<!DOCTYPE html>")
    check_shown(what, without_script(output, what, problems) if has_script else output,
                problems)
    if not output or done.returncode in (1, 2):
        return
    if {"json", "sarif", "speedscope", "chrome"} & set(arguments):
        json.loads(output)
    if "junit" in arguments or is_picture:
        xml.etree.ElementTree.fromstring(output)


def commands(looks, path, one_format, has_others):
    """The last run in all formats, or in one that the number says; the first, where the
    recording has others, in one more."""
    number = one_format or 0
    for command, forms, words in looks:
        number += 1
        for form in forms if one_format is None else [forms[number % len(forms)]]:
            yield surface.command_line(command, form, words, path)
        if has_others and command not in ONE_FILE:
            for form in set(forms) & {"text", "md", "html"} if one_format is None else [None]:
                yield surface.command_line(command, form, words, path) + ["--run", "1"]
    if one_format is None:
        yield ["bottlenecks", path, "--format", "sarif", "--show-sql"]
        yield ["flamegraph", path, "--diff", path]


def sides(path):
    for form in FORMATS + ("junit",):
        yield ["compare", path, "--before", "1", "--after", "2", "--format", form,
               "--fail-on", "regression", "--gate", "calls=0%"]


def bad_usage(path):
    bad = "a\x1b[31m\u202e\u009b\rb"
    for report, options in (
            ("report", "limit format focus ignore run thread sort"),
            ("compare", "before after fail-on by limit=wall limit=x limit=func:x.total"),
            ("compare", "limit=wall=1% focus=( ignore=("), ("tree", "min-share thread"),
            ("flamegraph", "width metric snapshot diff before process"),
            ("bottlenecks", "rules suppressions fail-on focus=( sort"),
            ("leaks", "suppressions process limit=wall"), ("components", "by"), ("delta", "until by process"),
            ("doctor", "program output=/nowhere/")):
        for option in options.split():
            arguments = [report, path] + ["1", "2"] * (report == "delta")
            yield arguments + [f"--{option}{'' if '=' in option[-2:] else '='}{bad}"]
    for words in ([bad], [bad, path], ["report", bad], ["report", path, bad],
                  ["export", bad, path], ["callers", path, bad], ["delta", path, bad, bad],
                  ["sql", path, f"SELECT '{bad}' FROM {bad}"], [f"--{bad}"], [f"--{bad}={bad}"],
                  [f"-{bad}"], [f"--raw={bad}", path], [f"--li={bad}", path], [f"-Q{bad}", path],
                  ["snapshot", bad, bad], ["top", bad], ["functions", path, "-n", bad]):
        yield words


def main():
    program, problems = os.path.abspath(sys.argv[1]), []

    def run(arguments, name):
        done = subprocess.run([program] + arguments, stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, cwd=folder, timeout=60)
        what = name + " " + " ".join(arguments[:1] + arguments[2:])[:100].encode(
            "unicode_escape").decode()
        try:
            check(what, arguments, done, problems)
        except (ValueError, xml.etree.ElementTree.ParseError, csv.Error) as error:
            problems.append(f"{what}: {error}")

    with tempfile.TemporaryDirectory(prefix="profshim-hostile-") as folder:
        looks, path = surface.looks(program), os.path.join(folder, "poisoned.db")
        recordings = [make(folder, kind) for kind in KINDS]
        for number, sound in enumerate(recordings):
            kind = os.path.basename(sound)
            is_first = kind in ("fixture.db", "snapshots.db", "marks.db")
            for what, columns, worst in poisonings(sound, is_first):
                number += 1
                shutil.copy(sound, path)
                poison(path, columns, worst)
                one = None if worst and is_first else number
                for arguments in commands(looks, path, one, run_count(path) > 1):
                    run(arguments, f"{kind}, {what}:")
                for arguments in sides(path) if kind in ("fixture.db", "groups.db") else ():
                    run(arguments, f"{kind}, {what}:")
        for number, (what, columns, sound) in enumerate(words_alone(recordings, problems)):
            shutil.copy(sound, path)
            poison(path, columns, True)
            for arguments in commands(looks, path, number, False):
                run(arguments, f"{what}:")
        path = make(folder, "fixture")
        for arguments in bad_usage(path):
            run(arguments, "usage")
    print("\n".join(problems[:60]))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()
