#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the rules about time and resources find in made recordings: on both sides of each
limit of a rule, how sure and how severe they are, what they say when the data is not
there, and which finding stands for which. The recordings are in time_cases.py, run_cases.py,
lock_cases.py, error_cases.py.

usage: check_time_rules.py PROF-ANALYZE [FOLDER]    FOLDER: where to leave the recordings

Of a program built with a sanitizer every third is asked for: what is found is judged before.
"""
import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile

from error_cases import ERROR_CASES
from lock_cases import LOCK_CASES
from make_db import create
from make_times import Times
from run_cases import RUN_CASES
from time_cases import TIME_CASES

RULES = ("T0", "T1", "T2", "T3", "T7", "T8", "T9", "T11", "T12", "T13", "M11", "R1", "R2",
         "R3", "R4", "W1", "W2", "W3", "L1", "L2", "L3", "L4", "I1", "I2", "I3")
# Evidence that must not exceed its limit; of T13 one of two is enough.
AT_MOST = {"T2": {"computed per call"}, "W2": {"mean"},
           "R1": {"CPU used, without CPU wait"}, "L3": {"held for", "the lock is held, share of the run"}, "I1": {"mean size"},
           "L4": {"CPUs used by all", "busiest, share of its process's life"}}
EITHER = {"T13": {"start-up", "share of the run"}}


# Whom a rule names where the case does not say; None: the whole run.
NAMED = {"T11": "worker", "T12": "walk", "T13": "init",
         **dict.fromkeys(("M11", "R1", "R2", "R3", "R4"))}


def limits_of_rules(program):
    done = subprocess.run([program, "bottlenecks", "--list-rules", "-f", "json"],
                          check=True, stdout=subprocess.PIPE)
    limits = collections.defaultdict(dict)
    for row in json.loads(done.stdout)["rules"]:
        limits[row["id"]][row["limit"]] = row["value"]
    return limits


def look_for_gaps(cases, limits):
    """Each limit has two cases that end differently."""
    ends = collections.defaultdict(list)
    for one in cases:
        if one.wanted not in ends[one.rule, one.what]:
            ends[one.rule, one.what].append(one.wanted)
    return ["no two cases about %s.%s" % (rule, limit) for rule in RULES
            for limit in sorted(limits[rule]) if len(ends[rule, limit]) < 2]


def rules_of(one, limits):
    """The file of rules: only this one, or all about time and resources."""
    rules = {rule: {"enabled": False} for rule in limits
             if (rule not in RULES if one.beside is not None else rule != one.rule)}
    if one.beside is not None:
        rules.update(one.limits or {})
    elif one.limits:
        rules[one.rule] = {"limits": one.limits}
    return {"rules": rules}


def judge_limits(finding, limits):
    """What crossed a limit is on its other side, and the limit is one of the rule's."""
    wrong = []
    for one in finding["evidence"]:
        value, limit = one["value"], one["limit"]
        if limit is None:
            continue
        if finding["id"] in AT_MOST and one["name"] in AT_MOST[finding["id"]]:
            value, limit = limit, value
        if value < limit * (1 - 1e-9) and one["name"] not in EITHER.get(finding["id"], ()):
            wrong.append("%s %s does not cross %s" % (one["name"], one["value"], one["limit"]))
        if not any(abs(one["limit"] - number * by) < 1e-9 * number * by or one["limit"] == number
                   for number in limits for by in (1, 100)):
            wrong.append("%s has the limit %s" % (one["name"], one["limit"]))
    return wrong


def judge_finding(finding, wanted):
    wrong = []
    for key in ("confidence", "severity"):
        if key in wanted and finding[key] != wanted[key]:
            wrong.append("%s %s" % (key, finding[key]))
    for key, text in (("says", finding["why"]), ("verify", finding["verify"])):
        if wanted.get(key, "") not in text:
            wrong.append("%s: %s" % (key, text))
    if wanted.get("starts", "") not in finding["says"] or (
            wanted.get("starts_at_end") and not finding["says"].endswith(wanted["starts"])):
        wrong.append("says: %s" % finding["says"])
    if wanted.get("advises", "") not in " ".join(finding["advice"]):
        wrong.append("advises %s" % finding["advice"])
    saves = ((finding["saving"] or {}).get("time_ns") or 0) / 1e6
    if wanted["saves"] is not None and abs(saves - wanted["saves"]) > 0.001:
        wrong.append("saves %.6f ms" % saves)
    if abs(finding["impact"] - wanted.get("impact", finding["impact"])) > 1e-6:
        wrong.append("impact %s" % finding["impact"])
    measured = {one["name"]: one["value"] for one in finding["evidence"]}
    wrong += ["%s %s" % (name, measured.get(name)) for name, value in
              wanted.get("shows", {}).items() if abs(measured.get(name, -1) - value) > 1e-6]
    crosses = {one["name"] for one in finding["evidence"] if one["limit"] is not None}
    if crosses != wanted.get("crosses", crosses):
        wrong.append("crosses the limits of %s" % crosses)
    also = {one["id"] for one in finding["also"] if one["function"] != "main"}
    if "also" in wanted and also != wanted["also"]:
        wrong.append("has taken in %s" % also)
    return wrong


def judge(one, document, db, limits):
    (state,) = (rule for rule in document["rules"] if rule["id"] == one.rule)
    if isinstance(one.wanted, str):
        right = state["outcome"] == "not measured" and one.wanted in state["reason"]
        return [] if right else ["%(outcome)s, %(reason)s" % state]
    others = [finding for finding in document["findings"] if finding["function"] != "main" or
              one.rule == finding["id"] == "T13" or
              (one.wanted or {}).get("function") == "main"]
    findings = [finding for finding in others if finding["id"] == one.rule]
    wrong = ["the SQL of %s finds nothing" % finding["id"] for finding in findings
             if not db.execute(finding["sql"]).fetchall()]
    if state["outcome"] == "not measured":
        wrong.append("not measured, " + state["reason"])
    if one.beside is not None and {finding["id"] for finding in others} - {one.rule} != one.beside:
        wrong.append("there are %s" % [finding["id"] for finding in others])
    names = [finding["function"] for finding in findings]
    if one.wanted is None:
        return wrong + ["it names %s" % name for name in names]
    expected = one.wanted.get("function", NAMED.get(one.rule, "work"))
    if names != [expected]:
        return wrong + ["it names %s, not %s" % (names, expected)]
    known = dict(limits[one.rule], **(one.limits or {} if one.beside is None else {}))
    if one.rule == "T2":
        known["tiny_hooks"] *= one.times.get("cost", 20)
    known["bound"] = one.wanted.get("bound", 0)
    return wrong + judge_finding(findings[0], one.wanted) + \
        judge_limits(findings[0], known.values())


def ask(analyze, database, run_id, one, limits):
    with open(database + ".json", "w", encoding="utf-8") as file:
        json.dump(rules_of(one, limits), file)
    result = subprocess.run([analyze, "bottlenecks", database, "--run", str(run_id), "--rules",
                             file.name, "--format", "json"], capture_output=True, text=True,
                            check=False, timeout=60)
    if result.returncode:
        sys.exit("exit %d: %s" % (result.returncode, result.stderr))
    return json.loads(result.stdout)


def look(analyze, database, db, run_id, one, limits):
    wrong = judge(one, ask(analyze, database, run_id, one, limits), db, limits)
    return ["%s %s (run %d): %s" % (one.rule, one.what, run_id, text) for text in wrong]


def saved_beyond(analyze, database, db, cases, limits):
    """Of each rule that can tell what a fix saves, one run whose wall is far shorter than what
    its threads did side by side. No saving is longer than the run."""
    chosen = {one.rule: (run_id, one) for run_id, one in reversed(list(enumerate(cases, 1)))
              if isinstance(one.wanted, dict) and one.wanted["saves"] and one.beside is None}
    wall_ns, cut, wrong = 100_000, set(), []
    for rule, (run_id, one) in chosen.items():
        db.execute("UPDATE run SET wall_ns = ? WHERE run_id = ?", (wall_ns, run_id))
        db.commit()
        for finding in ask(analyze, database, run_id, one, limits)["findings"]:
            saves = (finding["saving"] or {}).get("time_ns") or 0
            cut |= {rule} if saves == wall_ns else set()
            if saves > wall_ns:
                wrong.append("%s saves %d ns of a run of %d" % (rule, saves, wall_ns))
    if len(cut) < len(chosen) / 2:
        wrong.append("of %d rules only %s had more to save" % (len(chosen), sorted(cut)))
    return wrong


def main():
    limits = limits_of_rules(sys.argv[1])
    cases = [one for group in (*TIME_CASES, *RUN_CASES, *LOCK_CASES, *ERROR_CASES) for one in group()]
    problems = look_for_gaps(cases, limits)
    with tempfile.TemporaryDirectory(prefix="profshim-times-") as directory:
        database = os.path.join(sys.argv[2] if len(sys.argv) > 2 else directory, "run.db")
        with contextlib.closing(create(database)) as db:
            db.execute("PRAGMA synchronous = OFF")
            for run_id, one in enumerate(cases, 1):
                Times(db, run_id, **one.times)
            db.commit()
            for run_id, one in enumerate(cases, 1):
                problems += look(sys.argv[1], database, db, run_id, one, limits)
            problems += saved_beyond(sys.argv[1], database, db, cases, limits)
    print("\n".join(problems) or "%d cases" % len(cases))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
