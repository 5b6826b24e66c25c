#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that what documents name is there. usage: check_documents.py ROOT

Paths in `backticks` and links exist, every page of docs/ is named in README.md, which is
short enough to be read and has after the line that clones what to run, as .ci/run does, and
CONTRIBUTING.md's table has the folders and suites of tests/.
"""
import os
import re
import sys

import tree

ENDINGS = r"\.(?:c|cpp|h|sql|py|md|json|lua|patch|build)"
NAMED = re.compile(r"`([\w./-]+" + ENDINGS + r")`|\]\(([^)#:]+)\)")
# Places in a reader's own tree, and what the tool writes.
OTHERS = re.compile(r"/NAME\.|^run-report\.md$")
README_LINES = 120
# What a newcomer can run, in README.md's order, right after the clone.
FIRST_COMMANDS = ("scripts/demo", "scripts/test")


def is_there(name, folder, paths):
    """From the root or from the document. A bare name of code may be anybody's."""
    return name in paths or os.path.normpath(os.path.join(folder, name)) in paths or \
        ("/" not in name and not name.endswith(".md"))


def names_of(text):
    for match in NAMED.finditer(text):
        yield match.group(1) or match.group(2)


def suites(root):
    """(folder, suite) of each test in tests/."""
    for path in tree.source_files(root, ("meson.build",), ("tests",)):
        for suite in re.findall(r"suite: '([\w-]+)'", tree.read(root, path)):
            yield path.split(os.sep)[1], suite


def problems_of_table(root):
    table = re.findall(r"^\| `([\w/-]+)`", tree.read(root, "CONTRIBUTING.md"), re.MULTILINE)
    rows = {name.split("/")[-1] for name in table}
    for name in sorted({name for pair in suites(root) for name in pair} - rows):
        yield f"CONTRIBUTING.md: the table of tests has no {name}"
    for name in table:
        if not os.path.isdir(os.path.join(root, "tests", name)):
            yield f"CONTRIBUTING.md: there is no tests/{name}"


def problems_of_first_commands(root, readme):
    lines = re.findall(r"^    (.*)", readme, re.MULTILINE)
    clone = next((at for at, line in enumerate(lines) if line.startswith("git clone ")), None)
    if clone is None:
        yield "README.md: no line clones the repository"
        return
    after = tuple(line.partition(" ")[0] for line in lines[clone + 1:clone + 1 + len(FIRST_COMMANDS)])
    if after != FIRST_COMMANDS:
        yield f"README.md: {', '.join(FIRST_COMMANDS)} do not follow the line that clones"
    for command in FIRST_COMMANDS:
        if not os.access(os.path.join(root, command), os.X_OK):
            yield f"README.md: {command} cannot be run"
    if f"/{FIRST_COMMANDS[-1]}\"" not in tree.read(root, ".ci/run"):
        yield f".ci/run: does not run {FIRST_COMMANDS[-1]}"


def main():
    root = sys.argv[1]
    paths = set(tree.source_files(root, ""))
    problems = list(problems_of_table(root))
    documents = [path for path in paths if path.endswith(".md")]
    for path in sorted(documents):
        folder = os.path.dirname(path)
        problems += [f"{path}: there is no {name}" for name in names_of(tree.read(root, path))
                     if not OTHERS.search(name) and not is_there(name, folder, paths)]
    readme = tree.read(root, "README.md")
    problems += problems_of_first_commands(root, readme)
    problems += [f"README.md: does not name {path}" for path in sorted(documents)
                 if path.startswith("docs/") and path not in readme]
    if readme.count("\n") > README_LINES:
        problems.append(f"README.md: more than {README_LINES} lines; docs/ has room")
    tree.finish(problems)


main()
