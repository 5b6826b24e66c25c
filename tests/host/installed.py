#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`meson install`, into a directory of the user's own: the parts find each other there,
and uninstalling leaves nothing."""
import os
import shutil
import sys

import host
from host import expect, scenario

BUILD = os.path.abspath(sys.argv[1])


def files_below(directory):
    return {name: os.path.join(folder, name)
            for folder, _, names in os.walk(directory) for name in names}


def do(case, *command):
    """A command that must not need rights, nor the tree to be built again."""
    result = host.harness.run(command, cwd=case.directory,
                              env=host.harness.plain_environment())
    expect(result.returncode == 0, f"{command}: {result.stdout}{result.stderr}")
    return result


@scenario
def parts_find_each_other(case):
    """The program is recorded by the installed collector alone, which finds the installed
    prof-analyze for the report; prof-record finds the library."""
    place = case.path("place")
    do(case, shutil.which("meson"), "install", "-C", BUILD, "--no-rebuild", "--quiet",
       "--destdir", place)
    try:
        found = files_below(place)
        program = [case.compile("ticker.c"), case.path("counts"), "1", "1000"]
        for name in ("libprofshim.so", "profshim-collect", "prof-record", "prof-analyze",
                     "profshim.h"):
            expect(name in found, f"{name} is not installed, but: {sorted(found)}")
        case.unharmed(program, {"PROFSHIM_REPORT": "md",
                                "LD_PRELOAD": found["libprofshim.so"]})
        case.settle()
        expect(case.trust("collector_recovered") == 0, "no collector was found")
        with open(case.path("run-report.md"), encoding="utf-8") as file:
            expect("Run 1:" in file.read(), "no report")
        result = do(case, found["prof-record"], "-q", "--report", *program)
        expect("Hot functions" in result.stderr, f"prof-record says {result.stderr}")
    finally:
        do(case, shutil.which("ninja"), "-C", BUILD, "uninstall")
    expect(not files_below(place), f"left behind: {sorted(files_below(place))}")


def pkg_config(case, found, *words):
    """What it answers for the tree as it would be without --destdir."""
    place = case.path("place")
    prefix = os.path.dirname(os.path.dirname(found["profshim.h"]))
    result = host.harness.run(
        ["pkg-config", f"--define-variable=prefix={prefix}", *words, "profshim"], cwd=place,
        env={**host.harness.plain_environment(),
             "PKG_CONFIG_PATH": os.path.dirname(found["profshim.pc"])})
    expect(result.returncode == 0, f"pkg-config {words}: {result.stderr}")
    return result.stdout.strip()


@scenario
def others_find_it(case):
    """man, bash and pkg-config look for what is theirs in these folders."""
    place = case.path("place")
    do(case, shutil.which("meson"), "install", "-C", BUILD, "--no-rebuild", "--quiet",
       "--destdir", place)
    try:
        found = files_below(place)
        for name in ("man1/prof-analyze.1", "man1/prof-record.1", "man7/profshim.7",
                     "completions/prof-analyze", "completions/prof-record",
                     "pkgconfig/profshim.pc"):
            expect(any(name in os.path.join(folder, file) for folder, _, files in os.walk(place)
                       for file in files), f"{name} is not installed")
        folder = os.path.dirname(found["profshim.h"])
        expect(pkg_config(case, found, "--cflags") == f"-I{folder}", "another header's folder")
        expect(pkg_config(case, found, "--libs") == "", "a library to link with")
        expect(pkg_config(case, found, "--variable=preload") == found["libprofshim.so"],
               "another library to preload")
        expect(pkg_config(case, found, "--variable=hooks") == "-finstrument-functions",
               "other flags for the hooks")
    finally:
        do(case, shutil.which("ninja"), "-C", BUILD, "uninstall")


host.main()
