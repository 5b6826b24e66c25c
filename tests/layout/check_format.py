#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that clang-format would change nothing, and has left no comment's end alone.

usage: check_format.py ROOT

Of a comment that is one column too long it puts the end on a line of its own.
"""
import os
import re
import shutil
import subprocess
import sys

import tree

LONE_END = re.compile(r"^\s*/\* (?!.*\*/).*\n\s*\*/$", re.MULTILINE)


def main():
    root = sys.argv[1]
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not program:
        sys.exit("clang-format is not installed")
    paths = tree.source_files(root, (".c", ".h", ".cpp"))
    bad = [f"{path}: the end of this comment stands alone: {found.group().strip()}"
           for path in paths for found in LONE_END.finditer(tree.read(root, path))]
    if bad:
        sys.exit("\n".join(bad))
    command = [program, "--dry-run", "-Werror", "--ferror-limit=3"]
    sys.exit(subprocess.run(command + [os.path.join(root, path) for path in paths],
                            check=False).returncode)


main()
