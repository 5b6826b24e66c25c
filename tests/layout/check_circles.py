#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that no modules need each other in a circle. usage: check_circles.py ROOT BUILD

A module is the .c and the .h of one name. It needs another one when either of its files
includes a header of the other, or when its object uses a symbol that the other's object
defines: a declaration by hand does not hide anything. Who wants to understand or to test
one module of a circle has to take all of them.
"""
import json
import os
import re
import subprocess
import sys

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def module_of(path):
    return os.path.splitext(path)[0]


def add(edges, user, used, reason):
    if user != used:
        edges.setdefault(user, {}).setdefault(used, reason)


def edges_of_includes(root):
    """{module: {module that it needs: why}}"""
    edges = {}
    paths = set(tree.source_files(root, (".c", ".h"), tree.PRODUCTS))
    for path in sorted(paths):
        for target in INCLUDE.findall(tree.read(root, path)):
            if target in paths:
                add(edges, module_of(path), module_of(target), "include")
    return edges


def objects_of(root, build):
    """(module, object file) of every product's C file as it was compiled."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for command in commands:
        source = os.path.realpath(os.path.join(command["directory"], command["file"]))
        path = os.path.relpath(source, os.path.realpath(root))
        compiled = os.path.join(command["directory"], command["output"])
        if path.split(os.sep)[0] in tree.PRODUCTS and os.path.exists(compiled):
            yield module_of(path), compiled


def symbols_of(objects):
    """({symbol: modules that define it}, {symbol: modules that use it})"""
    modules = {compiled: module for module, compiled in objects}
    output = subprocess.run(["nm", "-A", "-g", "--format=posix", *modules],
                            capture_output=True, text=True, check=True).stdout
    defined, used = {}, {}
    for line in output.splitlines():
        compiled, fields = line.rsplit(": ", 1)
        symbol, kind = fields.split()[:2]
        users = used if kind in "Uwv" else defined
        users.setdefault(symbol, set()).add(modules[compiled])
    return defined, used


def are_linked(user, definer):
    """The shim is a library of its own: it shares nothing but common/ with programs."""
    products = {path.split("/")[0] for path in (user, definer)} - {"common"}
    return len(products) < 2 or "shim" not in products


def add_symbols(edges, root, build):
    # What the library exports it wraps: who calls that means libc's.
    wrapped = set(tree.exported_names(os.path.join(build, "shim", "shim.map")))
    defined, used = symbols_of(list(objects_of(root, build)))
    for symbol, definers in defined.items():
        for user in () if symbol in wrapped else used.get(symbol, ()):
            for definer in definers:
                if are_linked(user, definer):
                    add(edges, user, definer, symbol)


def describe(circle, edges):
    lines = [f"{len(circle)} modules need each other:"]
    for module in sorted(circle):
        needs = [f"{used} ({reason})" for used, reason in sorted(edges[module].items())
                 if used in circle]
        lines.append(f"    {module} needs {', '.join(needs)}")
    return "\n".join(lines)


def main():
    root, build = sys.argv[1:]
    edges = edges_of_includes(root)
    add_symbols(edges, root, build)
    tree.finish([describe(circle, edges) for circle in tree.circles_of(edges)])


main()
