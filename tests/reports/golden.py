# SPDX-License-Identifier: MIT
"""The files in golden/. One that is much like another one says how it differs:

    ---- as report ----
    = 12            twelve lines as there
    - 3             three that are not here
    +a line         one that is not there

So what an option changes can be read, and what it leaves as it is stands once. Where nothing
is said of standard error and status, there is nothing on it, and the status is 0.

A command that is refused, and prints no more than why, stands in refused.txt: its exit status
before a $, its words, and behind that line what it says. That line is the case.
"""
import difflib
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
BEGIN, END = "---- as ", " ----\n"
FINE = "---- stderr ----\n---- status 0 ----\n"
REFUSED = os.path.join(FOLDER, "refused.txt")
REFUSAL = re.compile(r"---- stderr ----\n(.*)---- status ([1-9]) ----\n", re.DOTALL)
PROMPT = "$ "


def refused():
    """What is printed by case: the prompt and the words of the command."""
    with open(REFUSED, encoding="utf-8", newline="") as file:
        parts = re.split(r"(?m)^(\d)(\$ .*)\n", file.read())[1:]
    return {words: f"---- stderr ----\n{text}---- status {status} ----\n"
            for status, words, text in zip(parts[::3], parts[1::3], parts[2::3])}


def _stored(case):
    if case.startswith(PROMPT):
        return refused()[case]
    try:
        with open(os.path.join(FOLDER, case + ".txt"), encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def base_of(case):
    """The case that it is told by; None: it stands for itself."""
    first = _stored(case).split("\n", 1)[0] + "\n"
    return first[len(BEGIN):-len(END)] if first.startswith(BEGIN) else None


def read(case):
    base = base_of(case)
    if not base:
        stored = _stored(case)
        return stored + FINE * ("\n---- status " not in "\n" + stored)
    there, at, lines = read(base).split("\n"), 0, []
    for line in _stored(case).split("\n")[1:-1]:
        if line.startswith("+"):
            lines.append(line[1:])
            continue
        end = at + int(line[2:])
        lines += there[at:end] if line.startswith("=") else []
        at = end
    return "\n".join(lines)


def told_by(base, text):
    """The text as what differs from that of the other case."""
    there, here, told = read(base).split("\n"), text.split("\n"), []
    matcher = difflib.SequenceMatcher(None, there, here, False)
    for kind, begin, end, here_begin, here_end in matcher.get_opcodes():
        if end > begin:
            told.append(f"{'=' if kind == 'equal' else '-'} {end - begin}")
        if kind != "equal":
            told += ["+" + line for line in here[here_begin:here_end]]
    return BEGIN + base + END + "\n".join(told) + "\n"


def _write_refused(case, text):
    told = []
    for words, printed in {**refused(), case: text}.items():
        found = REFUSAL.fullmatch(printed)
        if not found:
            raise ValueError("is refused no longer: give it a name and a file of its own")
        told.append(f"{found[2]}{words}\n{found[1]}")
    with open(REFUSED, "w", encoding="utf-8", newline="") as file:
        file.writelines(told)


def write(case, text):
    if case.startswith(PROMPT):
        _write_refused(case, text)
        return
    base = base_of(case)
    with open(os.path.join(FOLDER, case + ".txt"), "w", encoding="utf-8", newline="") as file:
        file.write(told_by(base, text) if base else text.removesuffix(FINE))


def with_dependents(cases):
    """Those too that are told by one of these, each behind the one that tells it."""
    names = [name[:-len(".txt")] for name in os.listdir(FOLDER)]
    bases = {name: base_of(name) for name in names}

    def chain(name):
        return chain(bases[name]) + [name] if bases.get(name) else [name]
    chosen = {*cases, *(name for name in names if set(chain(name)) & set(cases))}
    return sorted(chosen, key=lambda name: (len(chain(name)), name))
