#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that clang-format would change nothing. usage: check_format.py ROOT"""
import os
import shutil
import subprocess
import sys

import tree


def main():
    root = sys.argv[1]
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not program:
        sys.exit("clang-format is not installed")
    paths = tree.source_files(root, (".c", ".h", ".cpp"))
    command = [program, "--dry-run", "-Werror", "--ferror-limit=3"]
    sys.exit(subprocess.run(command + [os.path.join(root, path) for path in paths],
                            check=False).returncode)


main()
