#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Click, search and walk in a flame graph, in headless Chromium.

usage: check_flamegraph.py PROF_ANALYZE MAKE_DB.py

Skipped (status 77) where there is no Chromium. Names from a symbol table may hold
anything: one run has such names, and none of it may come alive in the page.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import browser

HOSTILE = "<script>document.title='owned'</script>]]>&quot;"
WIDTH = 1280  # of a window of 1300

STATE = """[].slice.call(document.querySelectorAll("#frames > g")).map(function (g) {
  var rect = g.querySelector("rect"), text = g.querySelector("text");
  var box = rect.getBoundingClientRect();
  return {name: g.querySelector("title").textContent.split("\\n")[0],
    x: +rect.getAttribute("x"), width: +rect.getAttribute("width"),
    at: [box.left + box.width / 2, box.top + box.height / 2],
    shown: box.width > 0, found: g.classList.contains("found"),
    focused: document.activeElement === g, label: text ? text.textContent : ""};
})"""

# the colours of each frame with a name, and of the page behind
COLOURS = """[].slice.call(document.querySelectorAll("#frames > g > text")).map(function (t) {
  var rect = getComputedStyle(t.parentNode.querySelector("rect"));
  return {text: getComputedStyle(t).fill, fill: rect.fill, opacity: +rect.fillOpacity,
    page: getComputedStyle(document.querySelector(".page")).fill,
    kind: t.parentNode.getAttribute("class")};
})"""
LEAST_CONTRAST = 4.5
LETTERS_TO_TELL = 24  # a label of fewer says what it is, not which of several

failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


class Page:
    def __init__(self, chromium, path):
        self.browser = chromium
        chromium.open(path)

    def frames(self):
        return self.browser.run(STATE)

    def frame(self, name):
        return [frame for frame in self.frames() if frame["name"] == name][0]

    def focused(self):
        return [frame["name"] for frame in self.frames() if frame["focused"]]

    def text(self, selector):
        return self.browser.run("document.querySelector('%s').textContent" % selector)

    def finish(self, name):
        check("%s: complaints %s" % (name, self.browser.complaints()),
              not self.browser.complaints())


def check_zoom(page):
    at_rest = page.frames()
    page.browser.click(*page.frame("fib")["at"])
    zoomed = page.frames()
    fib = page.frame("fib")
    check("a click widens the frame", abs(fib["width"] - WIDTH) < 1 and fib["shown"])
    check("and its callers", abs(page.frame("main")["width"] - WIDTH) < 1)
    check("and takes away the rest", not page.frame("worker")["shown"])
    check("the details are told", page.text("#details").startswith("fib "))
    check("fewer are shown", sum(f["shown"] for f in zoomed) < len(zoomed))
    page.browser.key("Escape")
    back = page.frames()
    check("Escape shows all", all(f["shown"] for f in back))
    check("where they were", all(abs(a["x"] - b["x"]) < .01 and
                                 abs(a["width"] - b["width"]) < .01 and
                                 a["label"] == b["label"]
                                 for a, b in zip(at_rest, back)))


def check_search(page):
    page.browser.key("/")
    page.browser.type("is_|FIB")
    check("capitals count when there are any", page.text("#found").startswith("2 frames"))
    page.browser.key("Escape")
    check("Escape clears the search", page.text("#found") == "")
    page.browser.type("fib|^main$")
    found = [frame["name"] for frame in page.frames() if frame["found"]]
    check("found: %s" % found, found == ["main", "fib"])
    share = page.frame("main")["width"] / WIDTH * 100
    check("a match inside of a match counts once: " + page.text("#found"),
          page.text("#found") == "2 frames, %.1f%% of all" % share)
    page.browser.key("Enter")
    page.browser.key("n")
    check("n goes to the next: %s" % page.focused(), page.focused() == ["fib"])
    page.browser.key("/")
    page.browser.type("(")
    check("a bad expression is told", page.text("#found") == "not a regular expression")
    found = [frame["name"] for frame in page.frames() if frame["found"]]
    check("and finds nothing: %s" % found, not found)


def check_keys(page):
    page.browser.run("document.querySelector('#frames > g').focus()")
    names = []
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"):
        page.browser.key(key)
        names += page.focused()
    parse = "ns::Parser::parse(std::istream&)"
    check("keys walk: %s" % names, names == ["main", parse, "fib", parse, "main"])
    page.browser.key("ArrowRight")
    page.browser.key("Enter")
    check("Enter zooms", abs(page.frame("worker")["width"] - WIDTH) < 1)


def check_names(chromium, path):
    page = Page(chromium, path)
    frame = page.frame(HOSTILE)
    check("a name stays text", frame["shown"] and page.text("title") == "CPU time by call path")
    chromium.click(*frame["at"])
    check("zoomed, too: " + page.frame(HOSTILE)["label"],
          page.frame(HOSTILE)["label"] == HOSTILE)
    check("no script of a name ran", chromium.run("document.title") != "owned")
    page.finish("names")


def check_labels(chromium, program, database, picture):
    """What a zoomed frame says fits its function only, as what tables say does."""
    page = Page(chromium, picture)
    chromium.click(*page.frame("all")["at"])
    names = {frame["name"]: frame for frame in page.frames()}
    labels = {}
    for name in sorted(name for name in names if name.startswith("shop::")):
        chromium.click(*page.frame(name)["at"])
        frame = page.frame(name)
        check("%s: not zoomed" % name, abs(frame["width"] - WIDTH) < 1)
        labels.update((frame["label"], frame["name"]) for frame in page.frames()
                      if frame["shown"] and "\u2026" in frame["label"] and
                      len(frame["label"]) >= LETTERS_TO_TELL)
        chromium.key("Escape")
    check("few labels are short ones: %s" % labels, len(labels) >= 8)
    for label, name in labels.items():
        done = subprocess.run([program, "callers", label, database, "-f", "json"],
                              capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)["function"]["name"] if done.returncode == 0 else done.stderr
        check("'%s' is not told as %s, but: %s" % (label, name, found), found == name)
    page.finish("labels")


def luminance(colour):
    parts = [part / 255 for part in colour]
    parts = [part / 12.92 if part <= .03928 else ((part + .055) / 1.055) ** 2.4
             for part in parts]
    return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2]


def contrast(frame):
    """Of the name with the frame behind it, through which the page may shine."""
    text, fill, page = ([int(part) for part in re.findall(r"\d+", frame[which])[:3]]
                        for which in ("text", "fill", "page"))
    behind = [frame["opacity"] * a + (1 - frame["opacity"]) * b for a, b in zip(fill, page)]
    low, high = sorted((luminance(text), luminance(behind)))
    return (high + .05) / (low + .05)


def check_colours(chromium, paths):
    kinds = set()
    for scheme in ("light", "dark"):
        chromium.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        for path in paths:
            page = Page(chromium, path)
            frames = chromium.run(COLOURS)
            kinds.update(frame["kind"] for frame in frames)
            worst = min(frames, key=contrast)
            check("%s: a contrast of %.1f: %s" % (scheme, contrast(worst), worst),
                  contrast(worst) >= LEAST_CONTRAST)
            dark = luminance([int(part) for part in
                              re.findall(r"\d+", frames[0]["page"])[:3]]) < .1
            check("%s: the page is the other" % scheme, dark == (scheme == "dark"))
            page.finish("colours")
    check("not all kinds are there: %s" % kinds, {None, "library", "unknown"} <= kinds)


def make(program, make_db, folder):
    database = os.path.join(folder, "fixture.db")
    plain, names = (os.path.join(folder, name) for name in ("plain.svg", "names.svg"))
    subprocess.run([sys.executable, make_db, "fixture", database], check=True)
    subprocess.run([program, "flamegraph", database, "-o", plain], check=True)
    db = sqlite3.connect(database)
    db.execute("UPDATE function SET name = ? WHERE name = 'fib'", (HOSTILE,))
    db.commit()
    db.close()
    subprocess.run([program, "flamegraph", database, "-o", names], check=True)
    return plain, names, make_labels(program, make_db, folder), make_coloured(
        program, make_db, folder, plain)


def make_labels(program, make_db, folder):
    """A database whose functions have names that are long and differ in the middle."""
    database, picture = (os.path.join(folder, "labels" + end) for end in (".db", ".svg"))
    subprocess.run([sys.executable, make_db, "fixture", database], check=True)
    db = sqlite3.connect(database)
    db.execute("UPDATE function SET full_name = NULL, linkage_name = NULL, name = "
               "printf('shop::Table<std::pair<shop::keys::Key_%d const, shop::values::Value<' "
               "|| 'shop::Money, %d>>, shop::policies::hash_of_several_words>::' || "
               "'find_or_insert_%s(shop::Order const&, shop::values::Value<shop::Money, %d>, "
               "int)', function_id, function_id, CASE WHEN function_id % 2 THEN 'one' ELSE "
               "'two' END, function_id)")
    db.commit()
    db.close()
    subprocess.run([program, "flamegraph", database, "-o", picture], check=True)
    return database, picture


def make_coloured(program, make_db, folder, plain):
    coloured = [plain]
    for kind, *options in (("frames",), ("drowned",), ("snapshots", "--metric", "bytes"),
                           ("groups", "--before", "before", "--after", "after")):
        database = os.path.join(folder, kind + ".db")
        subprocess.run([sys.executable, make_db, kind, database], check=True)
        coloured.append(os.path.join(folder, kind + ".svg"))
        subprocess.run([program, "flamegraph", database, "-o", coloured[-1], *options],
                       check=True)
    return coloured


def main():
    program, make_db = sys.argv[1:]
    path = shutil.which("chromium")
    if not path:
        print("no chromium: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        plain, names, labels, coloured = make(program, make_db, folder)
        tempfile.tempdir = os.environ["TMPDIR"] = os.path.join(folder, "browser")
        os.mkdir(tempfile.tempdir)
        chromium = browser.Browser(path)
        try:
            page = Page(chromium, plain)
            check_zoom(page)
            check_search(page)
            page.finish("search")
            page = Page(chromium, plain)
            check_keys(page)
            page.finish("keys")
            check_names(chromium, names)
            check_labels(chromium, program, *labels)
            check_colours(chromium, coloured)
        finally:
            chromium.close()
        check("left behind: %s" % os.listdir(tempfile.tempdir),
              not os.listdir(tempfile.tempdir))
    for failure in failures:
        print("failed: " + failure)
    return 1 if failures else 0


sys.exit(main())
