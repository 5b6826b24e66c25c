# SPDX-License-Identifier: MIT
"""The cases, read from tests/transparency/cases/*.txt; the file's name is the group.

A case is a line of four columns: name, packages (with commas), input files (with commas,
- for none), command. A * before the name puts it into the short selection. A command goes
to /bin/sh when it has a character that only a shell understands; otherwise it is started
directly. A line that ends in \\ goes on in the next. Lines below it that begin with a tab
say what is special about the case, each with its reason:

    hide FIELD /REGEX/ because REASON     what must differ by definition: removed from
                                          stdout, stderr or a written file first
    books NAME because REASON             a figure of trust that may be above zero here
    unrecorded because REASON             no run.db is written (a static program)
    user nobody because REASON            it refuses to work for root
    timeout SECONDS because REASON
"""
import dataclasses
import os
import re
import shlex

HERE = os.path.dirname(os.path.abspath(__file__))
SHELL_ONLY = set("|&;<>()$`*?[]{}~!#\n")


class TableError(Exception):
    """A line of a table that cannot be understood."""


@dataclasses.dataclass
class Case:
    group: str
    name: str
    packages: list
    inputs: list
    command: str
    is_short: bool
    hidden: list = dataclasses.field(default_factory=list)  # (field, compiled regex)
    allowed: set = dataclasses.field(default_factory=set)  # names of trust
    is_recorded: bool = True
    user: str = ""
    timeout: float = 0

    @property
    def argv(self):
        if SHELL_ONLY & set(self.command) or "=" in self.command.split()[0]:
            return ["/bin/sh", "-c", self.command]
        return shlex.split(self.command)


def read_attribute(case, line):
    what, _, reason = line.partition(" because ")
    if not reason:
        raise TableError(f"no reason is given: {line}")
    word, _, rest = what.partition(" ")
    if word == "hide":
        field, _, regex = rest.partition(" ")
        case.hidden.append((field, re.compile(regex.strip("/").encode(), re.MULTILINE)))
    elif word == "books":
        case.allowed.add(rest)
    elif word == "unrecorded":
        case.is_recorded = False
    elif word == "user":
        case.user = rest
    elif word == "timeout":
        case.timeout = float(rest)
    else:
        raise TableError(f"{word} is not known: {line}")


def read_file(path):
    group = os.path.basename(path)[:-len(".txt")]
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\\\n\s*", "", file.read())
    cases = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("\t"):
            read_attribute(cases[-1], line.strip())
            continue
        columns = line.split(None, 3)
        if len(columns) != 4:
            raise TableError(f"{path}: not four columns: {line}")
        name, packages, inputs, command = columns
        cases.append(Case(group, name.lstrip("*"), packages.split(","),
                          [] if inputs == "-" else inputs.split(","), command.strip(),
                          name.startswith("*")))
    return cases


def read_all(directory=os.path.join(HERE, "cases")):
    cases = []
    for name in sorted(os.listdir(directory)):
        if name.endswith(".txt"):
            cases += read_file(os.path.join(directory, name))
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TableError(f"used for more than one case: {', '.join(twice)}")
    return cases
