# SPDX-License-Identifier: MIT
"""What --help prints, for the checks beside this file."""
import re
import subprocess

OPTION = re.compile(r"^ {2,6}(?:-(\w), )? *--([a-z][a-z-]*)(\[=\S+\]|[= ][A-Z]\S*)?", re.MULTILINE)
COMMAND = re.compile(r"^  ([a-z][a-z-]*)  ", re.MULTILINE)


def help_of(program, *words):
    answer = subprocess.run([program, *words, "--help"], capture_output=True, text=True,
                            check=True)
    return answer.stdout


def commands(program):
    return COMMAND.findall(help_of(program))


def options(program, *words):
    """{"--output": True, "-o": True, "--raw": False, ...}: whether it has a value."""
    found = {}
    for short, name, value in OPTION.findall(help_of(program, *words)):
        found["--" + name] = bool(value)
        if short:
            found["-" + short] = bool(value)
    return found


def differences(what, name_of_one, one, name_of_other, other):
    """Sentences about what is in one of two collections only."""
    for name in sorted(set(one) - set(other)):
        yield f"{what}: {name} is in {name_of_one}, not in {name_of_other}"
    for name in sorted(set(other) - set(one)):
        yield f"{what}: {name} is in {name_of_other}, not in {name_of_one}"
