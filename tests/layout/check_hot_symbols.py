#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that code inside the hooks calls only what is allowed there.

usage: check_hot_symbols.py BUILD/shim ALLOWED.txt

Looks at the static library shim_hot: what its objects use and none of them defines
must stand in the list.
"""
import glob
import os
import subprocess
import sys

import tree

# How position-independent code finds what it uses; with some compilers by name.
TABLE = "_GLOBAL_OFFSET_TABLE_"


def symbols(library, option):
    output = subprocess.run(["nm", option, "--format=posix", library],
                            capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in output.splitlines()
            if line and not line.endswith(":")}


def allowed_symbols(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split("#")[0].strip() for line in file]
    return {line for line in lines if line}


def main():
    folder, list_path = sys.argv[1:]
    libraries = glob.glob(os.path.join(folder, "**", "lib*hot*.a"), recursive=True)
    if len(libraries) != 1:
        sys.exit(f"expected one static library shim_hot under {folder}, "
                 f"found {libraries or 'none'}")
    used = symbols(libraries[0], "-u") - symbols(libraries[0], "--defined-only") - {TABLE}
    allowed = allowed_symbols(list_path)
    problems = [f"the hooks use {name}, which {os.path.basename(list_path)} does not allow"
                for name in sorted(used - allowed)]
    problems += [f"{os.path.basename(list_path)} allows {name}, which nobody uses"
                 for name in sorted(allowed - used)]
    tree.finish(problems)


main()
