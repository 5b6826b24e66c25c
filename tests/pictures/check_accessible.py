#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What axe finds against the HTML page: nothing.

usage: check_accessible.py PROF_ANALYZE MAKE_DB.py AXE.js

For scripts/check-exports, which fetches axe. Looks at each page light and dark, wide and
narrow, with and without its scripts, and in the views of the explorer. Prints a line for
each look.
"""
import os
import sys
import tempfile

import browser
import pages

# that it looked at all is told by what it found to be right
RUN = """axe.run(document).then(function (found) {
  return (found.passes.length < 15 ? ["only " + found.passes.length + " rules passed"] : []).concat(
    found.violations.map(function (one) { return one.id + ": " + one.nodes.map(
      function (node) { return node.html; }).slice(0, 3); })); })"""
VIEWS = ["", "#f=main", "#view=inverted&search=main", "#view=flame&from=100000000&to=200000000&hide=fib"]
# width, colours, with scripts
LOOKS = [(1300, "light", True), (1300, "dark", True), (400, "light", True), (400, "dark", True),
         (1300, "light", False)]


def look(chromium, axe, path, width, scheme, has_scripts):
    chromium.call("Emulation.setScriptExecutionDisabled", value=not has_scripts)
    chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
    chromium.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
    page = pages.Page(chromium, path, path)
    if has_scripts and page.run("!!document.getElementById('explorer')"):
        page.wait()
    found = []
    for view in VIEWS if has_scripts and not found else [""]:
        page.run("location.hash = '%s'; 0" % view)
        chromium.call("Emulation.setScriptExecutionDisabled", value=False)
        if has_scripts:
            page.settle()
        page.run(axe + ";0")
        found += ["%s: %s" % (view, one) for one in page.run(RUN, wait=True)]
    return found


def main():
    program, make_db, axe = sys.argv[1:]
    with open(axe, encoding="utf-8") as file:
        code = file.read()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        made = pages.make(program, make_db, folder)
        tempfile.tempdir = os.environ["TMPDIR"] = os.path.join(folder, "browser")
        os.mkdir(tempfile.tempdir)
        chromium = browser.Browser("chromium")
        try:
            # of nothing but what the lanes have, for many seconds
            del made["crowded"]
            for name, path in made.items():
                for width, scheme, has_scripts in LOOKS:
                    found = look(chromium, code, path, width, scheme, has_scripts)
                    bad += len(found)
                    print("axe: %s, %d wide, %s%s: %d violations" % (
                        name, width, scheme, "" if has_scripts else ", no scripts", len(found)),
                        *found, sep="\n  ")
        finally:
            chromium.close()
    return 1 if bad else 0


sys.exit(main())
