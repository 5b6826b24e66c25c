#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check what every source file must carry. usage: check_heads.py ROOT

The licence line in every file, a first comment in every .c of the products that says what
it is, #pragma once in every header, and no path that exists on one machine only. Every
folder of the products has at most 25 modules (a .c with its .h). The README.md of each
product says where it runs, what it must not do and what to read first, and of each folder in
it a row of a table does; those of shim/ have a README.md each, too.
"""
import os
import re
import sys

import tree

SUFFIXES = (".c", ".h", ".cpp", ".py", ".sql", ".build", ".sh", ".lua", ".css", ".js", ".map", "run",
            "demo", "test", "bench", "fidelity", "install_deps")
MOST_MODULES = 25
FOLDER_WORDS = ("# ", "**Runs in:**", "**Must not:**", "**Read first:**")
MAPPED = ("analyzer", "collector", "common")
ROW = re.compile(r"^\| `([^`]+)/` \|.*\| ([^|]*) \|$", re.MULTILINE)
LICENCE = "SPDX-License-Identifier: MIT"
# Written in pieces, so that this file does not name what it looks for.
MACHINE_PATH = re.compile("/" + "work/|/" + "tmp/build-")


def problems_of(path, text):
    first_lines = "\n".join(text.splitlines()[:3])
    if LICENCE not in first_lines and not path.endswith(".sql"):
        yield f"{path}: the line {LICENCE} is missing"
    if path.endswith(".c") and path.startswith(tree.PRODUCTS):
        if not text.split("\n", 1)[1].startswith("/*"):
            yield f"{path}: the second line does not say what the file is"
    if path.endswith(".h") and "#pragma once" not in text:
        yield f"{path}: #pragma once is missing"
    if MACHINE_PATH.search(text):
        yield f"{path}: names a path of one machine"


def problems_of_size(folder, names):
    modules = {os.path.splitext(name)[0] for name in names}
    if len(modules) > MOST_MODULES:
        yield (f"{folder}: {len(modules)} modules; a folder of one idea has at most "
               f"{MOST_MODULES}")


def problems_of_words(root, folder):
    path = os.path.join(folder, "README.md")
    if not os.path.exists(os.path.join(root, path)):
        yield f"{path} is missing"
        return
    text = tree.read(root, path)
    for word in FOLDER_WORDS:
        if word not in text:
            yield f"{path}: does not say {word}"


def problems_of_map(root, product, inner):
    """A row for each folder; the files that its last cell names are there."""
    path = os.path.join(product, "README.md")
    rows = {row[0]: row[1] for row in ROW.findall(tree.read(root, path))}
    for name in sorted(set(inner) ^ set(rows)):
        yield f"{path}: {name}/ has no row" if name in inner else f"{path}: there is no {name}/"
    for name, first in rows.items():
        for file in re.findall(r"`([^`]+)`", first):
            if "/" not in file and not os.path.exists(os.path.join(root, product, name, file)):
                yield f"{path}: there is no {file} in {name}/"


def folders(root):
    """Each folder of the products with the names of its files."""
    found = {}
    for path in tree.source_files(root, "", tree.PRODUCTS):
        if not path.endswith(("README.md", "meson.build")):
            found.setdefault(os.path.dirname(path), []).append(path)
    return found


def main():
    root = sys.argv[1]
    problems = []
    for path in tree.source_files(root, SUFFIXES):
        problems += problems_of(path, tree.read(root, path))
    found = folders(root)
    for folder, names in sorted(found.items()):
        problems += problems_of_size(folder, names)
        if folder in MAPPED or folder == "record" or folder.startswith("shim/"):
            problems += problems_of_words(root, folder)
    for product in MAPPED:
        problems += problems_of_map(root, product, [
            folder[len(product) + 1:] for folder in found if folder.startswith(product + "/")])
    tree.finish(problems)


main()
