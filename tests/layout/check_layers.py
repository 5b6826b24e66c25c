#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that #include goes only where the layout allows. usage: check_layers.py ROOT

Folders say when code runs and who may call whom; this is the table. The longest prefix
of a file's path names its layer; a layer may include itself and what is listed: other
layers, not what lies in folders of theirs that are layers again, and single headers.
"""
import os
import re
import sys

import tree

BASE = ["common", "common/base", "common/names"]
SHIM = ["common", "shim/core", "shim/code", "shim/lane", "shim/memory", "shim/stacks",
        "shim/children", "shim/patch", "shim/waits", "shim/io", "shim/budget",
        "shim/study", "shim/samples", "shim/events", "shim/image"]
COLLECTOR = [*BASE, "collector/read", "collector/processes", "collector/symbols",
             "collector/merge", "collector/account", "collector/ingest",
             "collector/store", "collector/live", "collector/selection"]
CONTENT = [*BASE, "analyzer/names", "analyzer/model", "analyzer/tree", "analyzer/statistics", "analyzer/findings",
           "analyzer/document", "analyzer/rundb"]
LAYERS = {
    "common": [],
    "common/base": ["common"],
    "common/names": ["common", "common/base"],
    "shim/profshim.h": [],
    "shim/core": ["common"],
    "shim/code": ["common", "shim/core"],
    "shim/lane": ["common", "shim/core"],
    "shim/patch": ["common", "shim/core", "shim/code", "shim/lane"],
    "shim/memory": ["common", "shim/core", "shim/lane"],
    "shim/stacks": ["common", "shim/core", "shim/code", "shim/lane", "shim/memory",
                    "shim/patch"],
    "shim/waits": ["common", "shim/core", "shim/lane", "shim/memory"],
    "shim/io": ["common", "shim/core", "shim/lane"],
    "shim/budget": ["common", "shim/core", "shim/lane", "shim/patch"],
    "shim/children": ["common", "shim/core", "shim/lane", "shim/patch"],
    "shim/study": ["common", "shim/core", "shim/lane", "shim/patch"],
    "shim/samples": ["common", "shim/core", "shim/code", "shim/lane", "shim/patch", "shim/stacks",
                     "shim/waits"],
    "shim/events": ["common", "shim/core", "shim/code", "shim/lane", "shim/memory", "shim/stacks",
                    "shim/children", "shim/patch", "shim/waits", "shim/io",
                    "shim/budget", "shim/study", "shim/samples"],
    "shim/image": ["common", "shim/core", "shim/code", "shim/lane", "shim/patch",
                   "shim/stacks"],
    "shim/wrap": [*SHIM, "shim/profshim.h"],
    "shim/wrap/waits": [*SHIM, "shim/wrap"],
    "shim/wrap/io": [*SHIM, "shim/wrap"],
    "shim/boot": [*SHIM, "shim/wrap", "shim/wrap/io", "shim/wrap/waits"],
    "collector/read": BASE,
    "collector/processes": [*BASE, "collector/read"],
    "collector/symbols": BASE,
    "collector/merge": [*BASE, "collector/read", "collector/processes", "collector/symbols"],
    "collector/account": [*BASE, "collector/read", "collector/processes",
                          "collector/symbols", "collector/merge"],
    "collector/ingest": [*BASE, "collector/read", "collector/processes",
                         "collector/symbols", "collector/merge", "collector/account"],
    "collector/store": [*BASE, "collector/read", "collector/processes", "collector/symbols",
                        "collector/merge", "collector/account", "collector/ingest"],
    "collector/live": [*BASE, "collector/read", "collector/processes"],
    "collector/selection": [*BASE, "collector/read",
                            "collector/processes", "collector/symbols",
                            "collector/live"],
    "collector/watch": COLLECTOR,
    "collector": [*COLLECTOR, "collector/watch"],
    "record": [*BASE, "collector/analyze.h", "collector/store", "collector/symbols"],
    "analyzer/names": BASE,
    "analyzer/model": [*BASE, "analyzer/names"],
    "analyzer/tree": [*BASE, "analyzer/model"],
    "analyzer/statistics": [*BASE, "analyzer/model"],
    "analyzer/findings": [*BASE, "analyzer/model", "analyzer/tree"],
    "analyzer/document": [*BASE, "analyzer/model", "analyzer/tree", "analyzer/findings"],
    "analyzer/rundb": [*BASE, "analyzer/model", "analyzer/statistics", "collector/store"],
    "analyzer/archive": [*BASE, "analyzer/model", "analyzer/rundb", "collector/store"],
    "analyzer/rules": CONTENT,
    "analyzer/reports": [*CONTENT, "analyzer/archive", "analyzer/rules"],
    "analyzer/reports/doctor": [*CONTENT, "analyzer/reports", "collector/store",
                                "collector/symbols/build.h",
                                "collector/symbols/target.h"],
    "analyzer/reports/exclude": [*CONTENT, "analyzer/reports", "analyzer/reports/doctor/parts.h",
                                 "collector/symbols/build.h",
                                 "collector/symbols/target.h"],
    "analyzer/reports/attach": [*CONTENT, "analyzer/reports", "collector/live/attach.h"],
    # A finding names its rule; a rule is more than a name.
    "analyzer/render": [*BASE, "analyzer/names", "analyzer/model", "analyzer/tree", "analyzer/findings", "analyzer/document",
                        "analyzer/rules/rule.h"],
    "analyzer/export": [*BASE, "analyzer/model", "analyzer/tree", "analyzer/document"],
    "analyzer/live": [*CONTENT, "analyzer/reports", "analyzer/render", "collector/live",
                      "collector/processes", "collector/read/facts.h",
                      "collector/read/rundir.h", "collector/store"],
    "analyzer/mcp": [*CONTENT, "analyzer/reports", "analyzer/render"],
    "analyzer/push": [*CONTENT, "analyzer/reports"],
    "analyzer/cli": [*CONTENT, "analyzer/archive", "analyzer/push", "analyzer/mcp", "analyzer/rules", "analyzer/reports", "analyzer/render",
                     "analyzer/export"],
}

# A system header that only the named files may include.
RESERVED_HEADERS = {
    "sqlite3.h": ["collector/store/", "record/", "analyzer/archive/", "analyzer/rundb/"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
GENERATED = re.compile(r"^[\w.]*(sql|css|js|json)\.h$")


def layer_of(path):
    return max((layer for layer in LAYERS if path.startswith(layer)),
               key=len, default=None)


def is_allowed(allowed, path):
    return path == allowed or layer_of(path) == allowed


def may_include(path, target):
    layer = layer_of(path)
    return layer_of(target) == layer or any(
        is_allowed(allowed, target) for allowed in LAYERS[layer])


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


def circles_of_layers():
    """Layers that may include each other: then neither is below the other."""
    edges = {layer: {layer_of(allowed) for allowed in LAYERS[layer]} - {layer}
             for layer in LAYERS}
    return tree.circles_of(edges)


def main():
    root = sys.argv[1]
    problems = [f"these layers may include each other: {', '.join(sorted(circle))}"
                for circle in circles_of_layers()]
    for path in tree.source_files(root, (".c", ".h"), tree.PRODUCTS):
        for quoted, system in INCLUDE.findall(tree.read(root, path)):
            problem = check_quoted(root, path, quoted) if quoted \
                else check_system(path, system)
            if problem:
                problems.append(problem)
    tree.finish(problems)


main()
