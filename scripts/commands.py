#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write what prof-analyze says of its commands and options into a text.

usage: commands.py PROF-ANALYZE TEMPLATE OUTPUT

For the manual page, whose template ends in .1.in, and for the completion of bash: where
@COMMANDS@ or @OPTIONS@ stands alone, and @EXPORTS@ within a line. What a command says of itself is its struct report, which
of most is the head of an .sql file, and an option its row of analyzer/cli/options.c.
"""
import re
import subprocess
import sys
import textwrap

OPTION = re.compile(r"^ {2,6}(?:-(\w), )? *--([a-z][a-z-]*)(?:=(\S+))?(?: {2,}(.*))?$")


class Command:
    """What --help says of one."""

    def __init__(self, program, name):
        text = subprocess.run([program, name, "--help"], capture_output=True, text=True,
                              check=True).stdout
        usage, self.summary, rest = text.split("\n", 2)
        self.name = name
        self.arguments = usage.partition("[OPTION...]")[2].strip()
        self.options, self.paragraphs, option = {}, [[]], None
        for line in rest.partition("\nExample:\n")[0].splitlines():
            match = OPTION.match(line)
            if match:
                option = self.options[match[2]] = [match[1], match[3], match[4] or ""]
            elif option and line.startswith(" " * 20):
                option[2] = f"{option[2]} {line.strip()}".strip()
            elif line.strip():
                self.paragraphs[-1].append(line.strip())
            elif self.paragraphs[-1]:
                self.paragraphs.append([])
        self.paragraphs = [" ".join(lines) for lines in self.paragraphs if lines]


def read_commands(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True,
                          check=True).stdout
    return [Command(program, name)
            for name in re.findall(r"^  ([a-z][a-z-]*)  ", text, re.MULTILINE)]


def mdoc(text):
    """Text as lines of mdoc."""
    text = text.replace("\\", "\\e").replace("--", "\\-\\-")
    return [re.sub(r"^([.'])", r"\\&\1", line) for words in re.split(r"(?<=[.?!]) ", text)
            for line in textwrap.wrap(words, 95, break_long_words=False, break_on_hyphens=False)]


def sentence(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def manual_of_commands(commands):
    yield ".Bl -tag -width Ds"
    for command in commands:
        arguments = re.sub(r"\[(.+?)\]", r"Op Ar \1", command.arguments)
        arguments = " ".join(word if word in ("Op", "Ar") else f"Ar {word}"
                             for word in arguments.split())
        yield f".It Cm {command.name} {arguments.replace('Ar Ar', 'Ar')}".rstrip()
        yield from mdoc(sentence(command.summary))
        for paragraph in command.paragraphs:
            yield ".Pp"
            yield from mdoc(paragraph)
    yield ".El"


def words_of(names):
    return ".Cm " + " , ".join(names) + " ."


def taken_by(names, every):
    if len(names) == len(every):
        return ["Taken by all."]
    if 2 * len(names) > len(every):
        return ["Taken by all but", words_of([name for name in every if name not in names])]
    return ["Taken by", words_of(names)]


def manual_of_options(commands):
    every = [command.name for command in commands]
    options = sorted({name for command in commands for name in command.options})
    yield ".Bl -tag -width Ds"
    for name in options:
        takers = [command for command in commands if name in command.options]
        short, value, _ = takers[0].options[name]
        heading = f"Fl -{name}" + (f" Ns = Ns Ar {value}" if value else "")
        if short:
            heading = f"Fl {short}" + (f" Ar {value}" if value else "") + f" , {heading}"
        yield f".It {heading}"
        meanings = {}
        for command in takers:
            meanings.setdefault(command.options[name][2], []).append(command.name)
        usual = max(meanings, key=lambda text: len(meanings[text]))
        yield from mdoc(usual + ".")
        for meaning, names in meanings.items():
            if meaning != usual:
                yield from mdoc(f"Of {' and '.join(names)}: {meaning}.")
        yield from taken_by([command.name for command in takers], every)
    yield ".El"


def exports(program):
    """What there is, as the refusal of what there is not has it; perfetto is chrome."""
    refusal = subprocess.run([program, "export", "?", "run.db"], capture_output=True, text=True,
                             check=False).stderr
    return re.search("there are: (.*)", refusal)[1].replace(",", "") + " perfetto"


def wrapped(text, indent):
    return f"\n{indent}".join(textwrap.wrap(text, 88, break_long_words=False,
                                              break_on_hyphens=False))


def completion_lines(commands):
    yield "# The options of a command; = after those that have a value."
    yield "_prof_analyze_options() {"
    yield "\tcase $1 in"
    for command in commands:
        words = " ".join(f"--{name}" + "=" * bool(value)
                         for name, (_, value, _) in sorted(command.options.items()))
        yield f"\t{command.name})"
        yield '\t\techo "' + wrapped(words, "\t\t\t") + '"'
        yield "\t\t;;"
    yield "\tesac"
    yield "}"
    yield '_prof_analyze_commands="' + wrapped(" ".join(command.name for command in commands),
                                               "\t") + '"'
    valued = {name: short for command in commands
              for name, (short, value, _) in command.options.items() if value}
    yield '_prof_analyze_valued="' + wrapped(
        " ".join([f"--{name}" for name in sorted(valued)]
                 + [f"-{short}" for short in sorted(filter(None, valued.values()))]), "\t") + '"'


def main():
    program, template, output = sys.argv[1:]
    commands = read_commands(program)
    makers = {"@COMMANDS@": manual_of_commands, "@OPTIONS@": manual_of_options} \
        if template.endswith(".1.in") else {"@COMMANDS@": completion_lines}
    words = exports(program)
    with open(template, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(output, "w", encoding="utf-8") as out:
        for line in lines:
            out.writelines(f"{made}\n" for made in
                           (makers[line](commands) if line in makers else
                            [line.replace("@EXPORTS@", words)]))


if __name__ == "__main__":
    main()
