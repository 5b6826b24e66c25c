#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check how --help reads. usage: check_help.py PROF-ANALYZE PROF-RECORD

No line is wider than a terminal of 80 columns, each row of the list of commands is one
line, and the help of a command says what an option means there, not what it means to
others.
"""
import re
import sys

import programs

COLUMNS = 80
# "delta: path, function", "(of a flamegraph also ...)"
OF_OTHERS = r"\b(?:{names}): |\bof an? (?:{names}|gate|picture)\b|\bof findings\b"
OPTION_LINES = re.compile(r"^ {2,6}-.*(?:\n {8,}.*)*", re.MULTILINE)


def wide_lines(what, text):
    for line in text.splitlines():
        if len(line) > COLUMNS:
            yield f"{what} --help: wider than {COLUMNS} columns: {line}"


def broken_rows(text):
    rows = text.split("\nCommands:\n")[1].split("\n\n")[0].splitlines()
    return [f"prof-analyze --help: a command's row is broken: {row}"
            for row in rows if not row.startswith("  ")]


def strange_meanings(command, commands, text):
    names = "|".join(re.escape(name) for name in commands if name != command)
    for option in OPTION_LINES.findall(text):
        words = " ".join(option.split())
        if re.search(OF_OTHERS.format(names=names), words):
            yield f"prof-analyze {command} --help tells what an option means to others: {words}"


def main():
    analyze, record = sys.argv[1:]
    commands = programs.commands(analyze)
    whole = programs.help_of(analyze)
    problems = [*wide_lines("prof-analyze", whole), *broken_rows(whole),
                *wide_lines("prof-record", programs.help_of(record))]
    for command in commands:
        text = programs.help_of(analyze, command)
        problems += wide_lines(f"prof-analyze {command}", text)
        problems += strange_meanings(command, commands, text)
    for problem in problems:
        print(problem)
    return 1 if problems or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
