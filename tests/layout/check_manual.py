#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the manual pages. usage: check_manual.py ROOT PROF-RECORD PAGE...

prof-record(1) has the options of --help, with and without a value; each PAGE is one that was
made (prof-analyze(1), profshim(7)). mandoc finds nothing to warn of, and no line is wider than
80 columns.
"""
import os
import re
import subprocess
import sys

import programs
import tree

MANUALS = "docs/man"


def section(text, name):
    """The lines of a section of mdoc."""
    return re.search(rf"^\.Sh {name}\n(.*?)(?=^\.Sh |\Z)", text, re.MULTILINE | re.DOTALL).group(1)


def items(text):
    """(heading, body) of each item of a list."""
    for part in re.split(r"^\.It ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        yield heading, re.split(r"^\.El", body, flags=re.MULTILINE)[0]


def options_of(heading):
    """{"-o": True, "--output": True} of "Fl o Ar file , Fl -output Ns = Ns Ar file"."""
    return {"-" + name: "Ar" in words.split() for name, words in
            re.findall(r"Fl (-?[\w-]+)((?: (?!Fl )\S+)*)", heading)}


def problems_of_record(text, program):
    described = {}
    for heading, _ in items(section(text, "OPTIONS")):
        described.update(options_of(heading))
    return programs.differences("prof-record", "--help", programs.options(program).items(),
                                "the manual", described.items())


def problems_of_text(path):
    """What mandoc says, and what does not fit a terminal."""
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], check=False,
                          capture_output=True, text=True)
    yield from lint.stdout.splitlines()
    shown = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=80", path], check=True,
                           capture_output=True, text=True).stdout
    for line in re.sub(".\b", "", shown).splitlines():
        if len(line) > 80:
            yield f"{path}: wider than 80 columns: {line.strip()}"


def main():
    root, record, *made = sys.argv[1:]
    folder = os.path.join(root, MANUALS)
    pages = [*made, *(os.path.join(folder, name) for name in sorted(os.listdir(folder))
                     if not name.endswith(".in"))]
    problems = [problem for path in pages for problem in problems_of_text(path)]
    problems += problems_of_record(tree.read(root, MANUALS + "/prof-record.1"), record)
    tree.finish(problems)


main()
