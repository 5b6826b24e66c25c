#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the table of wrapped functions names versions where it has to.

usage: check_wrapped.py ROOT

Of a function that this machine's libc has in several versions at different addresses the
table names the version that programs are linked with today, and of no other one a version.
What this libc does not have is not looked for: the row names a later one that has it.
"""
import os
import re
import subprocess
import sys

import tree

ROW = re.compile(r'^(\w+)\((\w+)(?:, "?([\w.]+)"?)?(?:\)$|, )', re.MULTILINE)


def rows(root):
    """(kind, function, version or what else stands there)"""
    return ROW.findall(tree.read(root, os.path.join("shim", "wrap", "wrapped.def")))


def path_of_libc():
    """That of the Python which runs this."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        return next(line.split()[5] for line in file if "/libc.so.6" in line)


def versions_of_libc():
    """{function: {address: {its versions, '@' in front of the default one}}}"""
    output = subprocess.run(["nm", "-D", "--defined-only", path_of_libc()],
                            capture_output=True, text=True, check=True).stdout
    found = {}
    for address, _, symbol in (line.split() for line in output.splitlines()):
        name, _, version = symbol.partition("@")
        found.setdefault(name, {}).setdefault(address, set()).add(version)
    return found


def problems_of(kind, name, version, libc):
    addresses = libc.get(name, {})
    today = {entry.lstrip("@") for entries in addresses.values() for entry in entries
             if entry.startswith("@")}
    if kind == "WRAPPED_AT" and version not in today:
        yield f"{name} is asked for as of {version}; libc has {', '.join(today) or 'none'}"
    if kind.startswith("WRAPPED") and kind != "WRAPPED_AT" and len(addresses) > 1:
        yield f"libc has several of {name}: WRAPPED_AT({name}, \"{', '.join(today)}\")"


def problems_of_age(kind, name, since, libc, minor):
    if kind.startswith("WRAPPED") and kind != "WRAPPED_SINCE" and name not in libc:
        yield f"libc has no {name}: WRAPPED_SINCE({name}, the first 2.N that has it)"
    if kind == "WRAPPED_SINCE" and (name in libc) != (int(since) <= minor):
        yield f"{name} came with glibc 2.{since}; 2.{minor} says otherwise"


def main():
    minor = int(os.confstr("CS_GNU_LIBC_VERSION").split(".")[1])
    libc = versions_of_libc()
    table = rows(sys.argv[1])
    names = [name for _, name, _ in table]
    problems = [f"{name} stands twice" for name in sorted(set(names))
                if names.count(name) > 1]
    for kind, name, version in table:
        problems += problems_of(kind, name, version, libc)
        problems += problems_of_age(kind, name, version, libc, minor)
    if not names:
        problems.append("no row is understood")
    tree.finish([f"shim/wrap/wrapped.def: {problem}" for problem in problems])


main()
