#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the completion for bash. usage: check_completion.py ROOT COMPLETION PROF-ANALYZE PROF-RECORD

What it offers is what --help prints: the options, and which of them have a value; and
databases are offered where one is meant. COMPLETION is that of prof-analyze, with its
commands.
"""
import os
import shlex
import subprocess
import sys
import tempfile

import programs
import tree

FORMATS = ["csv", "html", "json", "md", "text"]
# What is typed, the last word half, and what is offered; a value may stand behind = or not.
WORDS = [
    ("prof-analyze fu", ["functions"]),
    ("prof-analyze snapshot", ["snapshot"]),
    ("prof-analyze functions --format ''", FORMATS),
    ("prof-analyze functions --format = ''", FORMATS),
    ("prof-analyze functions --format =", FORMATS),
    ("prof-analyze functions -f ''", FORMATS),
    ("prof-analyze bottlenecks --format = s", ["sarif"]),
    ("prof-analyze compare --format = j", ["json", "junit"]),
    ("prof-analyze compare --by ''", ["component", "namespace", "source"]),
    ("prof-analyze components --by ''", ["module", "namespace", "source"]),
    ("prof-analyze delta run.db --by l", ["line"]),
    ("prof-analyze bottlenecks run.db --fail-on h", ["high"]),
    ("prof-analyze compare --fail-on ''", ["inconclusive", "regression"]),
    ("prof-analyze flamegraph run.db --metric at", ["at-peak"]),
    ("prof-analyze delta run.db start e", ["exit"]),
    ("prof-analyze export --metric calls run.db fol", ["folded", "folder"]),
    ("prof-analyze export folded r", ["run.db"]),
    ("prof-analyze functions run.db --sort calls --ra", ["--raw"]),
    ("prof-analyze run.db functions --unf", []),
    ("prof-analyze callers run.db ''", []),
    ("prof-analyze functions ''", ["folder", "lost.db", "run.db"]),
    ("prof-analyze functions --limit 5 r", ["run.db"]),
    ("prof-analyze compare run.db ''", ["folder", "lost.db", "run.db"]),
    ("prof-analyze flamegraph run.db --diff = l", ["lost.db"]),
    ("prof-analyze --raw r", ["ranks", "report", "resources", "run.db", "runs"]),
    ("prof-analyze runs ru", ["run.db"]),
    ("prof-record --follow ''", ["all", "none"]),
    ("prof-record --level = o", ["off"]),
    ("prof-record --report = j", ["json"]),
    ("prof-record --report --qu", ["--quiet"]),
    ("prof-record --repeat 3 ./prog", ["./program"]),
    ("prof-record -o run.db -- folde", ["folder"]),
    ("prof-record ./program --qu", []),
]

SCRIPT = """
compopt() { :; }
source {analyze}
source {record}
ask() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	"_${1//-/_}" && printf '%s\\t' "${COMPREPLY[@]}"
	printf '\\n'
}
"""


def ask(files, typed):
    """What bash is offered for each of the lines, in a folder with a few files."""
    script = SCRIPT
    for name, path in zip(("{analyze}", "{record}"), files):
        script = script.replace(name, shlex.quote(os.path.abspath(path)))
    script += "\n".join("ask " + line for line in typed)
    with tempfile.TemporaryDirectory(prefix="profshim-completion-") as folder:
        os.mkdir(os.path.join(folder, "folder"))
        os.mkdir(os.path.join(folder, "run.db-spool"))
        os.mkdir(os.path.join(folder, "lost.db-spool"))
        for name in ("run.db", "notes.txt", "program"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                os.chmod(file.fileno(), 0o755)
        answer = subprocess.run(["bash", "--norc", "-c", script], check=True, cwd=folder,
                                capture_output=True, text=True)
    if answer.stderr:
        sys.exit(answer.stderr)
    return [sorted(set(line.split("\t")) - {""}) for line in answer.stdout.splitlines()]


def problems_of_options(files, analyze, record):
    asked = {f"prof-analyze {command} --": programs.options(analyze, command)
             for command in programs.commands(analyze)}
    asked["prof-record --"] = programs.options(record)
    for line, offered in zip(asked, ask(files, list(asked))):
        # "--report" may have a value behind = and is offered without
        expected = [name + "=" * (has_value and name != "--report")
                    for name, has_value in asked[line].items() if name.startswith("--")]
        yield from programs.differences(line, "--help", expected, "the completion", offered)
    # An option with a value takes the next word for it.
    valued = [f"{line[:-2]} {name} --" for line, options in asked.items()
              for name, has_value in options.items() if has_value and name != "--report"]
    for line, offered in zip(valued, ask(files, valued)):
        if any(word.startswith("--") for word in offered):
            yield f"{line}: the completion does not know that it has a value"


def main():
    root, completion, analyze, record = sys.argv[1:]
    files = [completion, os.path.join(root, "completion", "prof-record")]
    problems = list(problems_of_options(files, analyze, record))
    commands = ask(files, ["prof-analyze ''"])[0]
    problems += programs.differences("prof-analyze", "--help", programs.commands(analyze),
                                     "the completion",
                                     set(commands) - {"folder", "lost.db", "run.db"})
    for (line, expected), offered in zip(WORDS, ask(files, [line for line, _ in WORDS])):
        if offered != expected:
            problems.append(f"{line}: {offered} is offered, not {expected}")
    tree.finish(problems)


main()
