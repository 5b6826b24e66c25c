#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that #include goes only where the layout allows. usage: check_layers.py ROOT

Folders say when code runs and who may call whom; this is the table. The longest prefix
of a file's path names its layer; a layer may include itself and what is listed.
"""
import os
import re
import sys

import tree

HOT = ["shim/core", "shim/record", "shim/stacks", "shim/memory"]
CONTENT = ["common", "analyzer/model", "analyzer/statistics", "analyzer/findings",
           "analyzer/document", "analyzer/rundb"]
LAYERS = {
    "common": [],
    "common/base": ["common"],
    "shim/profshim.h": [],
    "shim": ["common", "shim"],
    "shim/core": ["common", *HOT],
    "shim/record": ["common", *HOT],
    "shim/stacks": ["common", *HOT],
    "shim/memory": ["common", *HOT],
    "shim/wrap": ["common", *HOT, "shim/boot", "shim/profshim.h"],
    "shim/boot": ["common", *HOT, "shim/wrap"],
    "collector/read": ["common"],
    "collector/processes": ["common", "collector/read"],
    "collector/symbols": ["common"],
    "collector/merge": ["common", "collector/read", "collector/processes",
                        "collector/symbols"],
    "collector/store": ["common", "collector/read", "collector/processes",
                        "collector/merge"],
    "collector/live": ["common", "collector/read", "collector/processes"],
    "collector/watch": ["common", "collector"],
    "collector": ["common", "collector"],
    "record": ["common", "collector/analyze.h", "collector/store", "collector/symbols"],
    "analyzer/model": ["common"],
    "analyzer/statistics": ["common", "analyzer/model"],
    "analyzer/findings": ["common", "analyzer/model"],
    "analyzer/document": ["common", "analyzer/model", "analyzer/findings"],
    "analyzer/rundb": ["common", "analyzer/model", "collector/store"],
    "analyzer/rules": CONTENT,
    "analyzer/reports": [*CONTENT, "analyzer/rules"],
    "analyzer/reports/doctor": [*CONTENT, "analyzer/reports", "collector/store",
                                "collector/symbols/target.h"],
    "analyzer/reports/attach": [*CONTENT, "analyzer/reports", "collector/live/attach.h"],
    # A finding names its rule; a rule is more than a name.
    "analyzer/render": ["common", "analyzer/model", "analyzer/findings", "analyzer/document",
                        "analyzer/rules/rule.h"],
    "analyzer/export": ["common", "analyzer/model", "analyzer/document"],
    "analyzer/cli": ["common", "analyzer"],
}

# A system header that only the named files may include.
RESERVED_HEADERS = {
    "sqlite3.h": ["collector/store/", "record/", "analyzer/rundb/"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
GENERATED = re.compile(r"^[\w.]*(sql|css|js|json)\.h$")


def layer_of(path):
    return max((layer for layer in LAYERS if path.startswith(layer)),
               key=len, default=None)


def may_include(path, target):
    layer = layer_of(path)
    if layer_of(target) == layer:
        return True
    return any(target == allowed or target.startswith(allowed + "/")
               for allowed in LAYERS[layer])


def check_quoted(root, path, target):
    if GENERATED.search(target):
        return None
    if not os.path.exists(os.path.join(root, target)):
        return (f'{path}: "{target}" is not a path from the top of the tree; '
                "write it like \"common/segment.h\"")
    if not may_include(path, target):
        return f"{path}: layer {layer_of(path)} may not include {target}"
    return None


def check_system(path, target):
    owners = RESERVED_HEADERS.get(target)
    if owners and not path.startswith(tuple(owners)):
        return f"{path}: <{target}> belongs to {', '.join(owners)}"
    return None


def include_cycle(edges):
    """A list of headers that include each other in a circle, or None."""
    done, chain = set(), []

    def visit(node):
        if node in chain:
            return chain[chain.index(node):] + [node]
        if node in done:
            return None
        chain.append(node)
        for target in edges.get(node, []):
            cycle = visit(target)
            if cycle:
                return cycle
        chain.pop()
        done.add(node)
        return None

    for node in sorted(edges):
        cycle = visit(node)
        if cycle:
            return cycle
    return None


def main():
    root = sys.argv[1]
    problems, edges = [], {}
    for path in tree.source_files(root, (".c", ".h"), tree.PRODUCTS):
        for quoted, system in INCLUDE.findall(tree.read(root, path)):
            if quoted and path.endswith(".h"):
                edges.setdefault(path, []).append(quoted)
            problem = check_quoted(root, path, quoted) if quoted \
                else check_system(path, system)
            if problem:
                problems.append(problem)
    cycle = include_cycle(edges)
    if cycle:
        problems.append("headers include each other: " + " -> ".join(cycle))
    tree.finish(problems)


main()
