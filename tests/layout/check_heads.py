#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check what every source file must carry. usage: check_heads.py ROOT

The licence line in every file, the four-line head in every .c of the products, #pragma
once in every header, and no path that exists on one machine only.
"""
import re
import sys

import tree

SUFFIXES = (".c", ".h", ".cpp", ".py", ".sql", ".build", ".sh", ".lua", ".css", ".js", ".map", "run",
            "demo", "test", "bench", "install_deps")
HEAD = ("What this is:", "Runs on:", "Must not:", "See also:")
LICENCE = "SPDX-License-Identifier: MIT"
# Written in pieces, so that this file does not name what it looks for.
MACHINE_PATH = re.compile("/" + "work/|/" + "tmp/build-")


def problems_of(path, text):
    first_lines = "\n".join(text.splitlines()[:3])
    if LICENCE not in first_lines and not path.endswith(".sql"):
        yield f"{path}: the line {LICENCE} is missing"
    if path.endswith(".c") and not path.startswith("tests/"):
        head = text[:2000]
        for word in HEAD:
            if word not in head:
                yield f'{path}: the head has no line "{word}"'
    if path.endswith(".h") and "#pragma once" not in text:
        yield f"{path}: #pragma once is missing"
    if MACHINE_PATH.search(text):
        yield f"{path}: names a path of one machine"


def main():
    root = sys.argv[1]
    problems = []
    for path in tree.source_files(root, SUFFIXES):
        problems += problems_of(path, tree.read(root, path))
    tree.finish(problems)


main()
