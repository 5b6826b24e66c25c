#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read, sort and filter the HTML page, in headless Chromium.

usage: check_page.py PROF_ANALYZE MAKE_DB.py

Skipped (status 77) where there is no Chromium. Names may hold anything: one run has such
names, and none of it may come alive in the page.
"""
import os
import re
import shutil
import sys
import tempfile

import browser
import pages

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
    page.check("order: %s" % names, [name for name in names if name in (
        "trust_line", "where", "findings", "functions", None, "allocation_sites")] ==
        ["trust_line", "where", "findings", "functions", None, "allocation_sites"])
    page.check("the first screen", page.run("""[].slice.call(document.querySelectorAll(
      "[data-name=summary], .finding")).slice(0, 4).concat([].slice.call(
      document.querySelectorAll("[data-name=functions] tr")).slice(0, 3)).every(function (one) {
      return one.getBoundingClientRect().bottom < 800; })"""))
    page.check("parts", page.run("[].slice.call(document.querySelectorAll("
               "'[data-name=where] .parts li')).map(function (one) { return one.textContent.split(' ')"
               ".slice(2, 3)[0].replace(',', ''); })") == ["computing", "CPU", "blocked", "hooks"])


def check_unshown(page):
    """Slices have no table before there is a range: its button is away, and breaks nothing."""
    page.settle()
    page.check("no button", page.run("""[].slice.call(document.querySelectorAll(
      "[data-name=spans] .live-table")).map(function (one) {
      var more = [].slice.call(one.querySelectorAll("button")).pop(), hidden = more.hidden;
      more.click(); return [more.textContent, hidden, one.querySelectorAll("tr td").length]; })"""
      ) == [["Show more rows", True, 0]])


def check_names(page):
    page.check("no script of a name ran", page.run("document.title") == "profshim report")
    page.check("no markup of a name", page.run("document.images.length") == 0)
    page.check("lines of sources", page.run(
        "document.querySelectorAll('#source details[open] li code').length") > 20)
    page.check("what was measured below its line", page.run("""[].slice.call(
      document.querySelectorAll('#source details[open] .cost')).every(function (one) {
      return one.previousElementSibling.getBoundingClientRect().bottom <=
        one.getBoundingClientRect().top + 1; })"""))
    page.browser.call("Emulation.setDeviceMetricsOverride", width=400, height=900,
                      deviceScaleFactor=1, mobile=False)
    page.check("sources as wide as the page", page.run(
        "[].slice.call(document.querySelectorAll('#source *')).every(function (one) {"
        "return one.getBoundingClientRect().right <= 400; })"))
    page.browser.call("Emulation.setDeviceMetricsOverride", width=1300, height=1000,
                      deviceScaleFactor=1, mobile=False)
    page.check("names stay text", page.run("document.body.textContent").count(
        "<img src=x onerror=alert(1)>?") > 0)


def check_walk(page):
    page.wait()
    page.key("Home", "ArrowDown")
    page.check("a callee: " + page.told(), page.told().startswith("main, 802ms, 85.1% of the run"))
    page.key("ArrowRight")
    page.check("beside it: " + page.told(), page.told().startswith("worker, 140ms"))
    page.check("its level", page.run("document.getElementById('frame')."
                                     "getAttribute('aria-level')") == "2")
    page.check("a link: " + page.link(), "at=" in page.link())
    page.key("Enter")
    page.check("zoomed: " + page.shown(), page.shown().startswith("Shown: 140ms, 14.9% of 942ms"))
    page.key("Escape")
    page.check("all again: " + page.shown(), page.shown().startswith("Shown: 942ms, 100.0%"))


def check_hide(page):
    page.key("h")
    page.check("hidden: " + page.shown(), "hidden 14.9%" in page.shown() and
               page.shown().startswith("Shown: 802ms, 85.1%"))
    page.check("not in the table: %s" % sorted(page.functions()), "worker" not in page.functions())
    page.key("u", "Home", "ArrowDown", "m")
    page.check("merged: its callees are called by its callers",
               page.shown().startswith("Shown: 942ms, 100.0%"))
    page.key("Home", "ArrowDown")
    page.check("merged: " + page.told(), page.told().startswith("ns::Parser::parse"))
    page.key("u")


def check_views(page):
    """The sums of the views agree with each other and with the report's tables."""
    parse = "ns::Parser::parse(std::istream&), 878ms, 93.1% of the run"
    page.key("Home", "ArrowDown", "ArrowDown", "s")
    page.check("sandwich: " + page.told(), page.told().startswith(parse))
    page.key("ArrowUp")
    page.check("its caller: " + page.told(), page.told().startswith("main, 758ms"))
    page.key("ArrowRight")
    page.check("the other: " + page.told(), page.told().startswith("worker, 120ms"))
    page.key("ArrowDown", "ArrowDown")
    page.check("its callee: " + page.told(), page.told().startswith("std::_Rb_tree"))
    page.choose("View", "inverted")
    page.key("Home", "ArrowDown")
    page.check("inverted: " + page.told(),
               page.told().startswith("ns::Parser::parse(std::istream&), 532ms, 56.5%"))
    page.choose("View", "flame")
    page.key("Home", "ArrowUp")
    page.check("flame: " + page.told(), page.told().startswith("main, 802ms"))
    page.choose("Metric", 6)
    page.check("bytes: " + page.shown(), "bytes allocated" in page.shown())
    page.choose("Metric", 1)
    page.choose("Order", "time")
    page.check("order: " + page.link(), "order=time" in page.link())


def check_search(page):
    page.run("document.getElementById('stage').focus()")
    page.browser.key("/")
    page.browser.type("is_|^fib")
    found = page.run("document.querySelector('#live [role=status]').textContent")
    page.check("found: " + found, found == "3 functions, 4.3%")
    page.browser.key("Enter")
    walk = [page.told()]
    for _ in range(3):
        page.key("n")
        walk.append(page.told())
    totals = [float(re.search("([0-9.]+)ms", one).group(1)) for one in walk]
    page.check("walks from the largest on, and round: %s" % walk, totals[0] == max(totals) and
               totals[:3] == sorted(totals[:3], reverse=True) and len(set(walk)) > 1)


def check_link(page, path, other):
    link, shown, told = page.link(), page.shown(), page.told()
    page.browser.open(other)
    page.browser.open(path + link)
    page.wait()
    page.check("a link opens the same view: %s: %s, %s" % (link, page.shown(), page.told()),
               (page.shown(), page.told()) == (shown, told))
    page.run("location.hash = 'f=fib'")
    page.wait_for("location.hash.indexOf('at=fib') < 0")
    page.settle()
    page.check("a link by name: " + page.told(), page.told().startswith("fib"))
    page.run("location.hash = 'view=bad&metric=99&zoom=1;x&from=7&hide=-1&at=%&f=1e9&thread=constructor'")
    page.wait_for("location.hash.indexOf('view=bad') < 0")
    page.settle()
    page.check("a link that makes no sense: " + page.shown(),
               page.shown().startswith("Shown: 942ms, 100.0%"))


def check_pointer(page):
    box = page.run("(function () { var box = document.querySelector('#stage .space')."
                   "getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    page.browser.click(box[0] + box[2] * .95, box[1] + 27)
    page.check("a click zooms: " + page.shown(), page.shown().startswith("Shown: 140ms"))
    page.check("and chooses: " + page.told(), page.told().startswith("worker"))


def own(functions):
    return [functions["parse"][column] for column in ("calls", "self")]


def check_range(page):
    page.wait()
    whole = page.functions()
    page.choose("From this moment", 1)
    page.choose("To this moment", 2)
    page.check("a range: " + page.shown(), page.shown().startswith("Shown: 13.1ms, 2.9% of") and
               "from loaded (100ms) to tick (200ms)" in page.shown())
    part = page.functions()
    page.check("its functions: %s" % part.get("parse"), own(part) == ["1,600", "6.00ms \u00b16%"])
    page.check("not those of the run: %s" % whole["parse"], own(whole) == ["19,200", "288ms"])
    check_ranged(page)
    sums = []
    for i in range(page.run("document.querySelector('#strip select').options.length") - 1):
        page.choose("From this moment", i)
        page.choose("To this moment", i + 1)
        sums.append(int(page.functions()["parse"]["calls"].replace(",", "")))
    page.check("all parts are the whole: %s" % sums, sum(sums) == 19200)
    # a sixth of the run's calls and a quarter of its time: not what is left of an error
    # that became less with each part
    last = own(page.functions())
    page.check("the last part's error is its share of the run's: %s" % last,
               last == ["2,400", "67.5ms \u00b12%"])
    page.drag(".course", 10, .1, .3, .3)
    page.settle()
    page.check("drawn: " + page.shown(), "from loaded" in page.shown() and "(400ms)" in page.shown())


RANGE = "document.querySelector('#range [role=status]').textContent"
OWN = """(function () { var section = document.querySelector("section[data-name='%s']");
  return [section.classList.contains("unranged"), section.querySelector(".said:not([hidden])") ?
  section.querySelector(".said").textContent : "", [].slice.call(
  section.querySelectorAll(".live-table:not(.away) tbody tr")).map(function (row) {
  return [].slice.call(row.cells).map(function (cell) { return cell.textContent; }); })]; })()"""


def check_ranged(page):
    """The report's own tables in a range, as what follows tells them."""
    grey, said, rows = page.run(OWN % "functions")
    page.check("it says of when: %s" % said, not grey and "loaded (100ms) to tick (200ms)" in said)
    grey, said, rows = page.run(OWN % "call_paths")
    page.check("paths: %s" % rows, not grey and any(
        row[0] == "parse" and row[5].endswith("\u2192 parse") for row in rows))
    page.check("the run's rows are away", page.run(
        "[].slice.call(document.querySelectorAll(\"section[data-name='functions'] > .scroll\"))"
        ".every(function (one) { return !one.offsetHeight; })"))
    for name in ("summary",):
        grey, said, rows = page.run(OWN % name)
        page.check("not known in ranges: %s %s" % (name, said),
                   grey and said == "Whole run: not known for ranges.")
    told = page.run("[].slice.call(document.querySelectorAll('.finding .said')).map("
                    "function (one) { return one.textContent; })")
    page.check("findings: %s" % told, told and all(
        one.startswith("In the range: ") or one == "Whole run: not known for ranges." for one in told))


def type_range(page, first, last):
    page.run("""(function () { var fields = document.querySelectorAll("#range input");
      fields[0].value = "%s"; fields[1].value = "%s"; document.getElementById("range")
      .requestSubmit(); })()""" % (first, last))
    page.settle()


def check_typed(page, path, other):
    """A range that is typed, its link, and the way back."""
    type_range(page, "100ms", ".2s")
    page.check("typed: " + page.run(RANGE), page.run(RANGE).startswith("Shown: 100ms to 200ms, "))
    page.check("the tree follows: " + page.shown(), "from loaded (100ms) to tick (200ms)" in page.shown())
    page.check("its link: " + page.link(), "from=100000000&to=200000000" in page.link())
    link, parse = page.link(), page.functions()["parse"]
    page.browser.open(other)
    page.browser.open(path + link)
    page.wait()
    page.check("opens the same", page.functions()["parse"] == parse and
               page.run(RANGE).startswith("Shown: 100ms to 200ms, "))
    for bad in (("x", "200ms"), ("200ms", "100ms"), ("5s", "6s"), ("", "")):
        type_range(page, *bad)
        page.check("no range: %s" % (bad,), page.run(RANGE).startswith("No range: "))
    page.run("[].slice.call(document.querySelectorAll('#range button')).pop().click()")
    page.functions()
    page.check("all again: " + page.link(), "from=" not in page.link() and ", 100.0% of" in
               page.run(RANGE) and not page.run("!!document.querySelector('.unranged')"))


def check_narrow(page):
    """On a telephone one sees how much there is now, and what to think of it."""
    page.browser.call("Emulation.setDeviceMetricsOverride", width=400, height=900,
                      deviceScaleFactor=1, mobile=False)
    seen = page.run("""[].slice.call(document.querySelectorAll("[data-name=totals] th[scope=col]"))
      .filter(function (one) { var box = one.getBoundingClientRect();
      return box.width && box.right <= 400; }).map(function (one) { return one.textContent; })""")
    page.check("in sight of 400 pixels: %s" % seen, {"verdict", "after"} <= set(seen))
    page.browser.call("Emulation.setDeviceMetricsOverride", width=1300, height=1000,
                      deviceScaleFactor=1, mobile=False)


def check_compare(page):
    """Proven, unproven and counted differences, and what is gone."""
    page.wait()
    gone = """[].slice.call(document.querySelectorAll(".live-table tbody tr")).map(function (row) {
      return [].slice.call(row.cells).map(function (cell) { return cell.textContent; }); })"""
    # those of another library or spelling are new and gone
    names = ("std::__1::vector<int>::size() const", "int grow<int>(int)", "trim(char*)",
             "slow_check")
    page.check("gone: %s" % page.run(gone), page.run(gone) == [
        [name, time, "gone", f"main \u2192 parse \u2192 {name}"]
        for name, time in zip(names, ("401us", "301us", "201us", "100us"))])
    page.key("Home", "ArrowDown")
    page.check("proven: " + page.told(), page.told().startswith(
        "main, +10.3ms, before 76.3ms, after 86.6ms, 95% interval of the change +9.") and
        ": more" in page.told())
    page.key("ArrowDown", "ArrowDown", "ArrowRight")
    page.check("unproven: " + page.told(), page.told().startswith("hash") and
               "not proven" in page.told())
    colours = page.run("""(function () { var pen = document.querySelector("#stage canvas")
      .getContext("2d").getImageData(0, 3 * 18 + 2, 1000, 1).data;
      return [50, 950].map(function (x) { return [].slice.call(pen, 4 * x, 4 * x + 3); }); })()""")
    page.check("only what is not proven is grey: %s" % colours,
               len(set(colours[0])) == 3 and len(set(colours[1])) == 1)
    page.choose("Metric", 5)
    page.key("Home", "ArrowDown")
    page.check("counted: " + page.told(), ", counted: more" in page.told())


LANES = """[].slice.call(document.querySelectorAll(".lane")).map(function (lane) {
  return [lane.querySelector("figcaption").textContent].concat([].slice.call(
  lane.querySelectorAll("svg svg")).map(function (one) { return [one.firstChild.textContent,
  one.getAttribute("x"), one.getAttribute("y"), one.getAttribute("width"),
  one.querySelector("rect").getAttribute("class")]; })); })"""


def check_lanes(page):
    """Each slice has its place, and says what it is."""
    lanes = {label: slices for label, *slices in page.run(LANES)}
    page.check("lanes: %s" % list(lanes), list(lanes)[:2] == ["pack (500)", "steps phase of pack (500)"]
               and list(lanes)[-1] == "snapshots" and len(lanes) == 8)
    page.check("a call: %s" % lanes["pack (500)"], lanes["pack (500)"][0] ==
               ["main: 1.00s, at 0", "0.000%", "0", "100.000%", "part3"])
    page.check("in it: %s" % lanes["reader (501)"], lanes["reader (501)"][1] ==
               ["fread: 180ms, at 110ms, mostly blocked", "11.000%", "20", "18.000%", "part2"])
    page.check("a moment: %s" % lanes["snapshots"], lanes["snapshots"] ==
               [["loaded: at 95.0ms", "9.500%", "0", "0.100%", "moment"]])
    page.check("reached by Tab: one of each lane", page.run(
        "document.querySelectorAll('.lane [tabindex=\"0\"]').length") == len(lanes))


CHOSEN = "document.activeElement.firstChild.textContent"


def check_lane_range(page, path, other):
    """A range by pointer, keys and link."""
    def keys(*names):
        for name in names:
            page.browser.key(name)

    page.check("all: " + page.run(RANGE), page.run(RANGE) == "Shown: 0 to 1.00s, 100.0% of 1.00s.")
    page.check("no link yet", page.link() == "")
    page.drag(".lane", 45, .1, .3, .6)
    page.check("drawn: " + page.run(RANGE), page.run(RANGE).endswith(", 50.0% of 1.00s."))
    page.settle()
    page.check("its link: " + page.link(), [round(int(one), -7) for one in
               re.fullmatch(r"#from=(\d+)&to=(\d+)", page.link()).groups()] == [10**8, 6 * 10**8])
    page.run("document.querySelectorAll('.lane')[2].querySelector('[tabindex=\"0\"]').focus()")
    page.check("in focus: " + page.run(CHOSEN), page.run(CHOSEN).startswith("read_items: 600ms"))
    keys("ArrowDown", "ArrowRight")
    page.check("walks: " + page.run(CHOSEN), page.run(CHOSEN).startswith("pthread_mutex_lock: 200ms"))
    keys("Enter")
    page.settle()
    page.check("alone: " + page.run(RANGE),
               page.run(RANGE) == "Shown: 290ms to 510ms, 22.0% of 1.00s.")
    rows = """[].slice.call(document.querySelectorAll("[data-name=spans] tbody tr")).filter(
      function (row) { return row.offsetHeight; }).map(function (row) {
      return row.cells[0].textContent; })"""
    page.check("rows of the range: %s" % page.run(rows), sorted(page.run(rows)) == [
        "fread", "fread", "main", "mutex", "pack", "pack_items", "phase", "pthread_join",
        "pthread_mutex_lock", "read_items", "thread"])
    page.run("""(function () { var field = document.querySelector(
      "[data-name=spans] .live-table input"); field.value = "^pack";
      field.dispatchEvent(new Event("input")); })()""")
    told = page.run("document.querySelector('[data-name=spans] .live-table [role=status]').textContent")
    page.check("of these: " + told, told.startswith("2 of "))
    place = dict((words, (x, width)) for words, x, _, width, _ in
                 [one for lane in page.run(LANES) for one in lane[1:]])
    page.check("its place: %s" % place, place["pthread_mutex_lock: 200ms, at 300ms, mostly blocked"]
               == ("4.545%", "90.909%"))
    keys("+")
    page.check("closer: " + page.run(RANGE), page.run(RANGE).startswith("Shown: 345ms to 455ms"))
    keys("ArrowRight")
    page.check("what comes into focus is shown: " + page.run(RANGE),
               page.run(CHOSEN).startswith("fread: 70.0ms") and
               page.run(RANGE).startswith("Shown: 455ms to 565ms"))
    shown, link = page.run(RANGE), page.link()
    page.browser.open(other)
    page.browser.open(path + link)
    page.wait_lanes()
    page.check("a link opens the same range: " + link, page.run(RANGE) == shown)
    for bad in ("from=5&to=1", "from=x", "from=-1&to=3", "to=%", "from=1e9&to=2e9",
                "from=0&to=9999999999999999999"):
        page.browser.open(other)
        page.browser.open(path + "#" + bad)
        page.wait_lanes()
        page.check("a link that makes no sense: " + bad, ", 100.0% of" in page.run(RANGE))
    page.run("document.querySelector('.lane [tabindex=\"0\"]').focus()")
    keys("w", "d", "s", "a")
    page.check("there and back: " + page.run(RANGE), ", 100.0% of" in page.run(RANGE))
    page.run("""document.querySelector('.lanes').dispatchEvent(new WheelEvent("wheel",
      {deltaY: -1, ctrlKey: true, bubbles: true, cancelable: true, clientX: 0}))""")
    page.check("the wheel: " + page.run(RANGE), page.run(RANGE).startswith("Shown: 0 to 800ms, "))
    keys("+", "+", "Escape")
    page.check("all again: " + page.link(), ", 100.0% of" in page.run(RANGE) and
               "=" not in page.link())


def check_both(page):
    """One range for the tree, the lanes and the tables of a report."""
    page.wait_lanes()
    page.wait()
    page.check("lanes stand behind the tree", page.run("document.getElementById('explorer')"
               ".nextElementSibling.dataset.name") == "lanes")
    page.check("lanes are open", page.run("!document.querySelector('[data-name=lanes] details')"))
    page.drag(".lane", 45, .1, .3, .6)
    page.settle()
    page.check("drawn over a lane: " + page.run(RANGE), page.run(RANGE).endswith(", 50.0% of 1.00s."))
    for name, grey, said in (("summary", True, "Whole run: not known for ranges."),
                             ("functions", False, "In the range between snapshots: loaded "
                              "(95.0ms) to exit (1.00s) of process 500.")):
        page.check("%s: %s" % (name, page.run(OWN % name)), page.run(OWN % name)[:2] ==
                   [grey, said])
    page.check("steps and waits follow: %s" % page.run(OWN % "spans"), len(
        page.run(OWN % "spans")[2]) > 3)


def check_why(page):
    """From a function to its slow calls."""
    led = page.run("""[].slice.call(document.querySelectorAll("[data-name=functions] tbody th a"))
      .map(function (link) { return [link.closest("th").querySelector("code").textContent,
      document.querySelector(link.getAttribute("href")).parentNode.querySelector("h2")
      .textContent]; })""")
    page.check("slow calls: %s" % led, sorted(led) == [["handle", "Slow calls of handle"],
                                                       ["parse", "Slow calls of parse"]])


def check_crowded(page):
    """The longest of many slices, the rest counted; names stay text."""
    lanes = {label: slices for label, *slices in page.run(LANES)}
    drawn = sum(map(len, lanes.values()))
    page.check("drawn: %d" % drawn, 700 < drawn <= 800)
    page.check("a lane of few has all", len(lanes["reader (501)"]) == 4)
    told = "document.querySelector('.undrawn').textContent"
    said = page.run(told)
    page.check("told: " + said, said.startswith("Not drawn: ") and re.findall(
        r"([0-9,]+) slices", said) == ["{:,}".format(4059 - drawn - 8), "8"])
    type_range(page, "200ms", "300ms")
    close = {label: slices for label, *slices in page.run(LANES)}
    page.check("closer all are there: %d %s" % (len(close["pack (500)"]), page.run(told)),
               400 < len(close["pack (500)"]) < 440 and page.run(told) == "")
    page.check("the longest are: %s" % lanes["pack (500)"][-1], not any(
        one[0].startswith("main: 100us") for one in lanes["pack (500)"]))
    steps = [label for label in lanes if "<img" in label]
    page.check("a name stays text: %s" % steps, len(steps) == 1 and len(lanes[steps[0]]) == 10 and
               page.run("document.images.length") == 0)
    page.check("no script of it ran", page.run("document.title") == "profshim timeline")


def check_all(chromium, made):
    for name, path in made.items():
        page = pages.Page(chromium, name, path)
        page.check("a heading", page.run("document.querySelectorAll('h1').length") == 1)
        if name == "plain":
            check_plain(page)
            check_tables(page)
            check_walk(page)
            check_hide(page)
            check_views(page)
            check_search(page)
            check_link(page, path, made["compare"])
            check_pointer(page)
        if name == "range":
            check_range(page)
            check_typed(page, path, made["compare"])
        if name == "why":
            check_why(page)
        if name == "both":
            check_both(page)
        if name in ("lanes", "crowded"):
            page.wait_lanes()
        if name == "lanes":
            check_unshown(page)
            check_lanes(page)
            check_lane_range(page, path, made["plain"])
        if name == "crowded":
            check_crowded(page)
        if name == "names":
            check_names(page)
        if name == "compare":
            check_compare(page)
            check_narrow(page)
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
        made = pages.make(program, make_db, folder)
        tempfile.tempdir = os.environ["TMPDIR"] = os.path.join(folder, "browser")
        os.mkdir(tempfile.tempdir)
        chromium = browser.Browser(path)
        try:
            check_all(chromium, made)
        finally:
            chromium.close()
    for failure in pages.failures:
        print("failed: " + failure)
    return 1 if pages.failures else 0


sys.exit(main())
