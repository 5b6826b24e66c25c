#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a schema into what SQLite keeps of it, as rows of a C array.

usage: embed_schema.py SCHEMA.sql OBJECTS.h REMOVE.h

Each table, index and view is `{"type", "name", "table", "sql"},`, in the order of their
names. What stands in a file can so be compared with ours without making ours first.

REMOVE.h has remove_sql, which removes the rows of a run from the tables: each statement is
to be repeated until it finds fewer than :limit rows. Where a row's run is told by its process
or its series these go last. The run itself, and the shares of paths, are the caller's.
"""
import json
import sqlite3
import sys

OBJECTS = "SELECT type, name, tbl_name, IFNULL(sql, '') FROM sqlite_master ORDER BY name"


def c_string(text):
    # C knows all that JSON escapes in ASCII
    return json.dumps(text).replace("\\n", '\\n"\n\t "')


def removals(database):
    tables = [name for name, in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid DESC")
        if name not in ("run", "path_lane", "storing")]
    columns = {name: list(database.execute(f"SELECT name, pk FROM pragma_table_info('{name}')"))
               for name in tables}
    for name in sorted(tables, key=lambda name: "run_id" in dict(columns[name])):
        has = dict(columns[name])
        key = ", ".join(column for column, pk in columns[name] if pk) or "rowid"
        owner = "series" if "series_id" in has else "process"
        of_run = "run_id = :run" if "run_id" in has else (
            f"{owner}_id IN (SELECT {owner}_id FROM {owner} WHERE run_id = :run)")
        yield (f"DELETE FROM {name} WHERE ({key}) IN (SELECT {key} FROM {name} "
               f"WHERE {of_run} LIMIT :limit);")


def main():
    source, target, removing = sys.argv[1:]
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
    with open(removing, "w", encoding="utf-8") as out:
        out.write("static const char remove_sql[] =\n\t%s;\n"
                  % c_string("\n".join(removals(database))))


main()
