#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn an .sql file into a C header of string constants.

usage: embed_sql.py NAME INPUT.sql OUTPUT.h

Without sections the whole file becomes `static const char NAME_sql[]`. A line
`-- :name WORD` starts a section, which becomes `NAME_sql_WORD`; what stands before the
first section is left out. Comments stay out of the header, SQL stays as written.
"""
import re
import sys


def c_string(lines):
    text = ['\t"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"')
            for line in lines
            if line.strip() and not line.lstrip().startswith("--")]
    return "\n".join(text) or '\t""'


def main():
    name, source, target = sys.argv[1:]
    sections, current = {None: []}, None
    with open(source, encoding="utf-8") as file:
        for line in file.read().splitlines():
            match = re.match(r"--\s*:name\s+(\w+)", line)
            if match:
                current = match.group(1)
                if current in sections:
                    sys.exit(f"{source}: section {current} stands twice")
                sections[current] = []
            else:
                sections[current].append(line)
    named = {key: value for key, value in sections.items() if key}
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* made by scripts/embed_sql.py from %s */\n" % source.split("/")[-1])
        for key, lines in (named or {"": sections[None]}).items():
            out.write("static const char %s_sql%s[] __attribute__((unused)) =\n%s;\n"
                      % (name, "_" + key if key else "", c_string(lines)))


main()
