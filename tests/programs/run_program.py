#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Record a small program whose exact numbers are known and compare.

usage: run_program.py BUILD-ROOT SOURCE

The source is compiled with gcc -O2 and clang -O0, run without and with the shim; output and
exit status must be the same, nothing may be left behind, the invariants must hold, and what
the source expects must be in run.db. A program about control flow, about unwinding or about
names, which depend on the code that a compiler makes, is compiled by both compilers at both
levels. Lines in the source (a line that starts with four more spaces goes on with the one
before; NAME[clang -O2]: holds only for variants that have all these words):

    // expect-sql: SELECT ... => VALUE     columns joined by |, rows by ;, NULL is empty.
                                           $name stands for NUMBER from a word
                                           name=NUMBER that the program printed, on
                                           stderr after "truth:" when it may differ
                                           from run to run
    // expect-below: FUNC COLUMN => VALUE  sum of a call_paths column over FUNC's subtree
    // expect-tree:                        the whole call tree, see call_tree.py
    // tree-without: REGEX                 functions that the drawing leaves out
    // expect-trust: NAME => VALUE         sum of a counter of trust
    // exit: 7, // signal: 6               how it ends, if not with status 0
    // flags: -pthread                     for the compiler
    // arguments: WORD...                  for the program
    // settings: NAME=VALUE...             of the recorder, in the environment
    // hooks: no                           compile without -finstrument-functions
    // plugin: FILE [no-hooks] [link] [-FLAG...]
                                           another source, built as FILE.so beside the
                                           program, and linked when no-hooks or link is
                                           given
    // variants: all|lto|once [gcc|clang]  both compilers at both levels; with -O2 -flto,
                                           too; gcc -O2 alone. With one compiler only
    // tolerate: NAME...                   invariants that this program breaks on purpose
"""
import os
import re
import subprocess
import sys
import tempfile

import call_tree
import harness
import invariants

LEVELS = ("-O0", "-O2")
USUAL = [("gcc", "-O2"), ("clang", "-O0")]

BELOW = """WITH RECURSIVE below(path_id) AS (
    SELECT path_id FROM call_paths WHERE name = '{0}'
    UNION SELECT c.path_id FROM call_paths c JOIN below b ON c.parent_path_id = b.path_id)
SELECT TOTAL({1}) FROM call_paths WHERE path_id IN below"""


class Truth:
    """What the comments of a source say about one variant of it."""

    def __init__(self, source, variant):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        words = " ".join(variant).split()
        text, self.trees = cut_trees(text, words)
        text = re.sub(r"\n//    +", " ", text)
        lines = re.findall(r"^// ([a-z-]+)(\[[^]]*\])?: (.*)$", text, flags=re.MULTILINE)
        self.lines = [(name, line) for name, only, line in lines if applies(only, words)]
        self.flags = self.words("flags")
        self.arguments = self.words("arguments")
        self.tolerated = set(self.words("tolerate"))
        self.settings = dict(word.split("=", 1) for word in self.words("settings"))
        self.hooks = self.words("hooks") != ["no"]
        self.without = "|".join(line for name, line in self.lines if name == "tree-without")
        self.status = int((self.words("exit") or ["0"])[0])
        for signal in self.words("signal"):
            self.status = -int(signal)
        self.plugins = [line.split() for name, line in self.lines if name == "plugin"]
        self.queries = []
        for name, line in self.lines:
            if name in ("expect-sql", "expect-below", "expect-trust"):
                self.expect(name, *(part.strip() for part in line.rsplit("=>", 1)))
        harness.expect(self.queries or self.trees, f"{source} expects nothing")

    def expect(self, name, sql, expected):
        if name == "expect-below":
            sql = BELOW.format(*sql.rsplit(" ", 1))
        if name == "expect-trust":
            self.tolerated.add(sql)
            sql = f"SELECT TOTAL(value) FROM trust WHERE name = '{sql}'"
        self.queries.append((sql, expected))

    def words(self, name):
        return [word for key, line in self.lines if key == name for word in line.split()]


def applies(only, words):
    return all(word in words for word in (only or "").strip("[]").split())


def cut_trees(text, words):
    """The text without its drawings, and the drawings of this variant."""
    trees = []

    def cut(match):
        if applies(match.group(1), words):
            trees.append([line[7:] for line in match.group(2).splitlines()])
        return ""

    text = re.sub(r"^// expect-tree(\[[^]]*\])?:\n((?://     .*\n)+)", cut, text,
                  flags=re.MULTILINE)
    return text, trees


def variants(source):
    """(compiler, optimisation) pairs."""
    with open(source, encoding="utf-8") as file:
            lines = re.findall(r"^// variants: (.*)$", file.read(), flags=re.MULTILINE)
    words = set(" ".join(lines).split())
    if not words:
        return USUAL
    if "once" in words:
        return USUAL[:1]
    compilers = [name for name in harness.COMPILERS if name in words] or harness.COMPILERS
    levels = LEVELS + ("-O2 -flto",) * ("lto" in words)
    return [(compiler, level) for compiler in compilers for level in levels]


def as_text(rows):
    def cell(item):
        if item is None:
            return ""
        return str(int(item)) if isinstance(item, float) and item.is_integer() else str(item)
    return "; ".join("|".join(cell(item) for item in row) for row in rows)


def build(source, truth, variant, directory):
    compiler, optimisation = variant
    folder = os.path.dirname(source)
    flags = list(truth.flags)
    for name, *options in truth.plugins:
        library = os.path.join(directory, os.path.splitext(name)[0] + ".so")
        given = [option for option in options if option.startswith("-")]
        harness.compile_program(os.path.join(folder, name), library, compiler, optimisation,
                                ["-shared", "-fPIC", *given], "no-hooks" not in options)
        if "link" in options or "no-hooks" in options:
            flags += [library, "-Wl,-rpath," + directory]
    return harness.compile_program(source, os.path.join(directory, "program"), compiler,
                                   optimisation, flags, truth.hooks)


def check_same(plain, recorded, status):
    harness.expect(plain.returncode == status,
                   f"without the shim it ended with {plain.returncode}, not {status}:\n"
                   f"{plain.stdout}{plain.stderr}")
    harness.expect(recorded.returncode == plain.returncode,
                   f"ended with {recorded.returncode} under the shim, with "
                   f"{plain.returncode} without:\n{recorded.stdout}{recorded.stderr}")
    for stream in ("stdout", "stderr"):
        texts = [re.sub(r"^truth: .*\n", "", getattr(result, stream), flags=re.MULTILINE)
                 for result in (plain, recorded)]
        harness.expect(texts[0] == texts[1], f"{stream} differs under the shim:\n"
                       f"without: {texts[0]}\nwith:    {texts[1]}")


def check_truth(database, truth, output):
    printed = dict(re.findall(r"\b(\w+)=(-?\d+)", output))
    problems = list(invariants.broken(database, truth.tolerated))
    for sql, expected in truth.queries:
        sql, expected = (re.sub(r"\$(\w+)", lambda match: printed[match.group(1)], text)
                         for text in (sql, expected))
        found = as_text(harness.query(database, sql))
        if found != expected:
            problems.append(f"{sql}\n    gives {found}\n    not   {expected}")
    for tree in truth.trees:
        found = list(call_tree.differences(database, tree, truth.without, printed))
        problems += found[:12] + [f"and {len(found) - 12} more"] * (len(found) > 12)
    ended = as_text(harness.query(database, "SELECT exit_code, exit_signal FROM runs"))
    wanted = f"|{-truth.status}" if truth.status < 0 else f"{truth.status}|"
    if ended != wanted and (ended != "|" or harness.signals_are_told()):
        problems.append(f"runs.exit_code|exit_signal is {ended}, not {wanted}")
    return problems


def run_variant(products, source, truth, variant):
    with tempfile.TemporaryDirectory(prefix="profshim-program-") as directory:
        program = build(source, truth, variant, directory)
        before = os.listdir(directory)
        database = os.path.join(directory, "run.db")
        command = [program, *truth.arguments]
        plain = harness.run(command, env=harness.brief_environment(), cwd=directory)
        environment = products.environment(database, **truth.settings)
        recorded = harness.run(command, env=environment, cwd=directory)
        check_same(plain, recorded, truth.status)
        # Who is killed cannot wait for run.db, who ends by itself does, unless the disk
        # keeps the collector waiting.
        harness.expect(truth.status < 0 or os.path.exists(database) or
                       harness.processes_naming(database + "-spool/") or
                       os.path.exists(database), "run.db is not there after the run")
        harness.settle(products, database)
        harness.expect_tidy(directory, before + ["run.db"])
        report = harness.run([products.analyze, database])
        harness.expect(report.returncode == 0 and report.stdout,
                       f"prof-analyze ended with {report.returncode}: {report.stderr}")
        with harness.reading(database) as connection:
            return check_truth(connection, truth, recorded.stdout + recorded.stderr)


def main():
    build_root, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    products, failed = harness.Products(build_root), False
    for variant in variants(source):
        try:
            problems = run_variant(products, source, Truth(source, variant), variant)
        except (harness.Failure, subprocess.TimeoutExpired) as error:
            problems = [str(error)]
        for problem in problems:
            print(f"{' '.join(variant)}: {problem}")
        failed = failed or bool(problems)
    sys.exit(failed)


main()
