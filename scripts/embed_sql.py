#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn an .sql file into a C header of string constants.

usage: embed_sql.py NAME INPUT.sql OUTPUT.h

Without sections the whole file becomes `static const char NAME_sql[]`. A line
`-- :name WORD` starts a section, which becomes `NAME_sql_WORD`; one that `-- :with WORD` starts
stands in front of those below it that read from WORD. What is before the first section is left
out. Comments stay out of the header, SQL stays as written.
"""
import re
import sys

from embed_report import with_named


def c_string(lines):
    text = ['\t"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"')
            for line in lines
            if line.strip() and not line.lstrip().startswith("--")]
    return "\n".join(text) or '\t""'


def query(lines):
    text = "\n".join(line for line in lines if not line.lstrip().startswith("--"))
    return text.strip().rstrip(";")


def main():
    name, source, target = sys.argv[1:]
    sections, current, shared = {None: []}, None, {}
    with open(source, encoding="utf-8") as file:
        for line in file.read().splitlines():
            match = re.match(r"--\s*:(name|with)\s+(\w+)", line)
            if match:
                current = match[2]
                if current in sections:
                    sys.exit(f"{source}: section {current} stands twice")
                sections[current] = []
                if match[1] == "with":
                    shared[current] = sections[current]
            else:
                sections[current].append(line)
    own = {key: query(lines) for key, lines in shared.items()}
    named = {key: with_named(query(lines), own).splitlines() if own else lines
             for key, lines in sections.items() if key and key not in shared}
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* made by scripts/embed_sql.py from %s */\n" % source.split("/")[-1])
        for key, lines in (named or {"": sections[None]}).items():
            out.write("static const char %s_sql%s[] __attribute__((unused)) =\n%s;\n"
                      % (name, "_" + key if key else "", c_string(lines)))


main()
