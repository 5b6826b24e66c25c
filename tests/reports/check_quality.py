#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a recording's quality does to findings: on both sides of each limit of Q1, in made
databases with a finding about time (T1), one about memory that saves time (M3) and one about
memory (M5), which have high or medium confidence in a recording without a fault.

usage: check_quality.py PROF-ANALYZE
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import check_memory_rules

FINE = {"T1": "medium", "M3": "high", "M5": "high"}
TIME_MEDIUM = {"T1": "medium", "M3": "medium", "M5": "high"}
TIME_LOW = {"T1": "low", "M3": "low", "M5": "high"}
MEMORY_MEDIUM = {"T1": "medium", "M3": "medium", "M5": "medium"}
MEMORY_LOW = {"T1": "medium", "M3": "low", "M5": "low"}
GROWTH_MEDIUM = {"T1": "medium", "M3": "high", "M5": "medium"}
ALL_LOW = {"T1": "low", "M3": "low", "M5": "low"}
CALLS, ALLOCATIONS = 100_000, 4_000_000

# name, changes (SQL), confidences, names of the facts
CASES = [
    ("fine", [], FINE, []),
    # 900 ms of work; a pair of hooks of 20 ns
    ("hooks 29 %", ["UPDATE function SET calls = 18200000 WHERE name = 'main'"], FINE, []),
    ("hooks 31 %", ["UPDATE function SET calls = 20300000 WHERE name = 'main'"], TIME_MEDIUM,
     ["hook_share"]),
    ("hooks 79 %", ["UPDATE function SET calls = 169000000 WHERE name = 'main'"], TIME_MEDIUM,
     ["hook_share"]),
    ("hooks 81 %", ["UPDATE function SET calls = 192000000 WHERE name = 'main'"], TIME_LOW,
     ["hook_share"]),
    # The corrected times add up to 900 ms, as if it were 46 %: nothing is below 0.
    ("hooks 81 %, more than was subtracted",
     ["UPDATE function SET calls = 40500000 WHERE name = 'main'",
      "UPDATE path SET raw_total_ns = 1000000000 WHERE parent_path_id IS NULL"], TIME_LOW,
     ["hook_share"]),
    ("hooks 81 %, but for calls that were counted",
     ["UPDATE function SET calls = 192000000 WHERE name = 'main'",
      "UPDATE run SET counted_cost_ns = 1.5",
      "INSERT INTO mode VALUES (1, 1, 1, 'main', 2, 2, 0, 0, 1, 191000000, 3, 0)",
      "UPDATE path SET raw_total_ns = 1210000000 WHERE parent_path_id IS NULL"], FINE, []),
    ("few calls lost", [("late_events", CALLS // 1001)], FINE, []),
    ("calls lost", [("late_events", CALLS // 900)], TIME_MEDIUM, ["late_events"]),
    ("many calls lost", [("late_events", CALLS // 8)], TIME_LOW, ["late_events"]),
    ("many calls folded", [("folded_paths", CALLS // 8)], ALL_LOW, ["folded_paths"]),
    ("few blocks lost", [("dropped_allocations", ALLOCATIONS // 1001)], FINE, []),
    ("blocks lost", [("dropped_allocations", ALLOCATIONS // 998)], MEMORY_MEDIUM,
     ["dropped_allocations"]),
    ("many blocks lost", [("dropped_allocations", ALLOCATIONS // 8)], MEMORY_LOW,
     ["dropped_allocations"]),
    ("many frees lost", [("lost_frees", ALLOCATIONS // 8)], MEMORY_LOW, ["lost_frees"]),
    ("few repairs", [("repaired_frames", CALLS // 40), ("orphan_exits", CALLS // 50)], FINE, []),
    ("repairs", [("repaired_frames", CALLS // 40), ("orphan_exits", CALLS // 30)], TIME_MEDIUM,
     ["repaired_frames"]),
    ("a full disk", [("note_no_space", 1)], MEMORY_MEDIUM, ["note_no_space"]),
    ("no map of blocks", [("note_no_shadow", 1)], MEMORY_MEDIUM, ["note_no_shadow"]),
    ("snapshots missing", [("refused_snapshots", 1)], GROWTH_MEDIUM, ["refused_snapshots"]),
    ("what does not matter", [("unknown_frees", 9), ("collector_recovered", 1)], FINE, []),
    # all three are of the function without a name
    ("no names", ["UPDATE function SET name = '0x12ab (app)', naming = 'none' WHERE name = 'work'"], MEMORY_MEDIUM,
     ["unresolved_share"]),
    # 100,000 calls of work, and main's
    ("few calls of headers", ["INSERT INTO module (module_id, run_id, path) VALUES (9, 1, '/app')",
                              "UPDATE function SET module_id = 9",
                              "UPDATE function SET calls = 41000, is_library = 1"
                              " WHERE name = 'main'"], FINE, []),
    ("calls of headers", ["INSERT INTO module (module_id, run_id, path) VALUES (9, 1, '/app')",
                          "UPDATE function SET module_id = 9",
                          "UPDATE function SET calls = 45000, is_library = 1"
                          " WHERE name = 'main'"], FINE, ["header_share"]),
    ("calls of a library with hooks of its own",
     ["INSERT INTO module (module_id, run_id, path) VALUES (9, 1, '/app')",
      "INSERT INTO module (module_id, run_id, path) VALUES (10, 1, '/usr/lib/libx.so')",
      "UPDATE function SET module_id = 9",
      "UPDATE function SET calls = 45000, is_library = 1, module_id = 10 WHERE name = 'main'"],
     FINE, []),
    ("killed", ["UPDATE run SET complete = 0"], TIME_MEDIUM, ["incomplete"]),
    ("two faults", [("note_no_space", 1), ("late_events", CALLS // 8)],
     {**TIME_LOW, "M5": "medium"}, ["late_events", "note_no_space"]),
]


def make(path, changes):
    """main calls work 100,000 times, whose blocks are mostly temporary and partly stay."""
    one = check_memory_rules.blocks(ALLOCATIONS, 40, temporary_count=3_000_000)
    check_memory_rules.make(path, one, snapshots=check_memory_rules.RISING)
    db = sqlite3.connect(path)
    for table in ("function", "path"):
        db.execute("UPDATE %s SET self_ns = 880000000, total_ns = 880000000, calls = ?,"
                   " raw_self_ns = 881000000 WHERE function_id = 2" % table, [CALLS])
        db.execute("UPDATE %s SET self_ns = 20000000, total_ns = 900000000"
                   " WHERE function_id = 1" % table)
    db.execute("UPDATE function SET p50_ns = 8800, max_ns = 9000")
    db.execute("UPDATE path SET raw_total_ns = 0 WHERE parent_path_id IS NULL")
    for change in changes:
        if isinstance(change, str):
            db.execute(change)
        else:
            db.execute("INSERT INTO trust (run_id, name, value) VALUES (1, ?, ?)", change)
    db.execute("UPDATE path SET raw_total_ns = total_ns + 20 * (SELECT SUM(calls) FROM function)"
               " WHERE parent_path_id IS NULL AND raw_total_ns = 0")
    db.commit()
    db.close()


def bottlenecks(analyze, database, *arguments):
    done = subprocess.run([analyze, "bottlenecks", database, "--format", "json", *arguments],
                          capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def confidences_of(analyze, database, **rules):
    """M3 and M5 are on one path, where one would take in the other."""
    found = {}
    for left_out in ("M3", "M5"):
        name = database + ".json"
        with open(name, "w", encoding="utf-8") as file:
            json.dump({"rules": {left_out: {"enabled": False}, **rules}}, file)
        for one in bottlenecks(analyze, database, "--rules", name)["findings"]:
            if one["id"] in FINE:
                found[one["id"]] = one["confidence"]
    return found


def look(analyze, database, case):
    name, changes, confidences, facts = case
    make(database, changes)
    document = bottlenecks(analyze, database)
    found = confidences_of(analyze, database)
    wrong = []
    if found != confidences:
        wrong.append("%s, not %s" % (found, confidences))
    if [fact["name"] for fact in document["quality"]] != facts:
        wrong.append("the facts are %s, not %s" % (document["quality"], facts))
    noted = [note["name"] for note in document["notes"] if note["name"] == "quality"]
    if len(noted) != bool(facts):
        wrong.append("the notes are %s" % noted)
    for fact in document["quality"]:
        if fact["name"] == "header_share":
            if "=/usr/include" not in fact["advice"] or fact["effect"]:
                wrong.append("no recipe: %s" % fact)
        elif not fact["advice"] or "at most" not in fact["effect"]:
            wrong.append("not told what it does: %s" % fact)
    (state,) = (rule["outcome"] for rule in document["rules"] if rule["id"] == "Q1")
    if state != ("found" if facts else "passed"):
        wrong.append("Q1 %s" % state)
    return ["%s: %s" % (name, what) for what in wrong]


def look_without(analyze, database):
    """Switched off, nothing is lowered."""
    make(database, [("late_events", CALLS)])
    found = confidences_of(analyze, database, Q1={"enabled": False})
    return [] if found == FINE else ["off: %s" % found]


# A name of a function in many tiny calls, and what the advice is to leave out.
TINY_NAMES = {
    "tiny": "such as tiny with",
    "text::Slice::size() const": "such as text::Slice::size with",
    "text::Slice::Slice(char const*, unsigned long)": "such as text::Slice::Slice with",
    # GCC writes these otherwise, or leaves out more.
    "std::pair<int, int>::pair(int)": "=NAMES",
    "int text::twice<int>(int)": "=NAMES",
    "(anonymous namespace)::hidden(int)": "=NAMES",
    "text::operator()(int)": "=NAMES",
    # A part of the name, or the function around, would be left out.
    "text::(anonymous namespace)::hidden(int)": "=NAMES",
    "parse(int)::{lambda#1}": "=NAMES",
}


def look_at_names(analyze, database):
    """What the advice about tiny functions names."""
    problems = []
    for name, words in TINY_NAMES.items():
        make(database, ["INSERT INTO module (module_id, run_id, path) VALUES (9, 1, '/app')",
                        "UPDATE function SET calls = 169000000, module_id = 9, name = '%s'"
                        " WHERE name = 'main'" % name])
        (fact,) = bottlenecks(analyze, database)["quality"]
        if words not in fact["advice"] or (words == "=NAMES" and "such as" in fact["advice"]):
            problems.append("%s: %s" % (name, fact["advice"]))
        os.unlink(database)
    return problems


def look_at_lists(analyze, database):
    """What the advice sends to exclude-list for is there, and the hottest function is not."""
    problems = []
    for name, self_ns, allocations, is_led in (
            ("work", 400_000_000, 0, True), ("work", 10_000_000_000, 0, False),
            ("main", 400_000_000, 0, True), ("work", 400_000_000, 2_000_000, False)):
        make(database, ["INSERT INTO module (module_id, run_id, path) VALUES (9, 1, '/app')",
                        "UPDATE function SET module_id = 9, self_ns = %d, alloc_count = %d"
                        % (self_ns, allocations),
                        "UPDATE function SET self_ns = 2 * self_ns WHERE name <> '%s'" % name,
                        "UPDATE function SET calls = 50000000 WHERE name = '%s'" % name])
        (fact,) = bottlenecks(analyze, database)["quality"]
        done = subprocess.run([analyze, "exclude-list", database, "-f", "json"],
                              check=True, stdout=subprocess.PIPE)
        listed = [row["name"] for row in json.loads(done.stdout)["functions"]]
        led = "exclude-list" in fact["advice"]
        if led != is_led or listed != ([name] if led else []):
            problems.append("%s: %s, listed %s" % (name, fact["advice"], listed))
        os.unlink(database)
    # of one that has most of the time itself only the level can help
    make(database, ["INSERT INTO module (module_id, run_id, path) VALUES (9, 1, '/app')",
                    "UPDATE function SET module_id = 9",
                    "UPDATE function SET calls = 50000000, self_ns = 900000000"
                    " WHERE name = 'main'"])
    (fact,) = bottlenecks(analyze, database)["quality"]
    if "exclude-list" in fact["advice"] or "PROFSHIM_LEVEL" not in fact["advice"]:
        problems.append("the hottest: %s" % fact["advice"])
    return problems


def look_at_nothing(analyze, database):
    """Of no call there is no percentage: what was lost is a number."""
    make(database, ["UPDATE function SET calls = 0", "UPDATE path SET calls = 0",
                    ("late_events", 95), ("dropped_allocations", ALLOCATIONS // 8)])
    facts = {fact["name"]: fact for fact in bottlenecks(analyze, database)["quality"]}
    lost = facts["late_events"]
    if (lost["text"], lost["value"], lost["unit"], lost["limit"]) != (
            "95 calls of threads without a record", 95, "count", None):
        return ["of no calls: %s" % lost]
    return []


def main():
    problems = []
    with tempfile.TemporaryDirectory(prefix="profshim-quality-") as folder:
        for number, case in enumerate(CASES):
            problems += look(sys.argv[1], os.path.join(folder, "%d.db" % number), case)
        problems += look_without(sys.argv[1], os.path.join(folder, "off.db"))
        problems += look_at_nothing(sys.argv[1], os.path.join(folder, "nothing.db"))
        problems += look_at_lists(sys.argv[1], os.path.join(folder, "lists.db"))
        problems += look_at_names(sys.argv[1], os.path.join(folder, "names.db"))
    print("\n".join(problems) or "%d cases" % len(CASES))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
