#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the manual pages against --help. usage: check_manual.py ROOT PROF-ANALYZE PROF-RECORD

The same commands, and of each the same options with and without a value: in
prof-analyze(1) the words after "Taken by" say which commands take an option. mandoc finds
nothing to warn of, and no line is wider than 80 columns.
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


def takers(body, commands):
    """The commands that an item says take it."""
    named = re.search(r"^Taken by (all)( but)?\.?$|^Taken by$", body, re.MULTILINE)
    if not named:
        return set()
    listed = set(re.findall(r"[a-z][a-z-]*", body[named.end():].partition("\n.Cm ")[2]))
    if not named.group(1):
        return listed
    return set(commands) - listed if named.group(2) else set(commands)


def problems_of_analyze(text, program):
    commands = programs.commands(program)
    described = [heading.split()[1] for heading, _ in items(section(text, "COMMANDS"))]
    yield from programs.differences("prof-analyze", "--help", commands, "the manual", described)
    manual = {command: {} for command in commands}
    for heading, body in items(section(text, "OPTIONS")):
        for command in takers(body, commands) & set(commands):
            manual[command].update(options_of(heading))
        yield from (f"prof-analyze(1): '{heading}' is taken by {name}, which is no command"
                    for name in takers(body, commands) - set(commands))
    for command in commands:
        yield from programs.differences(f"prof-analyze {command}", "--help",
                                        programs.options(program, command).items(),
                                        "the manual", manual[command].items())


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
    root, analyze, record = sys.argv[1:]
    folder = os.path.join(root, MANUALS)
    problems = [problem for name in sorted(os.listdir(folder))
                for problem in problems_of_text(os.path.join(folder, name))]
    problems += problems_of_analyze(tree.read(root, MANUALS + "/prof-analyze.1"), analyze)
    problems += problems_of_record(tree.read(root, MANUALS + "/prof-record.1"), record)
    tree.finish(problems)


main()
