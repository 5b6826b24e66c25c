# SPDX-License-Identifier: MIT
"""The whole call tree of a record against the one that a source draws in its comments.

    // expect-tree:
    //     main 1
    //       catcher 100 +200
    //         thrower*11 100

Two more spaces are one call deeper; NAME*N is a chain of N such calls, and what is drawn
below hangs under the last of them. The numbers are the calls of the path and, after a
plus, its allocations (0 when not said): a number, $name for what the program printed, or
? for any. Siblings may come in any order. Every function of the record must be drawn, and
the record must have everything drawn; "..." after the numbers leaves open what is below.
Functions whose name matches "// tree-without: REGEX" are taken out, and their callees and
allocations given to their callers; so are calls of libc.
"""
import re

import harness

LINE = re.compile(r"^( *)(.+?)(?:\*(\d+))? (\$?\w+|\?)(?: \+(\$?\w+|\?))?( \.\.\.)?$")


class Node:
    """What is drawn or recorded for one path."""

    def __init__(self, calls, allocations="0", is_open=False):
        self.calls, self.allocations, self.is_open = calls, allocations, is_open


def drawn(lines):
    """{path, a tuple of names: Node} of the lines of a drawing."""
    nodes, stack = {}, []
    for line in lines:
        match = LINE.match(line)
        harness.expect(match, f"cannot read this line of a tree: {line}")
        indent, name, chain, calls, allocations, is_open = match.groups()
        depth = len(indent) // 2
        harness.expect(depth <= len(stack), f"too deep in the tree: {line}")
        prefix = stack[depth - 1] if depth else ()
        for _ in range(int(chain or 1)):
            prefix += (name,)
            nodes[prefix] = Node(calls, allocations or "0", bool(is_open))
        stack[depth:] = [prefix]
    return nodes


def recorded(database, without):
    """{path: Node} of the instrumented functions of a record, with numbers."""
    rows = harness.query(database, "SELECT path_id, parent_path_id, name, kind, calls, "
                         "alloc_count FROM call_paths ORDER BY depth")
    paths, nodes = {None: ()}, {}
    for path_id, parent, name, kind, calls, allocations in rows:
        path = paths[parent]
        if kind in ("function", "region") and not (without and re.search(without, name)):
            path += (name,)
            nodes.setdefault(path, Node(0, 0)).calls += calls
        paths[path_id] = path
        if allocations:
            nodes.setdefault(path, Node(0, 0)).allocations += allocations
    nodes.pop((), None)
    return nodes


def number(text, printed):
    return int(printed[text[1:]] if text.startswith("$") else text)


def differences(database, lines, without, printed):
    """Sentences, one for each path that is not as drawn."""
    expected, found = drawn(lines), recorded(database, without)
    opened = [path for path, node in expected.items() if node.is_open]
    for path, node in expected.items():
        if path not in found:
            yield f"not in the tree: {' / '.join(path)}"
            continue
        for what in ("calls", "allocations"):
            wanted, got = getattr(node, what), getattr(found[path], what)
            if wanted != "?" and number(wanted, printed) != got:
                yield f"{' / '.join(path)}: {got} {what}, not {number(wanted, printed)}"
    for path, node in found.items():
        if path not in expected and not any(path[:len(top)] == top for top in opened):
            yield f"not expected in the tree: {' / '.join(path)} ({node.calls} calls)"
