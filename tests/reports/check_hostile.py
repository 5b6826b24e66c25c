#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that no name of a run.db steers a terminal, a spreadsheet or a parser.

usage: check_hostile.py PROF_ANALYZE

One set of hostile names goes into every text of a few recordings, and everything is shown
in every format: no character without a picture may come through, no row or element may be
forged, no cell may be a formula; and what is quoted in errors is held to the same. A program
built with a sanitizer shows each report of each recording in one format, in turns: what it
shows has been looked at before.
"""
import csv
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

import make_db
from sanitized import is_sanitized

IGNORABLE = ([0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0] +
             [*range(0x180b, 0x1810), *range(0x2060, 0x2070), *range(0xfe00, 0xfe10),
              *range(0xfff0, 0xfff9), *range(0xe0000, 0xe1000)])
HIDDEN = {c for c in range(sys.maxunicode + 1)
          if unicodedata.category(chr(c)) in ("Cc", "Cf", "Zl", "Zp")} | set(IGNORABLE)
ALL_HIDDEN = "".join(map(chr, sorted(HIDDEN - {0}))).replace("\n", "")
NOT_TO_SHOW = set(ALL_HIDDEN + "\0")
NAMES = [
    b"\x1b]0;owned\x07\x1b[2J\x1b[31mred", b"a\r\n| forged | row |\n# head\n\n1,2,3\nb",
    b"\xc2\x9b31m\xc2\x85next", "left\u202eright\u2066\u061c\u200b\ufeffx".encode(),
    b"bad\xff\xc0\x80\xed\xa0\x80\xf5\x80", b"=cmd|' /C calc'!A0", b"+1+cmd()", b"-2+3+cmd()",
    b"@SUM(1)", b"\t=1+1", "＝1+1".encode(), b"]]></text><script>x</script>&\"'\\",
    b"`code` [link](x) <b>|b|</b>", b"a;=b(),c", ALL_HIDDEN.encode(), b"x" * 5000, b"", b" ",
    b"%s%n%n%d", "日本語é".encode(),
]
# Words of the format itself: every other recording is left with its own.
KEPT = {"token", "level", "clock", "recording", "taken_by", "kind", "symbols"}
KINDS = ("fixture", "groups", "snapshots", "marks", "machine", "findings", "jobs-before",
         "timeline", "why")
REPORTS = (
    ["report"], ["functions"], ["exclude-list"], ["tree"], ["memory"], ["leaks"], ["snapshots"], ["resources"],
    ["components"], ["steps"], ["bottlenecks"], ["doctor"], ["runs"], ["ranks"], ["callers", "main"],
    ["delta", "1", "2"], ["locks"], ["critical"], ["why"], ["why", "#102"],
    ["timeline"], ["timeline", "--run", "1"],
)
FORMATS = ("text", "json", "csv", "md", "html")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?%?$")
STEERING = re.compile(r"^[=+\-@\t\r＝＋－＠]")


def make(folder, kind):
    path = os.path.join(folder, kind + ".db")
    make_db.make(kind, path)
    return path


def poison(path, everything):
    """Every text gets a hostile one in its place, the next of the set."""
    db = sqlite3.connect(path)
    tables = [name for (name,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    number = 0
    for table in tables:
        columns = db.execute(f"PRAGMA table_info({table})").fetchall()
        key = [column[1] for column in columns if column[5]] or ["rowid"]
        names = [column[1] for column in columns
                 if column[2] == "TEXT" and column[1] not in key]
        if not everything:
            names = [name for name in names if name not in KEPT and
                     not (table == "trust" and name == "name")]
        where = " AND ".join(f"{name} IS ?" for name in key)
        rows = db.execute(f"SELECT {', '.join(key)} FROM {table}").fetchall() if names else []
        for row in rows:
            for name in names:
                number += 1
                value = NAMES[number % len(NAMES)] + (b"%d" % number if name == "token" else b"")
                db.execute(f"UPDATE {table} SET {name} = CAST(? AS TEXT) WHERE {where}",
                           (value, *row))
    db.commit()
    db.close()


def check_shown(what, output, problems):
    shown = NOT_TO_SHOW.intersection(output.decode("utf-8"))
    if shown:
        problems.append(f"{what}: shows {min(shown)!r}")


def without_script(output, what, problems):
    """The picture, or the page, less its style and its script, which are ours and may be
    indented, and the page's data, which is no text."""
    parts = re.subn(rb"<style>.*?</style>|<script>.*?</script>\n</(svg|body)>|"
                    rb'<script type="text/plain" id="data">[\w+/=\n]*</script>', b"", output,
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
    if {"json", "sarif", "speedscope", "firefox", "dhat", "chrome"} & set(arguments):
        json.loads(output)
    if "junit" in arguments or is_picture:
        xml.etree.ElementTree.fromstring(output)


def commands(path, kind, turn):
    """turn: of a recording, when each report is to be shown in one format only."""
    for number, report in enumerate(REPORTS):
        forms = FORMATS if turn is None else [FORMATS[(number + turn) % len(FORMATS)]]
        for form in forms:
            yield report[:1] + [path] + report[1:] + ["--format", form]
    yield ["bottlenecks", path, "--format", "sarif", "--show-sql"]
    yield ["flamegraph", path]
    yield ["flamegraph", path, "--diff", path]
    for form in ("folded", "pprof", "speedscope", "callgrind", "firefox", "dhat", "massif",
                 "chrome"):
        yield ["export", form, path]
    sides = ["--before", "1", "--after", "2"] if kind in ("fixture", "groups") else [path]
    for form in FORMATS + ("junit",):
        yield ["compare", path, *sides, "--format", form, "--fail-on", "regression", "--gate",
               "calls=0%"]
    for form in FORMATS:
        yield ["sql", path, "--format", form,
               "SELECT name AS '\x1b[31m\u202e|,=', file, 1.5, -3 FROM functions"]


def bad_usage(path):
    bad = "a\x1b[31m\u202e\u009b\rb"
    for report, options in (
            ("report", "limit format focus ignore run thread sort map"),
            ("compare", "before after fail-on by limit=wall limit=x limit=func:x.total"),
            ("compare", "limit=wall=1% focus=( ignore=("), ("tree", "min-share thread"),
            ("flamegraph", "width metric snapshot diff before process"),
            ("bottlenecks", "rules map suppressions fail-on focus=( sort"),
            ("leaks", "suppressions process limit=wall"), ("delta", "until by process"),
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
    sanitized = is_sanitized(program)

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
        for number, kind in enumerate(KINDS):
            path = make(folder, kind)
            poison(path, number % 2)
            for arguments in commands(path, kind, number if sanitized else None):
                run(arguments, kind)
        path = make(folder, "fixture")
        for arguments in bad_usage(path):
            run(arguments, "usage")
    print("\n".join(problems[:60]))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()
