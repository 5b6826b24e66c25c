#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write what the view io calls each call of libc into common/schema.sql.

usage: libc_calls.py [--check] [ROOT]

The calls and their operations are those of common/libc/calls.def. --check: only say
whether schema.sql has them; exit status 1 when it has not.
"""
import os
import re
import sys
import textwrap

BEGIN = "\t-- operations: scripts/libc_calls.py\n"
END = "\t-- end of operations\n"
CALL = re.compile(r"^\tCALL\((\w+), \w+, \w+, (\w+)\)", re.MULTILINE)
COLUMNS = 84


def names_of(calls, operation):
    names = ", ".join(f"'{name}'" for name, does in calls if does == operation)
    lines = textwrap.wrap(names, COLUMNS, break_long_words=False)
    return "(" + "\n\t\t".join(lines) + ")"


def operations(calls):
    known = []
    for _, operation in calls:
        if operation not in known + ["other"]:
            known.append(operation)
    # a copy is read from its source
    rows = ["WHEN t.is_source THEN 'read'"]
    rows += [f"WHEN f.name IN {names_of(calls, one)}\n\tTHEN '{one}'" for one in known]
    return ("\tCASE " + "\n\t".join(rows) + "\n\tELSE 'other' END AS operation,\n")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    root = arguments[0] if arguments else "."
    with open(os.path.join(root, "common", "libc", "calls.def"), encoding="utf-8") as file:
        calls = CALL.findall(file.read())
    schema = os.path.join(root, "common", "schema.sql")
    with open(schema, encoding="utf-8") as file:
        text = file.read()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if not calls:
        sys.exit("no call is found in calls.def")
    if "--check" not in sys.argv:
        with open(schema, "w", encoding="utf-8") as file:
            file.write(text[:begin] + operations(calls) + text[end:])
    elif text[begin:end] != operations(calls):
        sys.exit("common/schema.sql: the operations of the view io are not those of "
                 "common/libc/calls.def; scripts/libc_calls.py writes them")
    print(f"{len(calls)} calls")


main()
