#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a report that is an .sql file into the C that its engine reads.

usage: embed_report.py INPUT.sql OUTPUT.c

The format is described in analyzer/reports/sql/README.md. What is no such file ends with a
sentence about the line that is wrong.
"""
import os
import re
import sys

KINDS = {"keep": "KEEP", "note": "NOTE", "nothing": "NOTHING", "end": "END",
         "values": "VALUES", "table": "TABLE", "plots": "PLOTS",
         "lanes": "LANES", "code": "CODE", "pairs": "PAIRS", "with": "WITH"}
FLAGS = {"brief", "half", "whole", "only_brief", "optional", "quiet", "sort", "empty", "stop",
         "page_main"}
SECTIONS = {"main", "machine", "human", "page", "parts", "verbatim", "stack", "checks", "tight"}
NUMBERS = {"rows": "rows", "details": "detail_rows", "points": "points"}
HEAD = {"report", "part", "export", "build", "takes", "example", "about", "argument", "by"}


def c_string(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def wrong(path, number, why):
    sys.exit(f"{path}:{number}: {why}")


def part_path(path, name):
    """Where the file is whose sections the one at path takes in."""
    folder = os.path.dirname(path)
    return os.path.join(folder, "" if os.path.basename(folder) == "parts" else "parts",
                        name + ".sql")


def read(path):
    """The head, and the sections as (path, line, kind, words, title, query)."""
    head, parts, current = {}, [], None
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        match = re.match(r"-- :(\w+)\s*(.*)$", line)
        comment = re.match(r"--( (.*))?$", line)
        if match and match[1] == "include":
            parts += read(part_path(path, match[2]))[1]
        elif match and match[1] == "show" and parts:
            parts[-1][3].append("show=" + match[2].replace(" ", ","))
        elif match and match[1] in HEAD:
            head[match[1]] = match[2]
            current = match[1]
        elif match and match[1] in KINDS:
            words, _, title = match[2].partition("= ")
            parts.append((path, number, KINDS[match[1]], words.split(), title or None, []))
            current = None
        elif match:
            wrong(path, number, f"there is no section '{match[1]}'")
        elif comment and current == "about":
            head["about"] = (head["about"] + (" " + comment[2] if comment[2] else "\n\n")
                             ).strip(" ").replace("\n\n ", "\n\n")
        elif not comment and line.strip():
            if not parts:
                wrong(path, number, "a query stands before the first section")
            parts[-1][-1].append(line)
            current = None
        elif not line.strip():
            current = None
    return head, parts


def with_named(query, named):
    """A query with those of the sections `:with` whose names it has in front."""
    for name, own in reversed(named.items()):
        if re.search(rf"\b{name}\b", query):
            begin, rest = re.match(r"(WITH (?:RECURSIVE )?)?(.*)", query, re.S).groups()
            query = f"{begin or 'WITH '}{name} AS ({own})" + (", " if begin else "\n") + rest
    return query


def part_as_c(path, number, kind, words, title, query):
    fields, flags, sections = [f".kind = PART_{kind}"], [], []
    own_name = words.pop(0) if words and kind != "END" else None
    if own_name:
        fields.append(f".name = {c_string(own_name)}")
    for word in words:
        name, _, value = word.partition("=")
        if name in NUMBERS and value.isdigit():
            fields.append(f".{NUMBERS[name]} = {value}")
        elif name == "noun":
            fields.append(f".noun = {c_string(value.replace('_', ' '))}")
        elif name == "show":
            fields.append(f".show = {c_string(value.replace(',', ' '))}")
        elif name == "for_by":
            fields.append(f".for_by = {c_string(value.replace(',', ' '))}")
        elif name == "mean":
            mean, of, count = value.split(",")
            fields.append(f".mean = {{{c_string(mean)}, {c_string(of)}, {c_string(count)}}}")
        elif name == "by":
            column, _, tie = value.partition(",")
            fields.append(f".by = {c_string(column)}, .tie = {c_string(tie)}")
        elif name in ("order", "each", "fills", "rest"):
            fields.append(f".{name} = {c_string(value)}")
        elif name == "weight":
            column, _, what = value.partition(",")
            fields.append(f".weight = {c_string(column)}")
            fields.append(f".weight_words = {c_string(what.replace('_', ' '))}")
        elif word in ("warning", "good"):
            fields.append(f".level = NOTE_{word.upper()}")
        elif word in FLAGS:
            flags.append(f"PART_{word.upper()}")
        elif word in SECTIONS:
            sections.append(f"SECTION_{word.upper()}")
        else:
            wrong(path, number, f"there is no word '{word}'")
    if kind == "CODE":
        fields.append(f".code = section_{own_name}")
    if title:
        fields.append(f".title = {c_string(title)}")
    if flags:
        fields.append(".flags = " + " | ".join(flags))
    if sections:
        fields.append(".section_flags = " + " | ".join(sections))
    if query:
        fields.append(".sql =\n" + "\n".join("\t\t" + c_string(line + "\n") for line in query))
    elif kind not in ("NOTHING", "CODE"):
        wrong(path, number, "the section has no query")
    return "\t{" + ",\n\t ".join(fields) + "},\n"


def main():
    path, target = sys.argv[1:]
    head, parts = read(path)
    is_command = "part" not in head and "export" not in head
    missing = (HEAD - {"part", "export", "argument", "by", "build"} if is_command else
               {"about", "takes"} if "export" in head else set()) - head.keys()
    if missing or not parts:
        wrong(path, 1, "it has no " + (", no ".join(sorted(missing)) or "section"))
    argument, _, other_argument = head.get("argument", "").partition(" ")
    name, _, summary = (head.get("report") or head.get("part") or head["export"]).partition(": ")
    takes = " | ".join("TAKES_" + word.upper() for word in head.get("takes", "").split())
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"/* made by scripts/embed_report.py from {path.split('/')[-1]} */\n"
                  '#include "analyzer/reports/engine/sections.h"\n\n'
                  "static const struct report_part parts[] = {\n")
        named = {}
        for part in parts:
            query = with_named("\n".join(part[-1]), named)
            if part[2] == "WITH":
                named[part[3][0]] = query.rstrip().rstrip(";")
            else:
                out.write(part_as_c(*part[:-1], query.splitlines()))
        out.write(f"""}};

const struct report report_{name} = {{
	.name = {c_string(name)},
	.takes = {takes or 0},
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
}};
""" if "part" in head else f"""}};

const struct report report_{name} = {{
	.name = {c_string(name)},
	.description = {c_string(head["about"])},
	.takes = {takes},
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
}};
""" if "export" in head else ("};\n" if "build" in head else f"""}};

static enum exit_status build(struct report_input *input, struct doc *doc)
{{
	return engine_build(&report_{name}, input, doc);
}}
""") + f"""
const struct report report_{name} = {{
	.name = {c_string(name)},
	.summary = {c_string(summary)},
	.by = {c_string(head["by"]) if "by" in head else "NULL"},
	.argument = {c_string(argument) if argument else "NULL"},
	.other_argument = {c_string(other_argument) if other_argument else "NULL"},
	.description = {c_string(head["about"])},
	.example = {c_string(head["example"])},
	.takes = {takes},
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
	.build = {head.get("build", "build")},
}};
""")


if __name__ == "__main__":
    main()
