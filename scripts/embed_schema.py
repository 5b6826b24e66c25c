#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a schema into what SQLite keeps of it, as rows of a C array.

usage: embed_schema.py SCHEMA.sql OUTPUT.h

Each table, index and view is `{"type", "name", "table", "sql"},`, in the order of their
names. What stands in a file can so be compared with ours without making ours first.
"""
import json
import sqlite3
import sys

OBJECTS = "SELECT type, name, tbl_name, IFNULL(sql, '') FROM sqlite_master ORDER BY name"


def c_string(text):
    # C knows all that JSON escapes in ASCII
    return json.dumps(text).replace("\\n", '\\n"\n\t "')


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        # as scripts/embed_sql.py gives it to the programs: most files have the same bytes
        lines = [line for line in file.read().splitlines()
                 if line.strip() and not line.lstrip().startswith("--")]
    database = sqlite3.connect(":memory:")
    database.executescript("\n".join(lines) + "\n")
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* made by scripts/embed_schema.py from %s */\n" % source.split("/")[-1])
        for row in database.execute(OBJECTS):
            out.write("\t{%s},\n" % ", ".join(map(c_string, row)))


main()
