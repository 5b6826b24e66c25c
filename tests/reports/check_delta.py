#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The delta report against the single blocks that its recording was made from.

usage: check_delta.py PROF_ANALYZE

For every pair of moments of a process, per site: what was live, allocated and freed in
between, and who survived, must be what the blocks say; live(B) - live(A) = allocated -
freed; the rows add up to the total, with --limit and with each --by.
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

import make_db
import make_snapshots

ENDLESS = 10 ** 9
NUMBERS = ("live", "live_delta", "alloc", "free", "survived")


class Checker:
    def __init__(self, program, database):
        self.program, self.database, self.problems, self.checks = program, database, 0, 0

    def run(self, *arguments):
        done = subprocess.run([self.program, "delta", self.database, *arguments, "-f", "json"],
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("%s: status %d: %s" % (" ".join(arguments), done.returncode,
                                            done.stderr.decode()))
        return json.loads(done.stdout)

    def equal(self, what, got, wanted):
        self.checks += 1
        if got != wanted:
            self.problems += 1
            print("%s: %s, not %s" % (what, got, wanted))


def wanted_numbers(blocks, a, b, c):
    """[count, bytes] by number."""
    def total(chosen):
        chosen = list(chosen)
        return [len(chosen), sum(block.size for block in chosen)]
    between = [block for block in blocks if a <= block.born < b]
    live_a = total(block for block in blocks if block.lives_at(a))
    live_b = total(block for block in blocks if block.lives_at(b))
    return {"live": live_b, "live_delta": [y - x for x, y in zip(live_a, live_b)],
            "alloc": total(between),
            "free": total(block for block in blocks if block.freed is not None
                          and a < block.freed <= b),
            "survived": total(block for block in between if block.lives_at(c))}


def check_sites(checker, recording, process_id, moments, run):
    names = {site_id: site for site, site_id in recording.sites.items()}
    blocks = recording.blocks[process_id]
    for (word_a, a), (word_b, b), (word_c, c) in itertools.combinations_with_replacement(
            moments, 3):
        if a == b:
            continue
        what = "%s %s %s" % (word_a, word_b, word_c)
        result = checker.run(word_a, word_b, "--until", word_c, "--run", str(run),
                             "--process", "#%d" % process_id)
        rows = {names[row["site_id"]]: row for row in result["changes"] if row["site_id"]}
        for site in recording.sites:
            wanted = wanted_numbers([block for block in blocks if block.site == site], a, b, c)
            if site not in rows:
                checker.equal(what + " unchanged " + site,
                              [wanted["live_delta"], wanted["alloc"]], [[0, 0], [0, 0]])
                continue
            for number in NUMBERS:
                got = [rows[site][number + "_count"], rows[site][number + "_bytes"]]
                checker.equal("%s %s %s" % (what, site, number), got, wanted[number])
        totals = wanted_numbers(blocks, a, b, c)
        check_sums(checker, what, result, totals)


def check_sums(checker, what, result, totals):
    for number in NUMBERS:
        for index, unit in enumerate(("_count", "_bytes")):
            name = number + unit
            checker.equal("%s total %s" % (what, name), result["delta"][name],
                          totals[number][index])
            checker.equal("%s rows of %s" % (what, name),
                          sum(row[name] for row in result["changes"]),
                          totals[number][index])
    delta = result["delta"]
    checker.equal(what + " books", delta["live_bytes"] - delta["live_a_bytes"],
                  delta["alloc_bytes"] - delta["free_bytes"])


def check_groups(checker, recording, process_id, moments):
    blocks = recording.blocks[process_id]
    (word_a, a), (word_b, b) = moments[1], moments[-2]
    totals = wanted_numbers(blocks, a, b, ENDLESS)
    for by, limit in itertools.product(("path", "function", "line", "component"),
                                       ("0", "1", "3")):
        result = checker.run(word_a, word_b, "--by", by, "--limit", limit, "--run", "3")
        check_sums(checker, "by %s limit %s" % (by, limit), result, totals)
        if by == "path":
            spent = [recording.spent(path, process_id, time) for time in (b, a)
                     for path in recording.paths]
            half = len(spent) // 2
            checker.equal("calls", result["delta"]["calls"],
                          sum(s[0] for s in spent[:half]) - sum(s[0] for s in spent[half:]))
            checker.equal("self_ns", result["delta"]["self_ns"],
                          sum(s[1] for s in spent[:half]) - sum(s[1] for s in spent[half:]))


def moments_of(recording, process_id, has_exit):
    _, snapshots, _ = recording.processes[process_id]
    moments = [("start", 0)] + [(str(number), time) for number, (time, _, _)
                                in enumerate(snapshots, 1)]
    # All blocks are born and freed before the end.
    return moments + ([("exit", ENDLESS)] if has_exit else [])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "snapshots.db")
        db = make_db.create(path)
        workers, server, wrapped = make_snapshots.make(db)
        db.commit()
        db.close()
        checker = Checker(os.path.abspath(sys.argv[1]), path)
        moments = moments_of(server, 7, True)
        # Every other snapshot: all pairs of twelve with all ends would take long.
        check_sites(checker, server, 7, moments[::2] + moments[-1:], 3)
        check_groups(checker, server, 7, moments)
        check_sites(checker, wrapped, 9, moments_of(wrapped, 9, True), 2)
        check_sites(checker, wrapped, 8, moments_of(wrapped, 8, True), 2)
        for process_id in workers.processes:
            check_sites(checker, workers, process_id, moments_of(workers, process_id, False),
                        1)
    print("%d numbers compared, %d wrong" % (checker.checks, checker.problems))
    return 1 if checker.problems or checker.checks < 1000 else 0


sys.exit(main())
