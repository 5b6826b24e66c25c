#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the library exports what its version script lists, nothing more or less.

usage: check_exports.py LIBPROFSHIM.SO SHIM.MAP
"""
import re
import subprocess
import sys

import tree


def exported_symbols(library):
    output = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library],
                            capture_output=True, text=True, check=True).stdout
    fields = [line.split() for line in output.splitlines()]
    # Type A is the name of a version node, not a symbol.
    return [field[0].split("@")[0] for field in fields if field[1] != "A"]


def main():
    library, version_script = sys.argv[1:]
    listed, exported = tree.exported_names(version_script), exported_symbols(library)
    problems = [f"{version_script}: '{name}' is a pattern; list the names"
                for name in listed if re.search(r"[*?\[]", name)]
    problems += [f"{version_script}: {name} stands twice"
                 for name in sorted({name for name in listed if listed.count(name) > 1})]
    problems += [f"exported but not in {version_script}: {name}"
                 for name in sorted(set(exported) - set(listed))]
    problems += [f"in {version_script} but not exported: {name}"
                 for name in sorted(set(listed) - set(exported))]
    tree.finish(problems)


main()
