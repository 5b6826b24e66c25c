#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what prof-analyze prints with the golden files.

usage: run_golden.py PROF_ANALYZE [CASE...]           compare, all cases by default
       run_golden.py --accept PROF_ANALYZE [CASE...]  replace the golden files: read the
                                                      difference before committing it

A golden file holds standard output, then standard error and the exit status. Or, where
these are much like those of another case, how they differ; golden.py tells how. The
databases are those of make_db.py, made anew for each run. What came of each case is told
in the lines of the Test Anything Protocol.
"""
import difflib
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

import golden
import make_db

HERE = os.path.dirname(os.path.abspath(__file__))
WIDE = {"COLUMNS": "120"}
RENAMES = ["--rename", "read_line=next_record", "--rename", "_Z8checksumi=util::checksum"]
ASCII = {"LC_ALL": "C"}
TREE = ["tree", "fixture.db"]
FLAME = ["flamegraph", "snapshots.db"]
FINDINGS = ["bottlenecks", "findings.db"]
DELTA = ["delta", "snapshots.db", "loaded", "done"]

# name: (arguments, changes to the environment)
CASES = {
    "report": (["fixture.db"], {}),
    "report-ascii": (["fixture.db"], ASCII),
    "report-focus": (["--focus", "^fib$", "fixture.db"], {}),
    "report-json": (["fixture.db", "--format", "json"], {}),
    "report-md": (["fixture.db", "-f", "md"], {}),
    "report-marks": (["marks.db"], {}),
    "report-waits": (["waits.db"], {}),
    "bottlenecks-waits": (["bottlenecks", "waits.db"], {}),
    "functions-waits": (["functions", "waits.db"], {}),
    "tree-waits": (["tree", "waits.db"], {}),
    "steps-waits": (["steps", "waits.db"], {}),
    "delta-waits": (["delta", "waits.db", "warm", "late"], {}),
    "delta-waits-function": (["delta", "waits.db", "warm", "late", "--by", "function"], {}),
    "export-waits-between": (["export", "folded", "waits.db", "--before", "warm", "--after",
                              "late", "--metric", "blocked"], {}),
    "callers-waits": (["callers", "waits.db", "fetch"], {}),
    "export-waits": (["export", "folded", "waits.db", "--metric", "blocked"], {}),
    "report-empty": (["empty.db"], {}),
    "report-empty-short": (["empty.db", "--run", "1"], {}),
    "report-estimates": (["estimates.db"], {}),
    "doctor-asleep": (["doctor", "asleep.db"], {}),
    "report-unsampled": (["unsampled.db"], {}),
    "report-ticked": (["ticked.db"], {}),
    "doctor-ticked": (["doctor", "ticked.db"], {}),
    "functions-unsampled": (["functions", "unsampled.db"], {}),
    "tree-unsampled": (["tree", "unsampled.db"], {}),
    "doctor-unsampled": (["doctor", "unsampled.db"], {}),
    "functions-waiting": (["functions", "waiting.db"], {}),
    "report-drowned": (["drowned.db"], {}),
    "functions-estimates": (["functions", "estimates.db"], {}),
    "tree-estimates": (["tree", "estimates.db"], {}),
    "callers-estimates": (["callers", "estimates.db", "get_slot"], {}),
    "components-estimates": (["components", "estimates.db"], {}),
    "functions": (["functions", "fixture.db"], {}),
    "functions-limit": (["functions", "fixture.db", "--limit", "2"], {}),
    "functions-sort": (["functions", "fixture.db", "--sort", "calls", "-n", "4"], {}),
    "functions-filter": (["functions", "fixture.db", "--focus", "is_|parse", "--ignore",
                          "odd"], {}),
    "functions-thread": (["functions", "fixture.db", "--thread", "worker"], {}),
    "functions-raw": (["functions", "fixture.db", "--raw"], WIDE),
    "functions-json": (["functions", "fixture.db", "-f", "json", "-n", "2"], {}),
    "functions-csv": (["functions", "fixture.db", "-f", "csv"], {}),
    "functions-unwound": (["functions", "unwound.db", "--sort", "unwound", "-n", "3"], WIDE),
    "functions-inlined": (["functions", "inlined.db"], WIDE),
    "functions-inlined-apart": (["functions", "inlined.db", "--inlined"], WIDE),
    "functions-inlined-thread": (["functions", "inlined.db", "--thread", "other"], WIDE),
    "tree-inlined": (["tree", "inlined.db"], WIDE),
    "tree-inlined-apart": (["tree", "inlined.db", "--inlined"], WIDE),
    "tree-inlined-unfold": (["tree", "inlined.db", "--unfold"], WIDE),
    "callers-inlined": (["callers", "inlined.db", "slow"], {}),
    "callers-inlined-apart": (["callers", "inlined.db", "slow", "--inlined"], {}),
    "callers-inlined-copy": (["callers", "inlined.db", "tiny"], {}),
    "report-inlined": (["inlined.db"], {}),
    "bottlenecks-inlined": (["bottlenecks", "inlined.db"], {}),
    "compare-inlined": (["compare", "inlined.db", "--before", "1", "--after", "2"], {}),
    "compare-inlined-apart": (["compare", "inlined.db", "--before", "1", "--after", "2",
                               "--inlined"], {}),
    "delta-inlined": (["delta", "inlined.db", "half", "exit"], {}),
    "delta-inlined-apart": (["delta", "inlined.db", "half", "exit", "--inlined"], {}),
    "components-inlined": (["components", "inlined.db"], {}),
    "leaks-inlined": (["leaks", "inlined.db"], {}),
    "memory-inlined": (["memory", "inlined.db"], {}),
    "tree-unwound": (["tree", "unwound.db", "-n", "5"], WIDE),
    "tree": (TREE, {}),
    "tree-all": (TREE + ["--min-share", "0"], {}),
    "tree-unfold": (TREE + ["--unfold", "--min-share", "0"], {}),
    "tree-focus": (TREE + ["--focus", "größe"], {}),
    "tree-ignore": (TREE + ["--ignore", "Parser"], {}),
    "tree-bytes": (TREE + ["--sort", "bytes"], {}),
    "tree-thread": (TREE + ["--thread", "4102"], {}),
    "tree-limit": (TREE + ["--limit", "3"], {}),
    "tree-json": (TREE + ["-f", "json"], {}),
    "callers": (["callers", "fixture.db", "parse"], {}),
    "callers-swapped": (["callers", "is_odd", "fixture.db"], {}),
    "callers-thread": (["callers", "fixture.db", "parse", "--thread", "worker"], {}),
    "callers-recursive": (["callers", "fixture.db", "fib"], {}),
    "callers-namesakes": (["callers", "fixture.db", "helper"], {}),
    "callers-root": (["callers", "fixture.db", "main"], {}),
    "callers-json": (["callers", "fixture.db", "parse", "-f", "json"], {}),
    "memory": (["memory", "fixture.db"], {}),
    "memory-peak": (["memory", "fixture.db", "--sort", "peak", "-n", "2"], {}),
    "memory-temporary": (["memory", "fixture.db", "--sort", "temporary"], {}),
    "memory-focus": (["memory", "fixture.db", "--focus", "worker"], {}),
    "memory-thread": (["memory", "fixture.db", "--thread", "worker"], {}),
    "memory-json": (["memory", "fixture.db", "-f", "json"], {}),
    "leaks": (["leaks", "fixture.db"], {}),
    "leaks-none": (["leaks", "fixture.db", "--run", "1"], {}),
    "leaks-json": (["leaks", "fixture.db", "-f", "json"], {}),
    "leaks-growth": (["leaks", "snapshots.db"], {}),
    "leaks-few": (["leaks", "snapshots.db", "--run", "1", "-n", "1"], {}),
    "leaks-suppressed": (["leaks", "snapshots.db", "--suppressions", "good.supp"], {}),
    "leaks-suppressed-all": (["leaks", "snapshots.db", "--suppressions", "all.supp"], {}),
    "delta-list": (["delta", "snapshots.db"], {}),
    "delta-list-several": (["delta", "snapshots.db", "--run", "workers"], {}),
    "delta-list-process": (["delta", "snapshots.db", "--run", "workers", "--process",
                           "5005"], {}),
    "delta-list-sort": (["delta", "snapshots.db", "--sort", "live_delta", "-n", "3"], {}),
    "delta-list-none": (["delta", "fixture.db"], {}),
    "delta": (DELTA, {}),
    "delta-limit": (DELTA + ["--limit", "2"], {}),
    "delta-function": (DELTA + ["--by", "function"], {}),
    "delta-line": (DELTA + ["--by", "line", "-n", "2"], {}),
    "delta-component": (["delta", "snapshots.db", "start", "exit", "--by", "component"], {}),
    "delta-component-source": (["delta", "snapshots.db", "start", "exit", "--by", "source"], {}),
    "delta-wrappers": (["delta", "wrappers.db", "start", "exit"], {}),
    "delta-to-exit": (["delta", "snapshots.db", "loaded", "-n", "1"], {}),
    "delta-until": (["delta", "snapshots.db", "tick#2", "8", "--until", "9"], {}),
    "delta-peak": (["delta", "snapshots.db", "start", "peak", "-n", "3"], {}),
    "delta-focus": (DELTA + ["--focus", "cache"], {}),
    "delta-sort": (DELTA + ["--sort", "survived", "-n", "3"], {}),
    "delta-process": (["delta", "snapshots.db", "ready", "finished", "--run", "1"], {}),
    "delta-json": (DELTA + ["-f", "json", "-n", "2"], {}),
    "delta-estimates": (["delta", "levels.db", "half", "exit", "--run", "2"], {}),
    "delta-estimates-first": (["delta", "levels.db", "start", "half", "--run", "2", "--by",
                               "function"], {}),
    "flamegraph-moment-estimates": (["flamegraph", "levels.db", "--run", "2", "--before",
                                     "half", "--after", "exit", "--metric", "time"], {}),
    "export-estimates": (["export", "folded", "drowned.db"], {}),
    "delta-no-snapshots": (["delta", "fixture.db", "start", "exit", "--run", "1", "-n",
                            "1"], {}),
    "delta-exit-unknown": (["delta", "snapshots.db", "ready", "exit", "--run", "1",
                            "--process", "5004"], {}),
    "delta-exit-exec": (["delta", "snapshots.db", "done", "exit", "-n", "2", "--run",
                         "wrapped"], {}),
    "unhooked": (["report", "unhooked.db"], {}),
    "lines": (["lines", "unhooked.db"], {}),
    "lines-function-json": (["lines", "unhooked.db", "parse", "-f", "json"], {}),
    "unhooked-functions": (["functions", "unhooked.db"], {}),
    "builds": (["report", "builds.db", "--run", "2"], {}),
    "io": (["io", "io.db"], {}),
    "io-sort": (["io", "io.db", "--sort", "write_bytes", "-n", "2"], {}),
    "io-focus": (["io", "io.db", "--focus", "lookup|fsync", "--ignore", "open"], {}),
    "io-focus-none": (["io", "io.db", "--focus", "nobody", "-f", "json"], {}),
    "io-json": (["io", "io.db", "-f", "json"], {}),
    "io-none": (["io", "fixture.db"], {}),
    "io-empty": (["io", "empty.db"], {}),
    "components": (["components", "marks.db"], {}),
    "components-source": (["components", "marks.db", "--by", "source"], {}),
    "components-namespace": (["components", "marks.db", "--by", "namespace", "--sort",
                              "calls"], WIDE),
    "components-json": (["components", "marks.db", "--by", "namespace", "-f", "json"], {}),
    "components-limit": (["components", "marks.db", "--by", "source", "-n", "1"], {}),
    "components-fixture": (["components", "fixture.db"], {}),
    "components-empty": (["components", "empty.db"], {}),
    "components-thread": (["components", "fixture.db", "--thread", "worker"], {}),
    "steps": (["steps", "marks.db"], {}),
    "steps-json": (["steps", "marks.db", "-f", "json", "-n", "1"], {}),
    "steps-hooks": (["steps", "marks.db.hooks", "-n", "1"], {}),
    "steps-none": (["steps", "fixture.db"], {}),
    "bottlenecks": (FINDINGS, {}),
    "bottlenecks-none": (["bottlenecks", "fixture.db", "--rules", "off.json"], {}),
    "bottlenecks-empty": (["bottlenecks", "empty.db"], {}),
    "bottlenecks-sql": (FINDINGS + ["--show-sql", "--limit", "1"], {}),
    "bottlenecks-rules": (FINDINGS + ["--rules", "rules.json", "-n", "1"], {}),
    "bottlenecks-suppressed": (FINDINGS + ["--suppressions", "known.json", "-n", "1"], {}),
    "bottlenecks-focus": (FINDINGS + ["--focus", "^descend|load", "-n", "1"], {}),
    "bottlenecks-focus-merged": (["bottlenecks", "marks.db", "--focus", "^(main|frame)$", "-f",
                                  "json"], {}),
    "bottlenecks-ignore": (FINDINGS + ["--ignore", ".", "--fail-on", "low"], {}),
    "bottlenecks-focus-none": (FINDINGS + ["--focus", "nowhere", "-f", "json"], {}),
    "bottlenecks-info": (["bottlenecks", "groups.db", "--rules", "little.json"], {}),
    "bottlenecks-steps": (["bottlenecks", "marks.db", "--focus", "^frame$"], {}),
    "bottlenecks-fail-on": (FINDINGS + ["--fail-on", "high", "-n", "1"], {}),
    "bottlenecks-fail-on-fine": (["bottlenecks", "fixture.db", "--rules", "off.json",
                                  "--fail-on", "low"], {}),
    "bottlenecks-json": (FINDINGS + ["-f", "json", "-n", "1"], {}),
    "bottlenecks-sarif": (FINDINGS + ["-f", "sarif", "-n", "1", "--fail-on", "info"], {}),
    "report-findings": (["findings.db", "-n", "2"], {}),
    "resources": (["resources", "fixture.db"], {}),
    "resources-none": (["resources", "fixture.db", "--run", "before"], {}),
    "resources-json": (["resources", "fixture.db", "-f", "json"], {}),
    "resources-gpu": (["resources", "machine.db", "--limit", "5"], {}),
    "resources-ended": (["resources", "fixture.db.ended"], {}),
    "resources-short": (["resources", "fixture.db.short"], {}),
    "resources-process": (["resources", "machine.db", "--process", "701"], {}),
    "report-gpu": (["report", "machine.db"], {}),
    "flamegraph": (["flamegraph", "fixture.db"], {}),
    "flamegraph-estimates": (["flamegraph", "estimates.db"], {}),
    "flamegraph-fewer": (["flamegraph", "fewer.db", "--before", "before", "--after", "after"],
                         {}),
    "flamegraph-focus": (["flamegraph", "fixture.db", "--focus", "fib", "--metric", "calls"],
                         {}),
    "flamegraph-diff": (["flamegraph", "fixture.db", "--diff", "groups.db", "--metric",
                         "live"], {}),
    "flamegraph-empty": (["flamegraph", "empty.db"], {}),
    "flamegraph-nothing": (["flamegraph", "fixture.db", "--focus", "nowhere"], {}),
    "export-folded-unwound": (["export", "folded", "unwound.db", "--metric", "unwound"], {}),
    "export-folded-unwound-runs": (["export", "folded", "unwound.db", "--metric", "unwound",
                                    "--before", "1", "--after", "2"], {}),
    "export-folded-inlined": (["export", "folded", "inlined.db"], {}),
    "export-folded-inlined-apart": (["export", "folded", "inlined.db", "--inlined"], {}),
    "export-folded-inlined-calls": (["export", "folded", "inlined.db", "--metric", "calls"],
                                    {}),
    "export-folded-inlined-bytes": (["export", "folded", "inlined.db", "--metric", "bytes"],
                                    {}),
    "export-folded-inlined-half": (["export", "folded", "inlined.db", "--snapshot", "half",
                                    "--metric", "time"], {}),
    "export-folded-inlined-runs": (["export", "folded", "inlined.db", "--before", "1",
                                    "--after", "2"], {}),
    "compare-unwound": (["compare", "unwound.db", "--before", "1", "--after", "2", "-n", "2"],
                        WIDE),
    "export-folded": (["export", "folded", "fixture.db"], {}),
    "export-folded-allocs": (["export", "folded", "fixture.db", "--metric", "allocs"], {}),
    "export-folded-runs": (["export", "groups.db", "folded", "--before", "1", "--after", "2"],
                           {}),
    "export-callgrind": (["export", "callgrind", "fixture.db"], {}),
    "export-callgrind-inlined": (["export", "callgrind", "inlined.db"], {}),
    "export-speedscope": (["export", "speedscope", "fixture.db"], {}),
    "export-chrome": (["export", "chrome", "fixture.db"], {}),
    "runs": (["runs", "fixture.db"], {}),
    "archive": (["archive", "add", "kept.db", "fixture.db", "groups.db", "--tag", "version=1.2"], {}),
    "history": (["history", "kept.db"], {}),
    "history-function": (["history", "kept.db", "lookup"], {}),
    "archive-gate": (["archive", "add", "kept-gate.db", "groups.db.alike"], {}),
    "history-gate": (["history", "kept-gate.db", "--gate", "2"], {}),
    "history-gate-few": (["history", "kept-gate.db", "--gate", "7"], {}),
    "history-gate-json": (["history", "kept-gate.db", "--gate", "2", "-f", "json"], {}),
    "history-json": (["history", "kept.db", "-f", "json"], {}),
    "archive-json": (["archive", "add", "kept-json.db", "groups.db", "--tag", "by=me", "-f", "json"], {}),
    "runs-json": (["runs", "fixture.db", "-f", "json"], {}),
    "runs-jobs": (["runs", "jobs-lost.db", "-n", "2"], WIDE),
    "ranks": (["ranks", "jobs-lost.db", "--run", "9"], {}),
    "ranks-json": (["ranks", "jobs-before.db", "-f", "json"], {}),
    "ranks-inside": (["ranks", "jobs-inside.db"], {}),
    "ranks-none": (["ranks", "fixture.db"], {}),
    "scaling": (["scaling", "scaling.db", "--run", "11"], {}),
    "scaling-function": (["scaling", "scaling.db", "--run", "11", "remove_duplicates"], {}),
    "scaling-level": (["scaling", "scaling.db", "--run", "5"], {}),
    "scaling-threads": (["scaling", "scaling-threads.db"], {}),
    "scaling-untimed": (["scaling", "scaling-untimed.db"], {}),
    "scaling-gate": (["scaling", "scaling.db", "--run", "11", "--fail-on",
                      "calls ~ n^1.5, func:append.cpu ~ n log n, peak ~ n"], {}),
    "bottlenecks-scaling": (["bottlenecks", "scaling.db", "--run", "11", "-n", "1",
                             "--focus", "remove"], {}),
    "scaling-none": (["scaling", "fixture.db"], {}),
    "report-rank": (["jobs-before.db", "-n", "1"], {}),
    "runs-none": (["runs", "none.db"], {}),
    "sql": (["sql", "fixture.db", "SELECT name, calls, quantile(calls, 0.5) AS middle "
             "FROM functions WHERE run_id = :run AND name REGEXP '^is_' GROUP BY name"], {}),
    "sql-json": (["sql", "fixture.db", "-f", "json", "SELECT 1 AS a, 'x\ty' AS b, NULL AS c, "
                  "x'00ff' AS d, 1.5 AS e, 2 AS a"], {}),
    "sql-csv": (["sql", "fixture.db", "-f", "csv",
                 "SELECT 'say \"hi\", you' AS a, 'two\nlines' AS b, 1e300 AS c"], {}),
    "sql-run": (["sql", "fixture.db", "--run", "before", "SELECT run_id, name FROM functions "
                 "UNION ALL SELECT :run, label FROM runs ORDER BY 2"], {}),
    "exclude-list": (["exclude-list", "drowned.db"], {}),
    "exclude-list-budget": (["exclude-list", "estimates.db", "-n", "1"], {}),
    "exclude-list-cpp": (["exclude-list", "fixture.db", "--min-share", "0"], {}),
    "exclude-list-json": (["exclude-list", "drowned.db", "-f", "json"], {}),
    "exclude-list-none": (["exclude-list", "drowned.db", "--min-share", "60"], {}),
    "exclude-list-empty": (["exclude-list", "empty.db"], {}),
    "doctor": (["doctor", "fixture.db"], {}),
    "doctor-estimates": (["doctor", "estimates.db"], {}),
    "doctor-waits": (["doctor", "waits.db"], {}),
    "doctor-fine": (["doctor", "fixture.db", "--run", "1"], {}),
    "doctor-empty": (["doctor", "empty.db"], {}),
    "doctor-names": (["doctor", "names.db"], {}),
    "doctor-system": (["doctor", "names.db", "--run", "1"], {}),
    "doctor-regions": (["doctor", "marks.db.unended"], {}),
    "components-unended": (["components", "marks.db.unended", "-n", "1"], {}),
    "doctor-json": (["doctor", "empty.db", "-f", "json"], {}),
    "bottlenecks-quality": (["bottlenecks", "fixture.db", "-n", "1"], {}),
    "bottlenecks-wrappers": (["bottlenecks", "wrappers.db", "-n", "1"], {}),
    "compare": (["compare", "groups.db"], {}),
    "compare-renames": (["compare", "renames.db"], {}),
    "compare-renames-focus": (["compare", "renames.db", "--focus", "^read_line$", *RENAMES], {}),
    "compare-renames-gate": (["compare", "renames.db", "--gate", "func:read_line.calls=0%,"
                              "func:next_record.calls=0%,func:checksum.cpu=1%", *RENAMES], {}),
    "compare-renames-gone": (["compare", "renames.db", "--gate", "func:process.calls=0%"],
                             {}),
    "export-frames-diff": (["export", "folded", "frames.db", "--before", "before", "--after",
                            "after"], {}),
    "export-renames": (["export", "folded", "renames.db", "--before", "before", "--after",
                        "after", *RENAMES], {}),
    "export-levels": (["export", "folded", "levels.db", "--before", "exact", "--after",
                       "budget"], {}),
    "export-snapshot": (["export", "folded", "snapshots.db", "--snapshot", "loaded"], {}),
    "export-snapshots": (["export", "folded", "snapshots.db", "--before", "loaded", "--after",
                          "done"], {}),
    "export-between": (["export", "folded", "snapshots.db", "--before", "loaded", "--after",
                        "done", "--metric", "time"], {}),
    "export-from-zero": (["export", "folded", "groups.db.zero", "--before", "before", "--after",
                          "after", "--metric", "bytes"], {}),
    "export-frames": (["export", "folded", "frames.db"], {}),
    "export-frames-library": (["export", "folded", "frames.db", "--fold-library"], {}),
    "export-frames-bytes": (["export", "folded", "frames.db", "--fold-library", "--metric",
                             "bytes"], {}),
    "tree-frames": (["tree", "frames.db", "--fold-library"], {}),
    "tree-frames-unfold": (["tree", "frames.db", "--fold-library", "--unfold",
                            "--min-share", "0"], {}),
    "tree-frames-focus": (["tree", "frames.db", "--fold-library", "--focus", "std::sort"],
                          {}),
    "compare-unlabelled": (["compare", "plain-before.db", "plain-after.db", "--fail-on",
                            "regression", "-n", "1"], {}),
    "compare-unlabelled-same": (["compare", "plain-before.db", "-n", "1", "--fail-on",
                                 "regression"], {}),
    "compare-pair-counts": (["compare", "plain-both.db", "--before", "6", "--after", "7",
                             "--gate", "calls=0%,alloc_bytes=0%,func:work.calls=0%", "-n",
                             "1"], WIDE),
    "compare-wrappers": (["compare", "wrappers.db", "fixture.db", "-n", "3"], WIDE),
    "compare-jobs": (["compare", "jobs-before.db", "jobs-after.db", "-n", "2"], WIDE),
    "compare-jobs-lost": (["compare", "jobs-lost.db", "jobs-after.db", "-n", "1", "--fail-on",
                           "regression"], {}),
    "compare-waits": (["compare", "groups.db.waits", "--fail-on", "regression", "-n",
                       "1"], {}),
    "compare-threads": (["compare", "groups.db.threads", "--before", "1", "--after", "2",
                         "--fail-on", "regression", "-n", "1"], {}),
    "compare-unsplit": (["compare", "groups.db.unsplit", "-n", "2", "--gate", "cpu=5%"], {}),
    "compare-more-calls": (["compare", "snapshots.db", "--before", "2", "--after", "3", "-n", "2"],
                           {}),
    "compare-pair": (["compare", "groups.db", "--before", "1", "--after", "2", "-n", "2"], {}),
    "compare-unchanged": (["compare", "groups.db", "groups.db", "--fail-on", "regression",
                           "-n", "1"], {}),
    "compare-not-comparable": (["compare", "fixture.db", "--gate", "alloc_bytes=0%", "-n",
                                "1"], {}),
    "compare-files": (["compare", "groups.db", "fixture.db", "--", "groups.db", "--limit",
                       "0", "--focus", "parse", "--before", "before"], {}),
    "compare-fewer": (["compare", "fewer.db", "--before", "before", "--after", "after",
                       "--gate", "wall=5%,func:check.self=5%"], {}),
    "compare-fewer-regression": (["compare", "fewer.db", "--before", "after", "--after",
                                  "before", "--fail-on", "regression", "-n", "1"], WIDE),
    "compare-fewer-pair": (["compare", "fewer.db", "--before", "1", "--after", "2"], {}),
    "compare-levels": (["compare", "levels.db", "--before", "exact", "--after", "budget",
                        "--fail-on", "regression", "--gate", "func:execute.self=5%"], {}),
    "compare-levels-component": (["compare", "levels.db", "--before", "exact", "--after",
                                  "budget", "--by", "component"], {}),
    "compare-unattributed": (["compare", "longer.db", "-n", "1"], {}),
    "compare-nothing": (["compare", "groups.db", "empty.db", "-n", "1"], {}),
    "compare-gate": (["compare", "groups.db", "--gate", "wall=5%,peak=1MiB,alloc_count=2000",
                      "--gate", "live=1%", "--fail-on", "inconclusive", "-n", "1"], {}),
    "compare-gate-functions": (["compare", "groups.db", "--gate", "func:lookup.self=10%,"
                                "func:parse.calls=0%,func:audit.self=5%,self=30%", "-n",
                                "1"], {}),
    "compare-json": (["compare", "groups.db", "-f", "json", "--fail-on", "regression", "-n",
                      "3"], {}),
    "compare-components-source": (["compare", "groups.db", "--by", "source", "-n", "2"], {}),
    "compare-components-pair": (["compare", "groups.db", "--before", "1", "--after", "2", "--by",
                                 "namespace", "-n", "1"], {}),
    "compare-junit": (["compare", "groups.db", "-f", "junit", "--gate",
                       "wall=5%,live=1MiB,func:slow_check.self=5%"], {}),
    "selftest-gate": (["selftest-gate"], {}),
    "locks": (["locks", "fixture.db"], {}),
    "locks-focus": (["locks", "fixture.db", "--focus", "block of"], {}),
    "locks-sort": (["locks", "fixture.db", "--sort", "acquisitions", "-n", "2"], {}),
    "locks-none": (["locks", "fixture.db", "--run", "1"], {}),
    "locks-json": (["locks", "fixture.db", "-f", "json"], {}),
    "timeline": (["timeline", "timeline.db", "--run", "1"], {}),
    "timeline-narrow": (["timeline", "timeline.db", "--run", "1", "-n", "2"],
                        {"COLUMNS": "40"}),
    "timeline-range": (["timeline", "timeline.db", "--run", "1", "--from", "90ms", "--to",
                        "0.2s"], {}),
    "timeline-thread": (["timeline", "timeline.db", "--run", "1", "--thread", "packer"], {}),
    "timeline-focus": (["timeline", "timeline.db", "--run", "1", "--focus", "^pack$"], {}),
    "timeline-sort": (["timeline", "timeline.db", "--run", "1", "--sort", "blocked", "-n",
                       "2"], {}),
    "timeline-json": (["timeline", "timeline.db", "--run", "1", "-f", "json"], {}),
    "timeline-none": (["timeline", "timeline.db"], {}),
    "critical": (["critical", "critical.db", "--run", "1"], {}),
    "critical-windows": (["critical", "critical.db"], {}),
    "critical-sort": (["critical", "critical.db", "--run", "1", "--sort", "bound_percent",
                       "-n", "2"], {}),
    "critical-focus": (["critical", "critical.db", "--run", "1", "--focus", "^p"], {}),
    "critical-json": (["critical", "critical.db", "--run", "1", "-f", "json"], {}),
    "critical-bound": (["bottlenecks", "critical.db", "--run", "1"], {}),
    "critical-one": (["critical", "fixture.db", "--run", "1"], {}),
    "critical-empty": (["critical", "empty.db"], {}),
    "why": (["why", "why.db", "handle"], {}),
    "why-json": (["why", "why.db", "handle", "-f", "json"], {}),
    "why-sort": (["why", "why.db", "handle", "--sort", "ready_ns"], {}),
    "why-list": (["why", "why.db"], {}),
    "why-step": (["why", "why.db", "tick"], {}),
    "why-report": (["report", "why.db"], {}),
    "why-not-slow": (["why", "why.db", "polish"], {}),
    "why-no-usual": (["why", "why.db", "parse"], {}),
    "why-not-studied": (["why", "why.db", "answer"], {}),
    "why-none": (["why", "fixture.db"], {}),
    "why-empty": (["why", "empty.db"], {}),
}
CASES.update({case: (shlex.split(case[len(golden.PROMPT):]), {})
              for case in golden.refused()})

SUPPRESSIONS = b"""# known
leak:open_*ion$
  leak:cache.c
leak:libnever
"""


RULES = b"""{
  "rules": {
    "T0": {"limits": {"high_ns": 2e9, "medium_ns": {"value": 1e9}}}
  }
}
"""
KNOWN = """{"suppressions": [
  {"rule": "T0", "function": "^load_größe", "reason": "waits for the disk",
   "expires": "2999-12-31"},
  {"rule": "slow-call", "function": "descend", "reason": "was to be rewritten",
   "expires": "2020-01-31"}
]}
""".encode()


def rules_off():
    """A file that leaves every rule out."""
    rules = ["Q1"]
    for path in glob.glob(os.path.join(HERE, "..", "..", "analyzer", "rules", "*", "*.sql")):
        with open(path, encoding="utf-8") as file:
            rules += re.findall(r"^-- :rule (\w+)", file.read(), re.MULTILINE)
    return json.dumps({"rules": {rule: {"enabled": False} for rule in rules}}).encode()


def patch(path, offset, data):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


WAITS = """
    UPDATE {} SET self_cpu_ns = self_ns * 5 / 6, self_blocked_ns = 30000000,
        self_ready_ns = 10000000, self_ns = self_ns * 5 / 6 + 40000000,
        raw_self_ns = raw_self_ns - self_ns + self_ns * 5 / 6 + 40000000
    WHERE {} AND run_id IN (SELECT run_id FROM run WHERE label = 'after');"""
# Copies of databases, with what makes them different.
COPIES = {
    # a program that does not end its regions well
    "marks.db.unended": """INSERT INTO trust (run_id, process_id, name, value)
        VALUES (1, 1, 'unended_regions', 13), (1, 1, 'orphan_regions', 1)""",
    # the hooks took a tenth of the time
    "marks.db.hooks": "UPDATE run SET outer_cost_ns = 2000, hook_cost_error_ns = 300",
    # the runs 'before' took the same paths without allocating
    "groups.db.zero": """UPDATE path SET alloc_bytes = 0, alloc_count = 0
        WHERE run_id IN (SELECT run_id FROM run WHERE label = 'before')""",
    # the runs 'after' are longer for what they wait alone: lookup() is blocked 30 ms longer,
    # and ready 10; and its sum of what was computed is as before
    "groups.db.waits": WAITS.format("path", """function_id IN
            (SELECT function_id FROM function WHERE name LIKE 'lookup%')""") +
        WAITS.format("function", "name LIKE 'lookup%'") + """
        UPDATE thread SET cpu_ns = cpu_ns - 15000000, ready_ns = 10000000,
            blocked_ns = 30000000, wall_ns = wall_ns + 25000000
        WHERE run_id IN (SELECT run_id FROM run WHERE label = 'after');
        UPDATE run SET wall_ns = wall_ns + 25000000 WHERE label = 'after'""",
    # the runs had two threads, so that their peak hangs on the turns
    "groups.db.threads": """INSERT INTO thread SELECT NULL, run_id, process_id, lane_id, tid + 1,
        'worker', started_ns, wall_ns, 0, 0, 0, 0 FROM thread""",
    # all runs are of one workload, first those 'before', then those 'after'
    "groups.db.alike": """UPDATE run SET started_utc = replace(started_utc, 'T12', 'T13')
        WHERE label = 'after';
        UPDATE run SET label = NULL""",
    # the runs 'after' were recorded without their waits
    "groups.db.unsplit": """UPDATE trust SET name = 'unsplit_processes'
        WHERE name = 'switches_by_rseq' AND run_id IN
            (SELECT run_id FROM run WHERE label = 'after')""",
    # a process was looked at once more when it had ended
    "fixture.db.ended": """INSERT INTO resource SELECT run_id, process_id, time_ns + 600000000,
        cpu_percent, 0, minor_faults, major_faults, NULL, NULL, 1, NULL FROM resource
        WHERE run_id = 2 ORDER BY time_ns DESC LIMIT 1""",
    # the samples of a run too short for a share of a CPU
    "fixture.db.short": """DELETE FROM resource WHERE rowid NOT IN
            (SELECT rowid FROM resource WHERE run_id = 2 ORDER BY time_ns LIMIT 2);
        UPDATE resource SET cpu_percent = NULL""",
}


def make_copies(sound):
    for name, sql in COPIES.items():
        if name.startswith(os.path.basename(sound)):
            copy = os.path.join(os.path.dirname(sound), name)
            shutil.copyfile(sound, copy)
            db = sqlite3.connect(copy)
            db.executescript(sql)
            db.close()


def make_databases(folder, cases):
    """Those that the cases name, and the fixture with its damaged copies."""
    named = {word for case in cases for word in CASES[case][0]}
    for kind in ("fixture", "empty", "none", "groups", "marks", "snapshots", "machine", "io", "unhooked", "builds",
                 "findings", "unwound", "inlined", "renames", "frames", "wrappers", "plain-before", "plain-after", "plain-both",
                 "plain-mixed", "jobs-before", "jobs-after", "jobs-lost",
                 "jobs-inside", "scaling", "scaling-threads", "scaling-untimed", "names", "asleep", "estimates", "ticked", "unsampled", "drowned", "fewer",
                 "levels", "longer", "waiting", "waits", "critical", "why",
                 "timeline"):
        if kind != "fixture" and not any(word.startswith(kind + ".db") for word in named):
            continue
        make_db.make(kind, os.path.join(folder, kind + ".db"))
        make_copies(os.path.join(folder, kind + ".db"))
    with open(os.path.join(folder, "fixture.db"), "rb") as file:
        data = file.read()
    files = {"zero.db": b"", "text.db": b"hello, world\n" * 100, "truncated.db": data[:40000],
             "good.supp": SUPPRESSIONS, "all.supp": b"leak:^main$", "bad.supp": b"\n# x\nmain",
             "rules.json": RULES, "known.json": KNOWN, "off.json": rules_off(),
             "little.json": b'{"rules": {"T1": {"limits": {"weight": 0.001}}}}',
             "bad.json": b'{"rules": {\n"T0": {\n"limits": {"high": 1}}}}',
             "order.json": b'{"rules": {\n"M8": {"limits":\n{"big_bytes": 65536}}}}',
             "race.supp": b"race:main\n", "newer.db": data, "older.db": data, "foreign.db": data, "damaged.db": data}
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    patch(os.path.join(folder, "newer.db"), 60, b"\0\0\0\x63")
    patch(os.path.join(folder, "older.db"), 60, b"\0\0\0\0")
    patch(os.path.join(folder, "foreign.db"), 68, b"\0\0\0\0")
    for page in range(20, 28):
        patch(os.path.join(folder, "damaged.db"), page * 4096, b"\xff" * 4096)
    os.mkdir(os.path.join(folder, "folder.db"))


class Wrong(Exception):
    """What no output may be, whatever the golden file says."""


def check_svg(text):
    """Valid XML that refers to nothing outside; what lies in files of its own (style and
    script) is not repeated in every golden file."""
    xml.etree.ElementTree.fromstring(text)
    outside = [name for name in re.findall(r"https?:[^\s\"'<]*", text)
               if name not in ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml")]
    outside += re.findall(r"(?:href|src)\s*=|@import|url\(|fetch\(|XMLHttpRequest", text)
    if outside:
        raise Wrong("refers to %s" % outside)
    text = re.sub(r"(<style>).*?(</style>)", r"\1 svg.css \2", text, flags=re.DOTALL)
    return re.sub(r"(<script>).*?(</script>)", r"\1 svg.js \2", text, flags=re.DOTALL)


def folded(value, indent=""):
    """JSON in which what fits a line is one."""
    text = json.dumps(value, ensure_ascii=False)
    if len(indent + text) < 90 or not isinstance(value, (dict, list)):
        return text
    is_list = isinstance(value, list)
    parts = [folded(part, indent + " ") for part in value] if is_list else [
        f"{json.dumps(name)}: {folded(part, indent + ' ')}" for name, part in value.items()]
    return "[{"[not is_list] + f",\n{indent} ".join(parts) + "]}"[not is_list]


def run_case(program, folder, case):
    arguments, changes = CASES[case]
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                   "COLUMNS": "80"}
    environment.update({key: value for key, value in os.environ.items()
                        if key.endswith("SAN_OPTIONS")})
    environment.update(changes)
    done = subprocess.run([program] + arguments, cwd=folder, env=environment, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    output = done.stdout.decode("utf-8")
    if {"json", "sarif"} & set(arguments) and done.returncode in (0, 3):
        document = json.loads(output)
        output = folded(document) + "\n" if "sarif" in arguments else output
    if "junit" in arguments and done.returncode != 2:
        xml.etree.ElementTree.fromstring(output)
    if output.startswith("<?xml") and "flamegraph" in arguments:
        output = check_svg(output)
    elif arguments[:1] != ["export"] and not {"-f", "--format",
                                                   "--format=csv"} & set(arguments):
        check_width(output, max(int(environment["COLUMNS"]), 60))
    return "%s---- stderr ----\n%s---- status %d ----\n" % (
        without_long_lists(without_rules(without_file_sizes(output))), done.stderr.decode("utf-8"), done.returncode)


def without_long_lists(output):
    """Of more than six rows of a list in JSON the first three, and a digest of the others."""
    def shorten(rows):
        first, others = rows.group(1), rows.group(2)
        digest = hashlib.sha256(others.encode()).hexdigest()[:16]
        return f"{first}    ... and {others.count(chr(10))} more, sha256 {digest}\n"
    return re.sub(r"(?m)((?:^    \{.*\n){3})((?:^    \{.*\n){4,})", shorten, output)


def without_file_sizes(output):
    """Without what an archive takes: another SQLite or zlib, or a better packing, changes it."""
    output = re.sub(r'"((?:archive|packed|recorded)_bytes|reference_id)": (?:\d+|null)', r'"\1": N', output)
    return re.sub(r"in [0-9.]+[KMG]?i?B, [0-9.]+ % of", "in N bytes, N % of", output)


def without_rules(output):
    """Without the list of rules that found nothing: check_findings.py holds it against all
    rules, so a new one changes no golden file."""
    output = re.sub(r"(?m)^(Rules without a finding\n)(?:  .*\n)+", r"\1", output)
    output = re.sub(r"(?m)^- \*\*[a-z ]+\*\*: [A-Z]\d+ .*\n", "", output)
    return re.sub(r'(?m)^ *\{"id": "[A-Z]\d+", "rule": "[^"]+", "outcome": .*\n', "", output)


def check_width(output, width):
    for line in output.splitlines():
        columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
        if columns > width:
            raise Wrong("a line of %d columns: %s" % (columns, line))


def differences(case, output):
    wanted = golden.read(case)
    return difflib.unified_diff(wanted.splitlines(), output.splitlines(), "golden", "now",
                                lineterm="") if wanted != output else ()


def accept(case, output):
    golden.write(case, output)
    return ()


def problems_of(program, folder, case, judge):
    try:
        return list(judge(case, run_case(program, folder, case)))
    except (Wrong, ValueError, xml.etree.ElementTree.ParseError) as error:
        return [str(error)]


def main():
    is_accepting = sys.argv[1:2] == ["--accept"]
    program, *cases = sys.argv[1 + is_accepting:]
    cases, failed = cases or list(CASES), 0
    if is_accepting:
        cases = golden.with_dependents(cases)
    print("1..%d" % len(cases))
    with tempfile.TemporaryDirectory() as folder:
        make_databases(folder, cases)
        for number, case in enumerate(cases, 1):
            problems = problems_of(os.path.abspath(program), folder, case,
                                   accept if is_accepting else differences)
            failed += bool(problems)
            print("%sok %d - %s" % ("not " * bool(problems), number, case))
            print("".join("# %s\n" % line for line in problems), end="", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
