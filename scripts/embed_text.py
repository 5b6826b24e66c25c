#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a text file into a C header with one string constant.

usage: embed_text.py NAME INPUT OUTPUT.h
"""
import sys


def main():
    name, source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = ['\t"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"')
                 for line in file.read().splitlines()]
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* made by scripts/embed_text.py from %s */\n" % source.split("/")[-1])
        out.write("static const char %s[] =\n%s;\n" % (name, "\n".join(lines)))


main()
