# SPDX-License-Identifier: MIT
"""HTML pages of recordings that make_db.py makes, and what a reader does with one."""
import os
import sqlite3
import subprocess
import sys
import time

import browser

HOSTILE = "</script></style><script>document.title='owned'</script><img src=x onerror=alert(1)>\u202e"
SOURCES = "sources"  # a folder beside the pages
PAGES = {
    "plain": ("fixture", ["report"]),
    "names": ("hostile", ["report", "--source", SOURCES]),
    "waits": ("waits", ["report"]),
    "range": ("uncertain", ["report"]),
    "both": ("timeline", ["report", "--run", "1"]),
    "why": ("why", ["report"]),
    "memory": ("fixture", ["memory"]),
    "lanes": ("timeline", ["timeline", "--run", "1"]),
    "crowded": ("crowded", ["timeline", "--run", "1"]),
    "delta": ("snapshots", ["delta", "1", "2"]),
    "compare": ("groups", ["compare", "--before", "before", "--after", "after"]),
}
COPIES = {"hostile": "fixture", "crowded": "timeline", "uncertain": "snapshots"}
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


class Page:
    def __init__(self, chromium, name, path):
        self.browser, self.name = chromium, name
        chromium.open(path)

    def run(self, code, wait=False):
        return self.browser.run(code, wait)

    def column(self, section, number):
        """The texts of a column's rows that are shown, of a section by its name."""
        return self.run("""[].slice.call(document.querySelectorAll(
          "section[data-name='%s'] tbody tr")).filter(function (row) {
          return !row.hidden; }).map(function (row) {
          return row.cells[%d].textContent; })""" % (section, number))

    def wait_for(self, condition):
        until = time.time() + browser.PATIENCE_S
        while not self.run(condition):
            if time.time() > until:
                raise RuntimeError("not yet %s: %s" % (condition, self.browser.complaints()))
            time.sleep(.05)

    def wait(self):
        """Until the explorer is there, and its tables."""
        self.wait_for("!!document.querySelector('#explorer[data-ready]')")
        self.settle()

    def wait_lanes(self):
        self.wait_for("!!document.querySelector('[data-name=lanes][data-ready]')")

    def settle(self):
        """Until what follows a choice has followed it."""
        self.wait_for("!document.querySelector('#main[aria-busy]')")

    def key(self, *keys):
        self.run("document.getElementById('stage').focus()")
        for key in keys:
            self.browser.key(key)

    def told(self):
        """What a screen reader says of the frame that is chosen."""
        return self.run("document.getElementById('frame').textContent")

    def shown(self):
        return self.run("document.getElementById('shown').textContent")

    def choose(self, label, value):
        self.run("""(function () { var list = [].slice.call(document.querySelectorAll(
          "#live select")).filter(function (one) { return (one.getAttribute("aria-label") ||
          one.parentNode.textContent).startsWith("%s"); })[0];
          list.value = "%s"; list.dispatchEvent(new Event("change")); })()""" % (label, value))
        self.settle()

    def link(self):
        return self.run("location.hash")

    def functions(self):
        """The rows of the table of functions that is in sight, by name and column."""
        self.settle()
        return dict(self.run("""(function () {
          var table = [].slice.call(document.querySelectorAll("[data-name=functions] table")).filter(
            function (one) { return one.offsetHeight; })[0];
          var titles = [].slice.call(table.tHead.rows[0].cells).map(function (cell) {
            return cell.textContent; });
          return [].slice.call(table.tBodies[0].rows).map(function (row) {
            return [row.cells[0].querySelector("code").textContent, Object.fromEntries(
              [].slice.call(row.cells).map(function (cell, i) {
                return [titles[i], cell.textContent]; }))]; });
          })()"""))

    def drag(self, where, y, *shares):
        """Presses the pointer at the first share of the element's width, lets it go at the last."""
        box = self.run("""(function () { var one = document.querySelector('%s'), box;
          one.scrollIntoView({block: "center"}); box = one.getBoundingClientRect();
          return [box.left, box.top, box.width]; })()""" % where)
        for kind, share in zip(("mousePressed", "mouseMoved", "mouseReleased"), shares):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * share,
                              y=box[1] + y, button="left", clickCount=1)

    def check(self, what, holds):
        check("%s: %s" % (self.name, what), holds)

    def finish(self):
        self.check("complaints %s" % self.browser.complaints(), not self.browser.complaints())
        asked = [event["request"]["url"] for event in
                 self.browser._told("Network.requestWillBeSent")]
        self.check("asked for %s" % asked, len(asked) == 1)


def crowd(path):
    """More calls than a page draws, each within the one before it for 30 levels, and steps
    with a name that wants to be more than a name."""
    db = sqlite3.connect(path)
    columns = ("run_id, process_id, lane_id, thread_id, kind, name, path_id, started_ns,"
               " duration_ns, call_ns")
    insert = ("INSERT INTO span (%s) SELECT run_id, process_id, lane_id, thread_id, ?, ?, path_id,"
              " ?, ?, ? FROM span WHERE run_id = 1 AND kind = 4" % columns)
    for i in range(4000):
        db.execute(insert, (1, None, i * 240_000, 100_000 + i, 100_000))
    for i in range(30):
        db.execute(insert, (1, None, 970_000_000 + i, 20_000_000 - 2 * i, 1))
    for i in range(10):
        db.execute(insert, (3, HOSTILE, i * 90_000_000, 80_000_000, 1))
    db.commit()
    db.close()


def make(program, make_db, folder):
    databases, pages = {}, {}
    for kind, _ in PAGES.values():
        databases[kind] = os.path.join(folder, kind + ".db")
        subprocess.run([sys.executable, make_db, COPIES.get(kind, kind), databases[kind]],
                       check=True)
    db = sqlite3.connect(databases["hostile"])
    db.execute("UPDATE function SET name = ? || name", (HOSTILE,))
    db.execute("UPDATE run SET command = ?, label = ?", (HOSTILE, HOSTILE))
    db.commit()
    db.close()
    db = sqlite3.connect(databases["uncertain"])
    db.execute("UPDATE path SET self_error_ns = self_ns / 50, total_error_ns = self_ns / 50")
    db.commit()
    db.close()
    crowd(databases["crowded"])
    sources = os.path.join(folder, SOURCES)
    os.mkdir(sources)
    for name in ("main.cc", "parser.cc", "fib.c"):
        with open(os.path.join(sources, name), "w", encoding="utf-8") as file:
            file.write(("\t" + HOSTILE + "\n") * 60)
    for name, (kind, words) in PAGES.items():
        pages[name] = os.path.join(folder, name + ".html")
        command, *rest = [sources if word == SOURCES else word for word in words]
        subprocess.run([program, command, databases[kind], *rest, "--format", "html", "-o",
                        pages[name]], check=True)
    return pages
