#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that documents and programs name the same. usage: check_reference.py ROOT
PROF-ANALYZE PROF-RECORD

Views and columns of common/schema.sql are those of docs/reference.md, and so are the
counters of common/trust.c; the variables that the code reads are those of docs/recording.md,
of whose table profshim(7) is made; and a command that is quoted anywhere is one that the program takes.
"""
import re
import shlex
import sqlite3
import sys

import programs
import tree

REFERENCE = "docs/reference.md"
SETTINGS = "docs/recording.md"
COMMANDS = "docs/reading.md"
# In the code a variable is a string of its own, or with the "=" of an environment's entry.
COUNTER = re.compile(r'^\t\{"(\w+)"', re.MULTILINE)
PLAIN = re.compile(r'^static const char plain\[\] =\n([^;]*);', re.MULTILINE)
READ = re.compile(r'"(PROFSHIM_[A-Z_]+)=?"')
NAMED = re.compile(r"\bPROFSHIM_[A-Z_]*[A-Z]\b(?!_)")
# Of profshim.h, no variables.
MACROS = {"PROFSHIM_INLINE"}
CODE = re.compile(r"`([^`]+)`|^    (?:\$ )?(.*)$", re.MULTILINE)


def views_of_schema(root):
    database = sqlite3.connect(":memory:")
    database.executescript(tree.read(root, "common/schema.sql"))
    names = database.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall()
    return {name: {row[1] for row in database.execute(f"PRAGMA table_info({name})")}
            for name in [name for name, in names] + ["trust"]}


def views_of_reference(text):
    """{view: columns} and the quantities among them; a section may be of two views that have
    nearly the same columns."""
    views, quantities = {}, set()
    for part in text.split("\n## Quantities")[0].split("\n### ")[1:]:
        heading, _, body = part.partition("\n")
        cells = re.findall(r"^\| (`[^|]*) \|", body, re.MULTILINE)
        prose = body.partition("Quantities")[2].partition("\n\n")[0]
        quantities |= set(re.findall(r"`(\w+)`", prose))
        columns = set(re.findall(r"`(\w+)`", prose + " ".join(cells)))
        for view in re.findall(r"`(\w+)`", heading):
            views[view] = columns
    return views, quantities


def problems_of_views(root):
    text = tree.read(root, REFERENCE)
    schema = views_of_schema(root)
    reference, quantities = views_of_reference(text)
    yield from programs.differences("views", "the schema", schema, REFERENCE, reference)
    explained = set(re.findall(r"`(\w+)`", text.partition("\n## Quantities")[2].partition("\n## ")[0]))
    counters = set(re.findall(r"`(\w+)`", text.partition("| names | meaning |")[2]
                              .partition("\n\n")[0]))
    table = tree.read(root, "common/trust.c")
    told = {name for name in COUNTER.findall(table) if not name.startswith("note_")}
    told |= set(re.findall(r"\w+", PLAIN.search(table).group(1)))
    yield from programs.differences("trust", "common/trust.c", told, REFERENCE,
                                    counters - {"exact"})
    for view in set(schema) & set(reference):
        together = [other for other in reference if reference[other] == reference[view]]
        columns = set().union(*(schema.get(other, set()) for other in together))
        written = reference[view] - (counters if view == "trust" else set())
        yield from programs.differences(view, "the schema", columns, REFERENCE, written)
    yield from programs.differences("quantities", "the views", quantities, "their table",
                                    explained - {"profshim_counter"})


def problems_of_variables(root):
    read = set()
    for path in tree.source_files(root, (".c", ".h"), tree.PRODUCTS):
        read |= set(READ.findall(tree.read(root, path)))
    listed = re.findall(r"^\| `(PROFSHIM_\w+)`", tree.read(root, SETTINGS), re.MULTILINE)
    # Those that the shim sets itself are told below the table.
    settings = set(listed) | set(NAMED.findall(tree.read(root, SETTINGS).partition(listed[-1])[2]))
    yield from programs.differences("variables", "the code", read, SETTINGS, settings)
    for path in tree.source_files(root, (".md", ".1", ".7")):
        for name in sorted(set(NAMED.findall(tree.read(root, path))) - read - MACROS):
            yield f"{path}: there is no variable {name}"


def quoted_commands(text):
    """The words of each command with one of the programs, pipelines and lists apart."""
    text = text.replace("\\\n", " ")
    for match in CODE.finditer(text):
        for part in re.split(r"&&|\||;|\$\(", match.group(1) or match.group(2) or ""):
            command = re.search(r"\b(prof-analyze|prof-record)( .*)?$", part.partition("#")[0])
            if not command or re.search(rf"{command.group(1)}[:.]", part):
                continue
            try:
                yield shlex.split(command.group(0))
            except ValueError:
                continue  # a part of a quoted text


def wrong_words(words, known):
    """Options that the program does not take, and a first word that is no command."""
    options = known["prof-record"] if words[0] == "prof-record" else known["report"]
    if words[0] == "prof-analyze" and len(words) > 1 and words[1] in known:
        options = known[words[1]]
    elif words[0] == "prof-analyze" and len(words) > 1 and re.fullmatch("[a-z-]+", words[1]) \
            and not words[1].startswith("-"):
        yield words[1]
    for word in words[1:]:
        if word == "--":
            return
        if re.match("--?[a-zA-Z]", word) and word.partition("=")[0] not in options:
            yield word


def problems_of_commands(root, analyze, record):
    known = {command: programs.options(analyze, command) for command in programs.commands(analyze)}
    known["prof-record"] = programs.options(record)
    for path in tree.source_files(root, (".md",)):
        for words in quoted_commands(tree.read(root, path)):
            yield from (f"{path}: '{' '.join(words)}': there is no {word}"
                        for word in wrong_words(words, known))
    listed = re.findall(r"^\| `prof-analyze ([a-z-]+) ?", tree.read(root, COMMANDS), re.MULTILINE)
    yield from programs.differences("commands", "--help", set(known) - {"prof-record"},
                                    COMMANDS, set(listed) - {"run"} | {"report"})


def main():
    root, analyze, record = sys.argv[1:]
    tree.finish([*problems_of_views(root), *problems_of_variables(root),
                 *problems_of_commands(root, analyze, record)])


main()
