#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Put the scripts, or the styles, of a page together in a C header: one string, and its
SHA-256 as a Content-Security-Policy names it.

usage: embed_page.py NAME OUTPUT.h INPUT...

The comment block at the start of a file is left out, as by embed_text.py. Scripts become
one function, in the order given: each may use what those before it declare.
"""
import base64
import hashlib
import re
import sys


def main():
    name, target, *sources = sys.argv[1:]
    parts = []
    for source in sources:
        with open(source, encoding="utf-8") as file:
            parts.append(re.sub(r"\A(/\*.*?\*/\s*)+", "", file.read(), flags=re.DOTALL))
    text = "\n" + "".join(parts)
    if sources[0].endswith(".js"):
        text = '\n(function () {\n"use strict";%s})();\n' % text
    assert "</" not in text and "<!--" not in text, "this would end the element"
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    lines = ['\t"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"')
             for line in text.split("\n")[:-1]]
    with open(target, "w", encoding="utf-8") as out:
        out.write("/* made by scripts/embed_page.py */\n")
        out.write("static const char %s[] =\n%s;\n" % (name, "\n".join(lines)))
        out.write('static const char %s_hash[] = "%s";\n' % (name, digest))


main()
