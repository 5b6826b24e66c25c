#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check what findings promise to programs. usage: check_findings.py PROF_ANALYZE

The query of every finding runs and gives a row; the command that verifies a fix is
understood; every rule is described in docs/ and the other way round; SARIF has the
structure that the standard asks for (section numbers of SARIF 2.1.0 in the comments);
100,000 paths of which every site and function crosses limits take no more time and memory
than promised.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
FIELDS = ["id", "rule", "severity", "score", "confidence", "function", "path", "evidence",
          "saving", "advice", "why", "verify", "sql", "also"]
MEMORY_MIB = 128
# Ten times as many paths take 8 to 12 times the CPU time; what looks at each path for each
# takes a hundred times. (Seconds were tried: 0.7 on one machine were 1.4 on another.)
TIMES_MOST = 30


def run(*command, status=0, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != status:
        sys.exit("%s: status %d: %s" % (" ".join(command), done.returncode,
                                        done.stderr.decode()))
    return done.stdout.decode()


def make(kind, folder, *more):
    path = os.path.join(folder, "it's $1 " + kind + ".db")  # a command must be copied whole
    run(sys.executable, os.path.join(HERE, "make_db.py"), kind, path, *more)
    return path


def check_finding(program, database, rank, finding):
    missing = [field for field in FIELDS if field not in finding]
    assert not missing, missing
    assert finding["rank"] == rank, finding
    assert 0 <= finding["score"] <= 100 and 0 <= finding["impact"] <= 1, finding
    assert finding["evidence"] and finding["advice"] and finding["why"], finding
    assert finding["path"][-1:] == [finding["function"]] or not finding["path"], finding
    assert any(one["limit"] is not None for one in finding["evidence"]), finding
    proof = json.loads(run(program, "sql", database, finding["sql"], "-f", "json"))
    rows = [value for value in proof.values() if isinstance(value, list) and value]
    assert rows, "the query of %s gives nothing: %s" % (finding["id"], finding["sql"])
    words = shlex.split(finding["verify"])
    assert words[:2] == ["prof-analyze", "compare"] and "after.db" in words, words
    words = [database if word == "after.db" else word for word in words[1:]]
    text = run(program, *words, "-f", "json")
    names = [row["name"] for row in json.loads(text)["functions"]]
    assert finding["function"] in names + [None], (finding["verify"], names)


def check_order(findings):
    scores = [finding["score"] for finding in findings]
    assert scores == sorted(scores, reverse=True), scores


def check_rules(program):
    text = run(program, "bottlenecks", "--list-rules", "-f", "json")
    assert run(program, "--list-rules", "-f", "json") == text  # it is of no run
    listed = json.loads(text)["rules"]
    described = []
    for path in glob.glob(os.path.join(ROOT, "docs", "*.md")):
        with open(path, encoding="utf-8") as file:
            described += re.findall(r"^(?:\||##) ([A-Z]\d+) ([\w-]+)(?: \||$)", file.read(), re.MULTILINE)
    assert {(row["id"], row["rule"]) for row in listed} == set(described)
    limits = [(row["id"], row["limit"]) for row in listed]
    assert all(name for _, name in limits) and len(set(limits)) == len(limits)
    assert all(row["unit"] and row["meaning"] for row in listed)
    return {f"{row['id']} {row['rule']}" for row in listed}


def check_list(program, folder):
    """Of people: a row for each limit, and what a file changed is said."""
    path = os.path.join(folder, "rules.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"rules": {"T0": {"limits": {"high_ns": 2e9}}}}, file)
    text = run(program, "bottlenecks", "--list-rules", "--rules", path)
    rows = re.findall(r"^([A-Z]\d+) +([\w-]+) +(\w+)  +(\S.*)$", text, re.MULTILINE)
    changed = [row for row in rows if row[3].endswith("(changed)")]
    assert changed == [("T0", "slow-call", "high_ns", "2.00s (changed)")], changed
    listed = json.loads(run(program, "--list-rules", "-f", "json"))["rules"]
    assert [(row["id"], row["rule"], row["limit"]) for row in listed] == [row[:3] for row in rows]


def check_outcomes(program, database, rules):
    """Each rule has found something, or it is said why not, once."""
    text = run(program, "bottlenecks", database, "--limit", "0")
    found, _, others = text.partition("\nRules without a finding\n")
    named = re.findall(r"\b([A-Z]\d+ [a-z][\w-]+)", re.sub(r"-?\n +", " ", others))
    document = json.loads(run(program, "bottlenecks", database, "-f", "json"))
    silent = [f"{row['id']} {row['rule']}" for row in document["rules"]
              if row["outcome"] != "found"]
    assert sorted(named) == sorted(silent), (named, silent)
    assert len(document["rules"]) == len(rules), document["rules"]
    for rule in rules - set(silent):
        assert rule in " ".join(found.split()), rule


def check_sarif_location(location):
    physical = location["physicalLocation"]  # 3.28.3
    uri = physical["artifactLocation"]["uri"]  # 3.4.3, RFC 3986
    assert re.fullmatch(r"file:///[A-Za-z0-9._~/+@,=%-]*", uri), uri
    assert physical["region"]["startLine"] >= 1  # 3.30.5
    for logical in location["logicalLocations"]:  # 3.28.4
        assert logical["fullyQualifiedName"] and logical["kind"] == "function"


def check_sarif(text, levels):
    log = json.loads(text)
    assert log["version"] == "2.1.0" and "sarif" in log["$schema"]  # 3.13.2
    (one,) = log["runs"]  # 3.13.4
    driver = one["tool"]["driver"]  # 3.18.2
    assert driver["name"] == "prof-analyze"
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for invocation in one["invocations"]:
        assert invocation["executionSuccessful"] is True  # 3.20.14
        for note in invocation["toolExecutionNotifications"]:  # 3.58
            assert note["level"] in ("note", "warning") and note["message"]["text"]
    prints = set()
    for result in one["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]  # 3.27.6
        assert result["message"]["text"] and 0 <= result["rank"] <= 100  # 3.27.25
        prints.add(json.dumps(result["partialFingerprints"], sort_keys=True))
        for location in result["locations"]:
            check_sarif_location(location)
        for stack in result["stacks"]:  # 3.44: innermost first
            frames = [frame["location"]["logicalLocations"][0]["fullyQualifiedName"]
                      for frame in stack["frames"]]
            assert frames == result["properties"]["path"][::-1]
    assert len(prints) == len(one["results"]), "fingerprints are not unique"
    assert [result["level"] for result in one["results"]] == levels


def cost_of(program, database):
    """CPU seconds and MiB of all findings."""
    child = subprocess.Popen([program, "bottlenecks", database], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def check_big(program, folder):
    """Every site and function crosses limits: what a usual recording takes is less."""
    few = cost_of(program, make("worst", folder, "10000"))[0]
    seconds, mebibytes = cost_of(program, make("worst", folder, "100000"))
    assert seconds <= TIMES_MOST * few, "%.2f s of CPU time, %.2f for a tenth" % (seconds, few)
    assert mebibytes <= MEMORY_MIB, "%.0f MiB" % mebibytes
    return "%.2f s of CPU time (%.2f for a tenth), %.0f MiB" % (seconds, few, mebibytes)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        database = make("findings", folder)
        slow_only = ["--rules", os.path.join(folder, "slow.json")]
        document = json.loads(run(program, "bottlenecks", database, "-f", "json"))
        findings = document["findings"]
        assert findings and document["rules"]
        check_order(findings)
        for rank, finding in enumerate(findings):
            check_finding(program, database, rank + 1, finding)
        rules = check_rules(program)
        check_list(program, folder)
        check_outcomes(program, database, rules)
        with open(slow_only[1], "w", encoding="utf-8") as file:
            json.dump({"rules": {row["id"]: {"enabled": row["id"] == "T0"}
                                 for row in document["rules"]}}, file)
        command = [program, "bottlenecks", database, "-f", "sarif"] + slow_only
        check_sarif(run(*command), ["warning", "note"])
        check_sarif(run(*command, "--fail-on", "high", status=3),
                    ["error", "note"])
        print("%d findings; 100,000 paths at worst: %s" % (
            len(findings), check_big(program, folder)))


main()
