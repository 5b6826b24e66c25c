#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prepare every query of the tree on an empty run.db, so that none is wrong.

usage: check_sql.py [ROOT]

Every .sql file but the schemas is cut into its sections (`-- :name WORD`, of reports
`-- :KIND NAME ...`) and each statement is prepared with EXPLAIN on these; what a
report keeps for its later queries is made, and so is what rules take from. Of a rule the query
must have the columns that its head names. The functions that prof-analyze adds to SQLite
are known here, too. Exit status 1 when a statement cannot be prepared.
"""
import os
import re
import sqlite3
import sys

import rules
from embed_report import part_path, with_named

BETWEEN = os.path.join("analyzer", "reports", "snapshots", "between.sql")
RUN = os.path.join("analyzer", "rules", "run.sql")
FOUND = os.path.join("analyzer", "reports", "bottlenecks", "found.sql")
KEPT = {"moments_between": BETWEEN, "sites_between": BETWEEN,
        **dict.fromkeys(("root_lane", "run_lanes", "run_threads", "run_samples", "quality"), RUN),
        **dict.fromkeys(("found", "critical_bound", "rule_states", "suppressed_findings"), FOUND)}
HISTORY = os.path.join("analyzer", "reports", "history", "history.sql")
KEPT.update(dict.fromkeys(("wanted_tags", "gated", "chosen_runs", "level_changes", "present_levels", "there",
                           "not_compared", "gated_functions", "gate_checks"), HISTORY))
KEPT.update(dict.fromkeys(("hashed_function", "hashed_path"),
                          os.path.join("analyzer", "push", "clickhouse_rows.sql")))
KEPT["added"] = os.path.join("analyzer", "reports", "archive", "added.sql")
RULES = os.path.join("analyzer", "rules", "kept.sql")
# Takes from the report around it, with which it is read.
WITHIN = os.path.join("analyzer", "reports", "sql", "parts", "gate.sql")
# What another engine is asked, by tests/exports/check_fleet.py.
OF_OTHERS = os.path.join("analyzer", "push", "clickhouse.sql")
SCHEMAS = os.path.join("common", "schema.sql"), os.path.join("analyzer", "archive", "tables.sql")
SKIPPED_FOLDERS = {".git", "__pycache__", "transparency"}


def sql_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders
                            if name not in SKIPPED_FOLDERS and not name.startswith("build"))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(".sql") and path not in (*SCHEMAS, WITHIN, OF_OTHERS):
                yield path


def read(path):
    """The text of a file, with what it includes."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"(?m)^-- :include (\w+)$",
                      lambda match: read(part_path(path, match[1])), file.read())


def sections(text):
    name, lines = "", []
    for line in text.splitlines():
        match = re.match(r"-- :(?!show)(\w+)\s*(\w*)", line)
        if match:
            yield name, "\n".join(lines)
            name, lines = match[2] if match[1] == "name" else line[4:], []
        elif not line.lstrip().startswith("--"):
            lines.append(line)
    yield name, "\n".join(lines)


def statements(text):
    statement = ""
    for part in re.split(r"(?<=;)", text):
        statement += part
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def is_part(name):
    """Of the queries that use it, with which it is prepared."""
    return name == "tables" or name.startswith("with ")


class Quantile:
    def step(self, *_):
        pass

    def finalize(self):
        return None


class LastKnown(Quantile):
    def inverse(self, *_):
        pass

    value = Quantile.finalize


def empty_database(root):
    db = sqlite3.connect(":memory:")
    db.create_function("regexp", 2, lambda pattern, text: 0)
    for name, count in (("libc_purpose", 1), ("passes", 1),
                        ("is_chosen", 1), ("signal_name", 1), ("short_name", 1),
                        ("people", 2), ("counted", 2), ("limit_of", 1), ("chance", 2), ("fitted", 3), ("fitted_error", 3),
                        ("owner", 2), ("asker", 2), ("fits", 1),
                        ("trust_word", 2), ("trust_text", 2), ("package_of", 1),
                        ("gcc_visible", 1), ("gcc_word", 1), ("short_name", 2), ("meant", 1),
                        ("suppression", 2), ("pattern", 1), ("label_value", 1), ("hash_of", 1),
                        ("is_found", 2), ("bare_name", 1), ("square_root", 1), ("erfc", 1), ("poisson_low", 1), ("poisson_high", 1), ("doublings", 1), ("histogram_sum", 1),
                        ("histogram_quantile", 2), ("histogram_slowest", 2),
                        ("difference", 3), ("amount", 3), ("held", 4),
                        ("histogram_beyond", 3), ("histogram_mode", 4),
                        ("scaling_is", 2), ("scaling_at", 2), ("scaling_at", 3), ("scaling_held", 2)):
        db.create_function(name, count, lambda *values: 0)
    for name, count in (("quantile", 2), ("percentile", 2), ("median", 1), ("rising_p", 2),
                        ("growth", 3), ("scaling", 3), ("serial_share", 3)):
        db.create_aggregate(name, count, Quantile)
    for name, count in (("last_known", 1), ("grown", 1), ("tied_rank", 2)):
        db.create_window_function(name, count, LastKnown)
    for path in SCHEMAS:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            db.executescript(file.read())
    return db


def compared_tables(db, root):
    """What analyzer/reports/compare/ makes of two sides."""
    text = ""
    for name in ("show.c", "show_subjects.c", "gate.c"):
        with open(os.path.join(root, "analyzer", "reports", "compare", name),
                  encoding="utf-8") as file:
            text += file.read()
    runs, totals, subjects, limits = (
        re.findall(r"X\((\w+)[,)]", re.search(name + r"_COLUMNS\(X\)(.*?)clang-format", text, re.S)[1])
        for name in ("RUN", "TOTAL", "SUBJECT", "LIMIT"))
    with open(os.path.join(root, "common", "quantities.def"), encoding="utf-8") as file:
        metrics = re.findall(r"^Q\(OF, (\w+),(?: *\S+,){2} *(?:[xo], ){5}x", file.read(), re.M)
    metrics += ["hooks_ns", "self_cpu_error_ns", "own_alloc_count", "own_alloc_bytes"]
    sites = ["alloc_count", "alloc_bytes", "live_bytes", "at_peak_bytes"]

    def with_metrics(names):
        return subjects + [form % name for name in names
                           for form in ("before_%s", "after_%s", "%s_error", "%s_change")]
    for name, columns in (("runs", runs), ("totals", totals), ("limits", limits), ("functions", with_metrics(metrics)),
                          ("paths", with_metrics(metrics)), ("sites", with_metrics(sites)),
                          ("components", with_metrics(metrics))):
        db.execute(f"CREATE TEMP TABLE compared_{name} ({', '.join(columns)})")


def keep_tables(db, root):
    """What rundb_keep() makes of a section, for the queries that use it."""
    for name, path in KEPT.items():
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = dict(sections(file.read()))[name]
        db.execute(f"CREATE TEMP TABLE {name} AS {text}",
                   {word: None for word in re.findall(r":(\w+)", text)})
    with open(os.path.join(root, "analyzer", "reports", "engine", "paths.c"),
              encoding="utf-8") as file:
        columns = re.findall(r"\bCOLUMN\((\w+)\)", file.read())
    with open(os.path.join(root, "common", "quantities.def"), encoding="utf-8") as file:
        columns += re.findall(r"^Q\(OF, (\w+),(?: *\S+,){2} *(?:[xo], ){6}x", file.read(), re.M)
    db.execute(f"CREATE TEMP TABLE tree ({', '.join(columns)})")
    compared_tables(db, root)
    for name, (kind, words, lines) in rules.kept(os.path.join(root, "analyzer", "rules")).items():
        text = " ".join(lines)
        db.execute(f"CREATE TEMP TABLE {name} AS {text}" if text else
                   f"CREATE TEMP TABLE {name} ({', '.join(words)})",
                   {word: None for word in re.findall(r":(\w+)", text)})
    with open(os.path.join(root, "analyzer", "live", "live.sql"), encoding="utf-8") as file:
        db.executescript(dict(sections(file.read()))["tables"])


def wrong_placeholders(db, name, statement, values):
    """Of a report's section what placeholders name no column of its rows, or several."""
    cursor = db.execute(f"SELECT * FROM ({statement.rstrip().rstrip(';')}) LIMIT 0", values)
    columns = []
    for column in cursor.description:
        marks, word = re.match(r"(?:.*:)?([.~>?^-]*)([^/]*)", column[0]).groups()
        # a sentence for people is no value of another
        columns += [word] * (2 if "~" in marks else 1)
    texts = re.findall(r"'((?:[^']|'')*)'", statement) + [name.partition(" = ")[2]]
    for text in texts:
        for word in re.findall(r"\{(\w+)(?:[ |][^{}]*)?\}", text):
            if columns.count(word) != 1:
                yield f"{{{word}}} names no value, or one of several"


def in_proof(text):
    """What somebody may copy: with the placeholders filled."""
    text = re.sub(r"\{.*?\}", "NULL", text.replace("{owned}", ""))
    return f"WITH below(path_id) AS (SELECT 1) {text}" if "below" in text else text


def missing_columns(db, path):
    """What the head of a rule names, and its query has not."""
    rule = rules.Rule(path)
    text = "\n".join(rule.sql.get("query") or rule.sql["facts"])
    columns = {column[0] for column in db.execute(
        text, {word: None for word in re.findall(r":(\w+)", text)}).description}
    limits = {limit[0] for limit in rule.limits}
    wanted = {value[0] for value in rule.values} | {value[3] for value in rule.values
                                                    if value[3]} - limits
    for sentence in [rule.head.get("why", ""), *rule.head.get("advice", ())]:
        wanted |= set(re.findall(r"\{>?(\w+)\}", sentence))
    return sorted(wanted - columns)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    db, problems, count = empty_database(root), 0, 0
    keep_tables(db, root)
    taken = {row[0] for row in db.execute(
        "SELECT name FROM sqlite_master UNION SELECT name FROM sqlite_temp_master")}
    for path in sql_files(root):
        text = read(os.path.join(root, path))
        kept, named = [], {}
        if "\n-- :rule " in text and os.path.join("analyzer", "rules") in path:
            for name in missing_columns(db, os.path.join(root, path)):
                problems += 1
                print(f"{path}: the query has no column {name}", file=sys.stderr)
        for name, section in sections(text):
            section = with_named(section.lstrip(), named)
            if name.startswith("with "):
                named[name.split()[1]] = section.rstrip().rstrip(";")
            for statement in statements(in_proof(section) if name.startswith("proof")
                                        else section) if not is_part(name) else []:
                count += 1
                values = {word: None for word in re.findall(r":(\w+)", statement)}
                try:
                    db.execute("EXPLAIN " + statement, values).fetchall()
                    if re.match("(note|values|table) ", name):
                        for why in wrong_placeholders(db, name, statement, values):
                            raise sqlite3.Error(why)
                    keep = path != RULES and re.match(r"keep (\w+)|table (\w+) .*order=(\w+)", name)
                    table = keep and (keep[1] or keep[2] + "_shown")
                    if table in kept and not keep[1]:
                        continue  # two parts that never stand together
                    if table in taken:
                        raise sqlite3.Error("a table or view has this name")
                    if table:
                        kept.append(table)
                        db.execute(f"CREATE TEMP TABLE {table} AS {statement}" if keep[1] else
                                   f"CREATE TEMP TABLE {table} ({keep[3]}, place)",
                                   values if keep[1] else {})
                except sqlite3.Error as error:
                    problems += 1
                    print(f"{path}: section {name or '(first)'}: {error}", file=sys.stderr)
        for name in kept:
            db.execute(f"DROP TABLE temp.{name}")
    print(f"{count} statements prepared, {problems} wrong")
    return 1 if problems or not count else 0


sys.exit(main())
