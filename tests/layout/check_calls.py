#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the shim knows which system calls it makes.

usage: check_calls.py ROOT

A filter that kills for one of them must be recognised before the program executes an image
under it: each call that stands in shim/ is in the tables of sandbox_filter.c.
"""
import os
import re
import sys

import tree

TABLES = os.path.join("shim", "wrap", "rights", "sandbox_filter.c")
CALL = re.compile(r"\b(?:SYSCALL|syscall_raw|ask)\(\s*(SYS_\w+)")
LISTED = re.compile(r"\{(SYS_\w+),")

# made only when the kernel says that there is no filter; and in a program that locks its
# memory itself
ELSEWHERE = {"SYS_perf_event_open", "SYS_mlock", "SYS_mlock2", "SYS_munlock",
             "SYS_munlockall"}


def main():
    root = sys.argv[1]
    listed = set(LISTED.findall(tree.read(root, TABLES)))
    problems, seen = [], 0
    for path in tree.source_files(root, (".c", ".h"), ("shim",)):
        for call in CALL.findall(tree.read(root, path)):
            seen += 1
            if path != TABLES and call not in listed | ELSEWHERE:
                problems.append(f"{path}: {call} is not in {TABLES}")
    if not seen or not listed:
        problems.append("no system call is found")
    tree.finish(problems)


main()
