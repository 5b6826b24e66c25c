#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run shellcheck over every shell script. usage: check_shell.py ROOT SCRIPT..."""
import os
import re
import subprocess
import sys

# Or, in what is sourced, the line that tells shellcheck.
SHELL = re.compile(rb"#!\s*(/usr)?/bin/(env )?(ba)?sh\b|.*\n# shellcheck shell=bash\n")


def scripts_in(directory):
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if not os.path.isfile(path) or name.endswith(".in"):
            continue
        with open(path, "rb") as file:
            head = file.read(64)
        if name.endswith(".sh") or SHELL.match(head):
            yield path


def main():
    root, *scripts = map(os.path.abspath, sys.argv[1:])
    for folder in ("scripts", "completion", ".ci", "tests/host", "tests/programs", "tests/bench"):
        if os.path.isdir(os.path.join(root, folder)):
            scripts += scripts_in(os.path.join(root, folder))
    sys.exit(subprocess.run(["shellcheck", "-x", "-P", "SCRIPTDIR/..", *scripts], cwd=root,
                            check=False).returncode)


main()
