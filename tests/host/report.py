#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report at the end: prof-record --report, and PROFSHIM_REPORT for plain LD_PRELOAD."""
import json
import os
import shutil
import subprocess

import host
import ticker
from host import expect, scenario

TICKS = 20_000
SUFFIXES = {"text": "txt", "md": "md", "json": "json"}


def command_of(case):
    return [case.compile("ticker.c"), case.path("counts"), "1", str(TICKS)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def record(case, *options, **settings):
    return host.harness.run(
        [case.products.record, "-o", case.database, *options, "--", *command_of(case)],
        cwd=case.directory, env={**host.harness.plain_environment(), **settings})


def expect_whole(text, run_id=1):
    """One json document with all parts and units in its names."""
    document = json.loads(text)
    expect(document["schema_version"] == 1 and document["report"] == "report",
           f"not a report: {text[:200]}")
    expect(document["run"]["run_id"] == run_id, f"of run {document['run']['run_id']}")
    missing = {"trust", "summary", "functions", "call_paths", "memory", "allocation_sites",
               "peak_sites", "resources", "processes", "notes"} - set(document)
    expect(not missing, f"parts are missing: {missing}")
    expect(document["functions"][0]["self_ns"] >= 0, "no unit in the name")


@scenario
def record_shows_it(case):
    """On standard error, so that the program's output is its own."""
    plain = case.run_plain(command_of(case))
    for option, words in (("--report", "Hot functions"), ("--report=text", "Hot functions"),
                          ("--report=md", "### Hot functions"), ("--report=json", '"report"')):
        result = record(case, option)
        expect(result.returncode == 0 and result.stdout == plain.stdout,
               f"{option} ended with {result.returncode} and {result.stdout!r}")
        expect(words in result.stderr, f"{option} has no {words}: {result.stderr}")
    result = record(case, "--quiet", "--report=json")
    text, trailer = result.stderr[:result.stderr.rindex("}") + 1], result.stderr.splitlines()[-1]
    expect(trailer == "}", f"after the document comes {trailer}")
    expect(json.loads(text)["run"]["run_id"] == 5, "the report is of another run")
    count = case.value("SELECT COUNT(*) FROM runs")
    expect(count == 5, f"{count} runs: a report was recorded, too")


@scenario
def record_into_a_file(case):
    result = record(case, "--quiet", "--report=json", "--report-file", "kept.json")
    expect(result.returncode == 0 and not result.stderr, f"it says {result.stderr}")
    expect(json.loads(read(case.path("kept.json")))["run"]["run_id"] == 1, "not of run 1")
    result = record(case, "--quiet", "--report-file", "missing/kept.txt")
    expect("missing/kept.txt" in result.stderr and result.returncode == 0,
           f"ended with {result.returncode} and {result.stderr}")


@scenario
def record_refuses(case):
    for options, says in ((["--report=xml"], "not \"xml\""),
                          (["--report", "--repeat", "2"], "prof-analyze compare"),
                          (["--report-file", "x", "--repeat", "2"], "prof-analyze compare")):
        result = record(case, *options)
        expect(result.returncode == 2 and says in result.stderr,
               f"{options} ended with {result.returncode} and {result.stderr}")
    expect(not os.path.exists(case.database), "something ran")
    result = record(case, "--report", "--level", "off")
    expect(result.returncode == 0 and "no report" in result.stderr, f"says {result.stderr}")


@scenario
def beside_the_database(case):
    """One file a format, whole when it is there, of the latest run."""
    for number, (word, suffix) in enumerate(SUFFIXES.items(), 1):
        case.unharmed(command_of(case), {"PROFSHIM_REPORT": word})
        case.settle()
        text = read(case.path(f"run-report.{suffix}"))
        if word == "json":
            expect_whole(text, number)
        else:
            expect(f"Run {number}:" in text and "Hot functions" in text, f"it says {text}")
    case.unharmed(command_of(case), {"PROFSHIM_REPORT": "json"})
    case.settle()
    expect_whole(read(case.path("run-report.json")), 4)
    case.unharmed(command_of(case), {"PROFSHIM_REPORT": ""})
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db", "run-report.txt",
                                              "run-report.md", "run-report.json"])
    case.unharmed(command_of(case), {"PROFSHIM_REPORT": "md", "PROFSHIM_OUTPUT": "mine"})
    expect(host.harness.wait_until(lambda: os.path.exists(case.path("mine-report.md"))),
           f"there is only {os.listdir(case.directory)}")


@scenario
def killed_program(case):
    program = case.start(["sleep", "100"], {"PROFSHIM_REPORT": "md"})
    case.wait_for_collector()
    program.kill()
    program.communicate()
    case.settle()
    expect("Run 1" in read(case.path("run-report.md")), "no report of a killed program")


@scenario
def not_understood(case):
    """Told once, kept in trust, as for every setting."""
    recorded = case.unharmed(command_of(case), {"PROFSHIM_REPORT": "yaml"})
    expect("PROFSHIM_REPORT=yaml" in recorded.message, f"it says {recorded.message}")
    case.settle()
    expect(case.trust("note_setting_ignored") == 1, "trust does not say so")
    ticker.expect_counts(case, 0)
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db"])


def other_analyze(case, script):
    """Products of their own whose prof-analyze is a script, or (None) is not there."""
    root = case.path("products")
    shutil.copytree(os.path.dirname(os.path.dirname(case.products.library)), root)
    analyze = os.path.join(root, "analyzer", "prof-analyze")
    os.remove(analyze)
    if script:
        with open(analyze, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(analyze, 0o755)
    return os.path.join(root, "shim", "libprofshim.so")


def expect_error(case, words, without_report=True):
    errors = case.path("run-report.error")
    expect(host.harness.wait_until(lambda: os.path.exists(errors)),
           f"there is only {os.listdir(case.directory)}")
    expect(words in read(errors), f"the file says {read(errors)}")
    expect(without_report != os.path.exists(case.path("run-report.md")), "an old report is left")


@scenario
def cannot_be_made(case):
    """run-report.error says why; no report of an earlier run is left; the next one cures."""
    command = command_of(case)
    case.unharmed(command, {"PROFSHIM_REPORT": "md"})
    case.settle()
    library = other_analyze(case, "echo no luck today >&2\nexit 1\n")
    case.unharmed(command, {"PROFSHIM_REPORT": "md", "LD_PRELOAD": library})
    expect_error(case, "no luck today")
    os.remove(case.path("run-report.error"))
    os.remove(case.path("products/analyzer/prof-analyze"))
    case.unharmed(command, {"PROFSHIM_REPORT": "md", "LD_PRELOAD": library})
    expect_error(case, "prof-analyze is not beside it")
    case.unharmed(command, {"PROFSHIM_REPORT": "md"})
    case.settle()
    expect("Run 4:" in read(case.path("run-report.md")), "no report of the fourth run")
    expect(not os.path.exists(case.path("run-report.error")), "the error is left")


@scenario
def not_in_a_series(case):
    """A report made while the next run is measured would be measured, too."""
    result = record(case, "--quiet", "--repeat", "2", PROFSHIM_REPORT="md")
    expect(result.returncode == 0 and not result.stderr, f"it says {result.stderr}")
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db"])


@scenario
def nobody_waits(case):
    """The program ends before the report is begun, let alone finished."""
    gate = case.path("gate")
    library = other_analyze(case, f"until [ -e {gate} ]; do sleep 0.1; done\nexit 1\n")
    command = command_of(case)  # who waits does so for longer than we do
    case.unharmed(command, {"PROFSHIM_REPORT": "md", "LD_PRELOAD": library,
                            "PROFSHIM_WAIT": "300"}, timeout=90)
    # what was recorded is there, for whoever comes meanwhile
    result = subprocess.run([case.products.analyze, "runs", case.database], timeout=60,
                            capture_output=True, check=False)
    expect(result.returncode == 0, f"prof-analyze says {result.stderr}")
    with open(gate, "w", encoding="ascii"):
        pass


host.main()
