#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the rules, which are files of analyzer/rules, into C and into their documents.

usage: rules.py --c OUTPUT.c --depends OUTPUT.d ROOT
       rules.py [--check] ROOT

Without --c it writes what docs/rules.md and docs/rules-memory.md say of each rule between
the comments that name folders; with --check it says which of them is not as the files want
it. How such a file is written is in analyzer/rules/README.md. A file that is not so ends
with a sentence about the line that is wrong.
"""
import os
import re
import sys

# Of these folders, in the order of --list-rules.
FOLDERS = ("time", "steps", "resources", "waits", "locks", "io", "memory", "quality")
DOCUMENTS = ("rules.md", "rules-memory.md")
# What `:needs` may say, as in analyzer/rules/run.sql, and as --list-rules has it.
NEEDS = {"calls": "calls", "allocations": "allocations", "steps": "steps", "wall": "wall time",
         "cpu": "CPU time", "end": "an end of its own", "own": "data of its own",
         "time": "self time", "samples": "samples", "libc": "calls of libc"}
MANY = {"limit", "evidence", "asks", "advice"}
ONE = {"rule", "about", "needs", "specific", "explains", "severity", "verify", "borrows",
       "why", "says", "speaks", "gains", "unseen", "docs", "through_wrappers"}
SECTIONS = {"query", "sites", "unmeasured", "proof", "facts"}
SEVERITIES = ("info", "low", "medium", "high", "critical")
NUMBER = r"[\d.e+-]+"
BEGIN = re.compile(r"<!-- rules: (?!end)([\w ]+) -->\n")
END = "<!-- rules: end -->"


def wrong(path, number, why):
    sys.exit(f"{path}:{number}: {why}")


def c_string(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class Rule:
    """A file: its head as words, lists of words, and its queries."""

    def __init__(self, path):
        self.path, self.head, self.sql = path, {}, {}
        self.folder = os.path.basename(os.path.dirname(path))
        key = None
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            match = re.match(r"-- :(\w+)\s*(.*)$", line)
            comment = re.match(r"\s*--( (.*))?$", line)
            if match:
                key = self.begin(number, match[1], match[2])
            elif key in SECTIONS:
                if not comment:
                    self.sql[key].append(line)
            elif comment and key:
                self.go_on(key, comment[2] or "")
            elif not line.strip():
                key = None
            elif not comment:
                wrong(path, number, "this belongs to no section")
        self.understand()

    def begin(self, number, key, text):
        if key in SECTIONS:
            if key in self.sql:
                wrong(self.path, number, f"{key} stands twice")
            self.sql[key] = []
        elif key in MANY:
            self.head.setdefault(key, []).append(text)
        elif key in ONE and key not in self.head:
            self.head[key] = text
        else:
            wrong(self.path, number, f"{key} stands twice" if key in ONE
                  else f"there is no '{key}'")
        return key

    def go_on(self, key, text):
        between = "\n" if key == "docs" else " "
        if key in MANY:
            self.head[key][-1] += between + text
        else:
            self.head[key] = (self.head[key] + between + text).lstrip("\n")

    def matched(self, key, pattern, text):
        match = re.fullmatch(pattern, text, re.DOTALL)
        if not match:
            wrong(self.path, 1, f"no {key}: '{text}'")
        return match

    def understand(self):
        for key in ("rule", "about", "needs"):
            if key not in self.head:
                wrong(self.path, 1, f"it has no {key}")
        unknown = set(self.head["needs"].split()) - NEEDS.keys()
        if unknown:
            wrong(self.path, 1, f"there is no measurement {unknown.pop()}")
        match = self.matched("rule", r"([A-Z]\d+) ([\w-]+): (.+)", self.head["rule"])
        self.id, self.slug, self.title = match.groups()
        self.limits = [self.matched("limit", rf"(\w+) = ({NUMBER}) (\w+)"
                                    rf"(?:, at least ({NUMBER}))?(?:, at most ({NUMBER}))?"
                                    r"(?:, not above ([\w.]+))?: (.+)", text).groups()
                       for text in self.head.get("limit", ())]
        names = [limit[0] for limit in self.limits]
        for name in names:
            if names.count(name) > 1:
                wrong(self.path, 1, f"the limit {name} stands twice")
        self.values = [self.matched("evidence", r"(\w+) (\w+)"
                                    r"(?:, (at least|at most|crossed|beside) (\w+))?: (.+)",
                                    text).groups()
                       for text in self.head.get("evidence", ())]
        self.values += [(*self.matched("ask", r"(\w+)() (at least|at most) (\w+)",
                                       text).groups(), "")
                        for text in self.head.get("asks", ())]

    def order(self):
        return FOLDERS.index(self.folder), self.id[0], int(self.id[1:])

    def query(self, key):
        """NULL, or the SQL as it stands."""
        lines = [line for line in self.sql.get(key, ()) if line.strip()]
        return "\n".join("\t\t" + c_string(line + "\n") for line in lines) or "NULL"

    def text(self, key):
        return c_string(self.head[key]) if self.head.get(key) else "NULL"

    def proof(self):
        """One line, as somebody copies it."""
        text = " ".join(" ".join(self.sql.get("proof", ())).split())
        return c_string(text.rstrip(";")) if text else "NULL"

    def severity(self, word):
        match = re.search(rf"{word} (\w+)", self.head.get("severity", ""))
        return "SEVERITY_" + match[1].upper() if match else "SEVERITY_INFO"

    def limit_as_c(self, limit):
        name, value, unit, least, most, other, meaning = limit
        return "{%s, %s, %s, %s, %s, %s, %s}" % (
            c_string(name), value, c_string(unit), c_string(meaning), least or 0,
            most or 0, c_string(other) if other else "NULL")

    def value_as_c(self, value):
        column, unit, how, limit, words = value
        return "{.column = %s%s%s}" % (
            c_string(column),
            f", .words = {c_string(words)}, .unit = {c_string(unit)}" if words else "",
            f", .limit = {c_string(limit)}, .how = RULE_{how.upper().replace(' ', '_')}"
            if limit else "")

    def as_c(self, numbers, tables):
        fields = {
            "id": c_string(self.id), "slug": c_string(self.slug),
            "title": c_string(self.title), "summary": self.text("about"),
            "specific": self.head.get("specific", "0"),
            "needs": c_string(self.head["needs"]),
            "needs_words": c_string(", ".join(words for word, words in NEEDS.items()
                                              if word in self.head["needs"].split())),
            "least": self.severity("at least"), "most": self.severity("at most"),
            "verify": self.text("verify"), "says": self.text("says"), "why": self.text("why"), "proof": self.proof(),
            "borrows": self.text("borrows"), "unmeasured": self.query("unmeasured"),
            "sites": self.query("sites"), "sql": self.query("query"),
            "facts": self.query("facts"),
            "through_wrappers": str("through_wrappers" in self.head).lower(),
        }
        lists = {
            "limits": ("struct rule_limit", map(self.limit_as_c, self.limits), "{0}"),
            "values": ("struct rule_value", map(self.value_as_c, self.values), "{0}"),
            "uses": ("char *const", map(c_string, used(self.sql, tables)), "NULL"),
            "explains": ("struct rule *const", ("&rules[%d]" % numbers[word] for word in
                                                self.head.get("explains", "").split()),
                         "NULL"),
        }
        for name, (kind, members, end) in lists.items():
            members = list(members)
            if members:
                fields[name] = "(const %s[]){\n\t\t%s}" % (kind, ",\n\t\t".join(
                    [*members, end]))
        fields["advice"] = "{%s}" % ",\n\t\t".join(map(c_string,
                                                      self.head.get("advice", ())))
        return "\t{\n%s\t},\n" % "".join(
            f"\t.{name} = {value},\n" for name, value in fields.items()
            if value not in ("NULL", "0", "{}", "false", "SEVERITY_INFO"))

    def row(self):
        return "| %s %s | %s | %s |%s" % (
            self.id, self.slug, self.head["speaks"], self.head["gains"],
            f" {self.head.get('unseen', '')} |".replace("  ", " "))

    def chapter(self):
        return f"## {self.id} {self.slug}\n\n{self.head['docs'].strip()}\n"


def kept(top):
    """The tables that rules can use: name to (kind, words, query)."""
    tables, words = {}, None
    with open(os.path.join(top, "kept.sql"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            match = re.match(r"-- :(keep|view|computed|each) (\w+)(.*)", line)
            if match:
                lines, words = [], match[3].split()
                tables[match[2]] = match[1], words, lines
            elif not line.strip():
                words = None
            elif not line.lstrip().startswith("--"):
                lines.append(line)
            elif words:
                words += line[2:].split()
    return tables


def used(sections, tables):
    """What the queries take from, and what that takes from, which comes first."""
    text = "\n".join(line for key, lines in sections.items() if key != "proof"
                     for line in lines)
    names = []
    for name in re.findall(r"\b(?:FROM|JOIN|IN) (\w+)", text):
        if name in tables and tables[name][0] != "each":
            names += [*used({"query": tables[name][2]}, tables), name]
    return list(dict.fromkeys(names))


def read(root):
    top = os.path.join(root, "analyzer", "rules")
    rules = [Rule(os.path.join(top, folder, name)) for folder in FOLDERS
             for name in os.listdir(os.path.join(top, folder)) if name.endswith(".sql")]
    rules.sort(key=Rule.order)
    check(rules)
    return top, rules


def check(rules):
    """Limits that are compared exist, and the defaults fit together."""
    values = {f"{rule.id}.{limit[0]}": float(limit[1]) for rule in rules
              for limit in rule.limits}
    for rule in rules:
        for name, value, _, least, most, other, _ in rule.limits:
            greater = other and (other if "." in other else f"{rule.id}.{other}")
            if greater and greater not in values:
                wrong(rule.path, 1, f"there is no limit {greater}")
            if (float(value) < float(least or 0) or (most and float(value) > float(most))
                    or (greater and float(value) > values[greater])):
                wrong(rule.path, 1, f"the limit {name} contradicts itself or another")


def table_as_c(name, kind, lines):
    if kind == "computed":
        return "\t{.name = %s, .compute = rule_keep_%s},\n" % (c_string(name), name)
    return "\t{.name = %s,\n\t .is_view = %s,\n\t .sql =\n%s},\n" % (
        c_string(name), str(kind == "view").lower(),
        "\n".join("\t\t" + c_string(line + "\n") for line in lines))


def write_c(top, rules, target):
    numbers = {rule.id: number for number, rule in enumerate(rules)}
    tables = kept(top)
    with open(target, "w", encoding="utf-8") as out:
        out.write('/* made by scripts/rules.py */\n#include "analyzer/rules/rule.h"\n\n')
        out.write(f"static const struct rule rules[{len(rules)}];\n\n"
                  f"static const struct rule rules[{len(rules)}] = {{\n")
        for rule in rules:
            out.write(rule.as_c(numbers, tables))
        out.write("};\n\nconst struct rule *const rule_registry[] = {\n")
        for number in range(len(rules)):
            out.write(f"\t&rules[{number}],\n")
        out.write("};\nconst size_t rule_registry_count = "
                  "sizeof(rule_registry) / sizeof(rule_registry[0]);\n\n"
                  "const struct rule_table rule_tables[] = {\n")
        for name, (kind, _, lines) in tables.items():
            if kind != "each":
                out.write(table_as_c(name, kind, lines))
        out.write("\t{0},\n};\n")


def depend(top, rules, target, output):
    """Folders, too: a new file changes one."""
    names = [rule.path for rule in rules] + [os.path.join(top, "kept.sql")]
    names += [os.path.join(top, folder) for folder in FOLDERS]
    with open(output, "w", encoding="utf-8") as out:
        out.write("%s: %s\n" % (target, " ".join(name.replace(" ", "\\ ")
                                                 for name in names)))


def generated(folders, rules):
    chosen = [rule for rule in rules if rule.folder in folders.split()]
    if all("docs" in rule.head for rule in chosen):
        return "\n".join(rule.chapter() for rule in chosen)
    return "\n".join(["| rule | speaks when | what could be won (`I`) | not seen |",
                      "|---|---|---|---|", *map(Rule.row, chosen)]) + "\n"


def document(text, rules):
    parts, at = [], 0
    for match in BEGIN.finditer(text):
        parts += [text[at:match.end()], generated(match[1], rules)]
        at = text.index(END, match.end())
    return "".join([*parts, text[at:]])


def documents(root, rules, is_check):
    problems = 0
    for name in DOCUMENTS:
        path = os.path.join(root, "docs", name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        wanted = document(text, rules)
        if text == wanted:
            continue
        if is_check:
            problems += 1
            print(f"docs/{name} is not what the rules say: run scripts/rules.py")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
    return problems


def main():
    words = [word for word in sys.argv[1:] if word not in ("--c", "--depends", "--check")]
    top, rules = read(words[-1] if words else ".")
    if "--c" in sys.argv:
        write_c(top, rules, words[0])
        depend(top, rules, words[0], words[1])
        return 0
    return documents(words[-1] if words else ".", rules, "--check" in sys.argv) > 0


if __name__ == "__main__":
    sys.exit(main())
