#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read, sort and filter the HTML page, in headless Chromium.

usage: check_page.py PROF_ANALYZE MAKE_DB.py

Skipped (status 77) where there is no Chromium. Names may hold anything: one run has such
names, and none of it may come alive in the page.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import browser

HOSTILE = "</script></style><script>document.title='owned'</script><img src=x onerror=alert(1)>\u202e"
PAGES = {
    "plain": ("fixture", ["report"]),
    "names": ("hostile", ["report"]),
    "waits": ("waits", ["report"]),
    "memory": ("fixture", ["memory"]),
    "delta": ("snapshots", ["delta", "1", "2"]),
    "compare": ("groups", ["compare", "--before", "before", "--after", "after"]),
}
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


class Page:
    def __init__(self, chromium, name, path):
        self.browser, self.name = chromium, name
        chromium.open(path)

    def run(self, code):
        return self.browser.run(code)

    def column(self, section, number):
        """The texts of a column's rows that are shown, of a section by its name."""
        return self.run("""[].slice.call(document.querySelectorAll(
          "section[data-name='%s'] tbody tr")).filter(function (row) {
          return !row.hidden; }).map(function (row) {
          return row.cells[%d].textContent; })""" % (section, number))

    def check(self, what, holds):
        check("%s: %s" % (self.name, what), holds)

    def finish(self):
        self.check("complaints %s" % self.browser.complaints(), not self.browser.complaints())
        asked = [event["request"]["url"] for event in
                 self.browser._told("Network.requestWillBeSent")]
        self.check("asked for %s" % asked, len(asked) == 1)


def check_tables(page):
    before = page.column("functions", 0)
    page.check("a table: %s" % before, "main" in before)
    page.run("document.querySelector(\"section[data-name='functions'] th button\").click()")
    after = page.column("functions", 0)
    page.check("sorted: %s" % after, sorted(before) == sorted(after) != before and
               after.index("fib") < after.index("main"))
    page.run("""(function () { var field = document.querySelector(
      "section[data-name='functions'] input"); field.value = "^fib";
      field.dispatchEvent(new Event("input")); })()""")
    page.check("filtered: %s" % page.column("functions", 0),
               page.column("functions", 0) == ["fib"])
    page.check("how many", page.run("document.querySelector(\"section[data-name='functions'] "
                                    "[role=status]\").textContent").startswith("1 of "))


def check_plain(page):
    """Without its script the page says all: its sections stand in the file itself."""
    names = page.run("[].slice.call(document.querySelectorAll('main section')).map("
                     "function (one) { return one.dataset.name; })")
    for name in ("trust_line", "where", "findings", "functions", "allocation_sites"):
        page.check("has %s" % name, name in names)
    page.check("order", names.index("where") < names.index("findings") < names.index("functions"))
    page.check("parts", page.run("document.querySelectorAll('.parts li').length") == 3)


def check_names(page):
    page.check("no script of a name ran", page.run("document.title") == "profshim report")
    page.check("no markup of a name", page.run("document.images.length") == 0)
    page.check("names stay text", page.run("document.body.textContent").count(
        "<img src=x onerror=alert(1)>?") > 0)


def make(program, make_db, folder):
    databases, pages = {}, {}
    for kind, _ in PAGES.values():
        databases[kind] = os.path.join(folder, kind + ".db")
        subprocess.run([sys.executable, make_db, "fixture" if kind == "hostile" else kind,
                        databases[kind]], check=True)
    db = sqlite3.connect(databases["hostile"])
    db.execute("UPDATE function SET name = ? || name", (HOSTILE,))
    db.execute("UPDATE run SET command = ?, label = ?", (HOSTILE, HOSTILE))
    db.commit()
    db.close()
    for name, (kind, words) in PAGES.items():
        pages[name] = os.path.join(folder, name + ".html")
        command, *rest = words
        subprocess.run([program, command, databases[kind], *rest, "--format", "html", "-o",
                        pages[name]], check=True)
    return pages


def check_all(chromium, pages):
    for name, path in pages.items():
        page = Page(chromium, name, path)
        page.check("a heading", page.run("document.querySelectorAll('h1').length") == 1)
        if name == "plain":
            check_plain(page)
            check_tables(page)
        if name == "names":
            check_names(page)
        if name == "compare":
            page.check("proven and unproven rows", page.run(
                "new Set([].slice.call(document.querySelectorAll('tr[data-verdict]')).map("
                "function (row) { return getComputedStyle(row).color; })).size") == 2)
        page.finish()


def main():
    program, make_db = sys.argv[1:]
    path = shutil.which("chromium")
    if not path:
        print("no chromium: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        pages = make(program, make_db, folder)
        tempfile.tempdir = os.environ["TMPDIR"] = os.path.join(folder, "browser")
        os.mkdir(tempfile.tempdir)
        chromium = browser.Browser(path)
        try:
            check_all(chromium, pages)
        finally:
            chromium.close()
    for failure in failures:
        print("failed: " + failure)
    return 1 if failures else 0


sys.exit(main())
