#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that every header compiles alone. usage: check_headers.py ROOT"""
import subprocess
import sys

import tree

COMMAND = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-DPROFSHIM_VERSION=\"0\"", "-Wall",
           "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only", "-I.", "-x", "c", "-"]


def main():
    root = sys.argv[1]
    problems = []
    for path in tree.source_files(root, (".h",), tree.PRODUCTS):
        text = f'#include "{path}"\n#include "{path}"\n'
        result = subprocess.run(COMMAND, cwd=root, input=text, text=True,
                                capture_output=True, check=False)
        if result.returncode:
            problems.append(f"{path} does not compile alone:\n{result.stderr}")
    tree.finish(problems)


main()
