# SPDX-License-Identifier: MIT
"""Everything that prof-analyze can be asked about a run.db, as --help tells it: every command in
every format, every export. A word that a command wants and that is not known here is an error,
so nothing that is new stays unasked."""
import re
import subprocess

# What stands for the words of the usage line. A list: one look for each.
WORDS = {"FUNC": ["main", "#102"], "[FUNC]": [None, "#102"], "[A]": [None, "1"], "[B]": [None, "2"],
         "QUERY": ["SELECT * FROM functions"], "DB...": ["DB"]}
# They look at a process that runs, at another file, at a server, at none, or for ever, or send
# or keep it elsewhere (tests/exports has hostile names for servers).
OTHERS = {"snapshot", "mcp", "top", "selftest-gate", "push", "fleet", "archive"}
COMMAND = re.compile(r"^  ([a-z][a-z-]*)  ", re.MULTILINE)
FORMATS = re.compile(r"^  -f, --format=FORMAT +(.+(?:\n {20,}.+)*)", re.MULTILINE)
FORMAT = re.compile(r"\b(text|json|csv|md|html|junit|sarif)\b")


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def export_formats(program):
    said = ask(program, "export", "no-such-file.db", "?")
    return re.search(r"there are: ([\w, ]+)", said).group(1).split(", ")


def arguments_of(usage, program):
    """[[word, ...], ...]: each way to call the command; DB stands for the file."""
    ways = [[]]
    for word in usage.split():
        if word in ("DB", "[DB]"):
            values = ["DB"]
        elif word == "FORMAT":
            values = export_formats(program)
        else:
            values = WORDS[word]
        ways = [way + [value] * (value is not None) for way in ways for value in values]
    return ways


def looks(program):
    """(command, formats, words): what a file can be asked; DB in words stands for its path."""
    found = []
    for command in COMMAND.findall(ask(program, "--help")):
        if command in OTHERS:
            continue
        text = ask(program, command, "--help")
        usage = re.search(r"^Usage: prof-analyze \S+ \[OPTION\.\.\.\] ?(.*)$", text, re.MULTILINE)
        said = FORMATS.search(text)
        forms = FORMAT.findall(said.group(1)) if said else [None]
        for words in arguments_of(usage.group(1), program):
            found.append((command, list(dict.fromkeys(forms)), words))
    return found


def command_line(command, form, words, path):
    """Of one look at path in one format."""
    filled = [path if word == "DB" else word for word in words]
    gate = ["--gate", "calls=0%", "--fail-on", "regression"] if form == "junit" else []
    return [command, *filled, *gate] + (["--format", form] if form else [])


def text_columns(db):
    """{table: [column, ...]} of all text that the schema has room for, keys apart."""
    return _columns(db, ("TEXT",))


def numeric_columns(db):
    return _columns(db, ("INTEGER", "REAL"))


def _columns(db, kinds):
    found = {}
    tables = [name for (name,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    for table in tables:
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")
                 if row[2] in kinds and not row[5]]
        if names:
            found[table] = names
    return found


def key_of(db, table):
    """The columns that tell the table's rows apart."""
    key = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
    return key or ["rowid"]
