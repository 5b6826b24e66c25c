# SPDX-License-Identifier: MIT
"""The files of the source tree, for the checks beside this file."""
import os
import re
import sys

PRODUCTS = ("common", "shim", "collector", "record", "analyzer")


def source_files(root, suffixes, folders=None):
    """Paths relative to root, sorted; build directories and dot folders left out."""
    found = []
    for directory, subdirectories, names in os.walk(root):
        relative = os.path.relpath(directory, root)
        if relative == ".":
            relative = ""
            subdirectories[:] = [name for name in subdirectories
                                 if not name.startswith((".", "build"))
                                 and (folders is None or name in folders)]
        subdirectories[:] = [name for name in subdirectories if name != "__pycache__"]
        found += [os.path.join(relative, name) for name in names if name.endswith(suffixes)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def exported_names(version_script):
    """The names that a linker's version script exports."""
    with open(version_script, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/|#[^\n]*", "", file.read(), flags=re.DOTALL)
    names = []
    for block in re.findall(r"global:(.*?)(?:local:|\})", text, flags=re.DOTALL):
        names += [name.strip() for name in block.split(";") if name.strip()]
    return names


def circles_of(edges):
    """Groups of nodes that reach each other (Tarjan's strongly connected components) in
    {node: those that it leads to}."""
    sys.setrecursionlimit(10000)
    number, lowest, waiting, circles = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        waiting.append(node)
        for used in sorted(edges.get(node, ())):
            if used not in number:
                visit(used)
            if used in waiting:
                lowest[node] = min(lowest[node], lowest[used])
        if lowest[node] == number[node]:
            at = waiting.index(node)
            circles.append(frozenset(waiting[at:]))
            del waiting[at:]

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return [circle for circle in circles if len(circle) > 1]


def finish(problems):
    """Prints the problems, one a line, and ends with the right status."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
