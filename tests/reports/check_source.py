#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What --source shows of sources, and that it shows nothing else.

usage: check_source.py PROF-ANALYZE

Names of files come from the recording, which may be somebody else's, and the page is passed
on: nothing that is not a plain file below the directory that was named may come into it.
Devices and files of other users are made as root only.
"""
import html
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import make_db

SECRET = "int top_secret;\n"
THERE = "not there"
FOREIGN = "somebody else&apos;s, and not for all to read"
failures = []


def check(what, holds, told=""):
    if not holds:
        failures.append(f"{what}: {told}")


def write(path, content, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.chmod(path, mode)
    os.utime(path, (1.7e9, 1.7e9))  # before the run
    return path


def lines(mark, count=60):
    return "".join(f"{mark} {i + 1}\n" for i in range(count))


class Case:
    """A recording and the sources it is looked at with."""

    def __init__(self, program, folder):
        self.program, self.database = program, os.path.join(folder, "run.db")
        self.root, self.outside = os.path.join(folder, "tree"), os.path.join(folder, "outside")
        make_db.make("fixture", self.database)
        os.mkdir(self.root)
        self.secret = write(os.path.join(self.outside, "secret.c"), SECRET * 60, 0o600)

    def sql(self, *statements):
        db = sqlite3.connect(self.database)
        for statement, *values in statements:
            db.execute(statement, values)
        db.commit()
        db.close()

    def name(self, recorded, line=10):
        """One function is in this file, and nothing is anywhere else."""
        self.sql(("UPDATE function SET file = NULL, line = NULL",),
                 ("UPDATE site SET file = NULL, line = NULL",),
                 ("UPDATE function SET file = ?, line = ? WHERE name = 'fib'", recorded, line))

    def page(self, *words, command="report", roots=None):
        arguments = [self.program, command, self.database, *words]
        for root in roots or [self.root]:
            arguments += ["--source", root]
        done = subprocess.run(arguments + ["--format", "html"], capture_output=True, check=False,
                              timeout=100)
        check(f"{arguments}: ended with {done.returncode}", done.returncode == 0, done.stderr)
        found = re.search('<section id="source">.*?</section>', done.stdout.decode(), re.DOTALL)
        check(f"{arguments}: no secret", b"top_secret" not in done.stdout)
        return found.group() if found else ""

    def shows(self, recorded, text, **options):
        self.name(recorded)
        page = self.page(**options)
        check(f"{recorded} shows {text}", f"<code>{text} 10</code><span" in page, page)

    def refuses(self, recorded, why):
        self.name(recorded)
        page = self.page()
        check(f"{recorded[:80]!r} is refused: {why}",
              page.count("<li>") == 1 and f"{why}</li>" in page.replace("&#39;", "&apos;")
              .replace("somebody else's", "somebody else&apos;s") and "<ol" not in page, page)


def check_found(case):
    write(case.root + "/src/a.c", lines("near"))
    case.shows("/build/project/src/a.c", "near")
    case.shows("src/a.c", "near")
    case.shows("/build/obj/../src/./a.c", "near")
    write(case.root + "/a.c", lines("short end"))
    case.shows("/build/project/src/a.c", "near")
    case.shows("/build/project/lib/a.c", "short end")
    # the name itself before what repeats it below the directory
    write(case.root + os.path.realpath(case.root) + "/src/a.c", lines("repeated"))
    case.shows(os.path.realpath(case.root) + "/src/a.c", "near")
    other = case.root + "-other"
    write(other + "/project/src/a.c", lines("other"))
    case.shows("/build/project/src/a.c", "other", roots=[case.root, other])
    os.utime(case.root + "/src/a.c", (1.9e9, 1.9e9))
    case.name("src/a.c")
    check("a newer file is told", "changed after the run" in case.page())
    os.utime(case.root + "/src/a.c", (1.7e9, 1.7e9))
    check("an older one not", "changed after the run" not in case.page())


def check_outside(case):
    for name in ("../outside/secret.c", "src/../../outside/secret.c", case.secret, "..", "/", ".",
                 case.root + "/../outside/secret.c", "/" + "x" * 300 + "/secret.c",
                 "y/" * 5000 + "secret.c"):
        case.refuses(name, THERE)
    os.symlink(case.secret, case.root + "/link.c")
    case.refuses("/build/link.c", "a link, which is not followed")
    os.symlink(case.outside, case.root + "/out")
    case.refuses("/build/out/secret.c", THERE)
    for hidden in ("/.env", "/.ssh/key", "/src/.git/config"):
        write(case.root + hidden, SECRET * 60)
        case.refuses("/build" + hidden, THERE)
    os.link(case.secret, case.root + "/hard.c")
    case.refuses("/build/hard.c", FOREIGN)


def check_kinds(case):
    os.mkfifo(case.root + "/fifo.c", 0o644)
    os.mkdir(case.root + "/directory.c")
    kinds = ["fifo.c", "directory.c"]
    if os.geteuid() == 0:
        try:
            os.mknod(case.root + "/zero.c", 0o20644, os.makedev(1, 5))
            kinds.append("zero.c")
        except PermissionError:
            pass
        write(case.root + "/theirs.c", SECRET * 60, 0o600)
        os.chown(case.root + "/theirs.c", 65534, 65534)
        case.refuses("/build/theirs.c", FOREIGN)
    for name in kinds:
        case.refuses(name, "not a plain file")
    write(case.root + "/large.c", SECRET * 400000)
    case.refuses("large.c", "larger than 4 MiB")
    write(case.root + "/binary.c", SECRET * 60 + "\0")
    case.refuses("binary.c", "not a text")
    write(case.root + "/short.c", "int i;\n")
    case.refuses("short.c", "too short: it has none of these lines")


def check_text(case):
    """What stands in a source is text, whatever it is."""
    write(case.root + "/wild.c", b"\n" * 9 + b"</code><script>x</script>\x1b[31m\xff\xfe\xe2\x80\xae"
          b"\t&amp;" + b"\r\n" + "é".encode() * 500000 + b"TAIL")
    case.name("wild.c")
    page = case.page()
    check("escaped", "&lt;/code&gt;&lt;script&gt;" in page and "<script" not in page, page)
    check("no control character", not set(page) & set("\x1b\t\r\u202e"), page)
    check("an entity stays what it is", "&amp;amp;" in page, page)
    check("lines end", "TAIL" not in page and "é…" in page and len(page) < 5000, len(page))


def check_costs(case):
    case.name("src/a.c", 3)
    case.sql(("UPDATE site SET file = '/b/src/a.c', line = 40 WHERE alloc_count IN (40000, 2000)",))
    page = case.page()
    check("the sum of a line", "<code>near 40</code><span class=\"cost\">39.2MiB in 42,000 "
          "allocations</span>" in page, page)
    check("exact lines only", page.count("allocations</span>") == 1, page)
    check("a function where it begins", "<code>near 3</code><span class=\"cost\">fib: 36.9ms of "
          "its own, " in page, page)
    check("lines around", [int(n) for n in re.findall('value="([0-9]+)"', page)] ==
          [*range(1, 16), *range(37, 44)], page)
    memory = case.page(command="memory")
    check("memory has lines", "42,000 allocations</span>" in memory and "fib:" not in memory, memory)
    check("what is left out by --focus", "allocations</span>" not in case.page("--focus", "^fib$"))
    case.sql(("UPDATE function SET self_error_ns = self_ns / 5 WHERE name = 'fib'",))
    check("an estimate looks like one", 'cost estimate">fib: 36.9ms ±20%' in case.page())


def copies(table, chosen, count, change):
    """Rows like the one chosen, each with a number of its own."""
    for i in range(count):
        yield (f"CREATE TEMP TABLE one AS SELECT * FROM {table} WHERE {chosen} LIMIT 1",)
        yield (f"UPDATE one SET {table}_id = {table}_id + {1000 + i}, {change.format(i)}",)
        yield (f"INSERT INTO {table} SELECT * FROM one",)
        yield ("DROP TABLE one",)


def check_bounds(case):
    write(case.root + "/long.c", lines("long", 4000))
    case.sql(*copies("function", "name = 'fib'", 40,
                     "name = name || {0}, file = 'long.c', line = 10 * {0} + 10"),
             *copies("site", "alloc_count = 40000", 50, "file = 'long.c', line = 20 * {0} + 2000"))
    page = case.page()
    told = html.unescape(page)
    check("functions are bounded", re.search(r"Shown are 20 of \d\d functions", told), told[:600])
    check("lines are bounded", re.search(r"and 30 of \d\d allocating lines", told), told[:600])
    check("no more than that", page.count('class="cost') <= 50, page.count('class="cost'))


def check_usage(case):
    for words, status, told in (
            (["report", case.database, "--source", case.root], 2, b"--format html"),
            (["functions", case.database, "--source", case.root, "--format", "html"], 2,
             b"takes no --source"),
            (["report", case.database, "--source", case.secret, "--format", "html"], 1,
             b"Not a directory"),
            (["report", case.database, "--source", case.root + "/none", "--format", "html"], 1,
             b"No such file")):
        done = subprocess.run([case.program, *words], capture_output=True, check=False)
        check(f"{words}", done.returncode == status and told in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="profshim-source-") as folder:
        case = Case(sys.argv[1], folder)
        for step in (check_found, check_outside, check_kinds, check_text, check_costs, check_bounds,
                     check_usage):
            step(case)
    print("\n".join(failures))
    return bool(failures)


sys.exit(main())
