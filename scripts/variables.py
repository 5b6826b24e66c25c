#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the variables of docs/recording.md into profshim(7).

usage: variables.py RECORDING.md TEMPLATE OUTPUT

They stand where @ENVIRONMENT@ stands alone: each row of the table that begins with one is an
item of a list of mdoc.
"""
import re
import sys

import commands

ROW = re.compile(r"^\| `(PROFSHIM_\w+)` \| *(?:`([^`]*)`)? *\| (.*) \|$", re.MULTILINE)


def plain(markdown):
    """Links without where they lead to, and code in quotes, as other text of mdoc has it."""
    return re.sub(r"`([^`]*)`", r"'\1'", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown))


def items(text):
    yield ".Bl -tag -width Ds"
    for name, default, meaning in ROW.findall(text):
        yield f".It Ev {name}"
        yield from commands.mdoc(plain(meaning[:1].upper() + meaning[1:] + "."))
        if default:
            yield from commands.mdoc(f"The default is '{default}'.")
    yield ".El"


def main():
    with open(sys.argv[1], encoding="utf-8") as table, \
            open(sys.argv[2], encoding="utf-8") as template:
        lines = "\n".join(items(table.read()))
        text = template.read().replace("@ENVIRONMENT@", lines)
    with open(sys.argv[3], "w", encoding="utf-8") as output:
        output.write(text)


main()
