# SPDX-License-Identifier: MIT
"""What differs between runs without the shim and the one with it.

A field is the exit status, a line of a stream, or the kind, the mode and the lines of a
written file. What the runs without the shim do not agree on is not compared.
"""
import difflib
import os

SHOWN_LINES = 12


def without_hidden(case, field, data):
    for hidden_field, regex in case.hidden:
        if hidden_field == field:
            data = regex.sub(b"", data)
    return data


def compare_text(field, plain, recorded, varying):
    """Yields a sentence when recorded is none of the plain texts."""
    if recorded in plain:
        if len(set(plain)) > 1:
            varying.append(field)
        return
    split = [text.split(b"\n") for text in plain]
    ours = recorded.split(b"\n")
    if len(set(plain)) > 1:
        varying.append(field)
        if len({len(lines) for lines in split}) > 1:
            return
        if len(ours) == len(split[0]) and all(
                len(set(lines)) > 1 or line == lines[0]
                for line, *lines in zip(ours, *split)):
            return
    yield f"{field} differs:\n{difference(split[0], ours)}"


def difference(plain, recorded):
    def text(lines):
        return [line.decode(errors="backslashreplace")[:300] for line in lines]
    lines = list(difflib.unified_diff(text(plain), text(recorded), "plain", "recorded",
                                      lineterm="", n=0))
    more = [f"... {len(lines) - SHOWN_LINES} lines more"] if len(lines) > SHOWN_LINES else []
    return "\n".join(lines[:SHOWN_LINES] + more)


def compare_files(case, plain, recorded, varying):
    trees = [outcome.files for outcome in plain]
    always = set(trees[0]).intersection(*trees)
    sometimes = set(trees[0]).union(*trees) - always
    # Where names change from run to run, ours may be new ones as well.
    changing = {os.path.dirname(path) for path in sometimes}
    if sometimes:
        varying.append(f"names of {len(sometimes)} files")
    for path in sorted(always - set(recorded.files)):
        yield f"{path} was not written"
    for path in sorted(set(recorded.files) - always - sometimes):
        parents = {path[:i] for i, letter in enumerate(path) if letter == "/"}
        if not (parents | {os.path.dirname(path)}) & changing and not parents & sometimes:
            yield f"{path} was written, which is not without the shim"
    for path in sorted(always & set(recorded.files)):
        states = [tree[path] for tree in trees]
        ours = recorded.files[path]
        if ours[:2] not in {state[:2] for state in states}:
            yield (f"{path} is a {ours[0]} with mode {ours[1]:o}, not a {states[0][0]} with "
                   f"mode {states[0][1]:o}")
        yield from compare_text(path, [without_hidden(case, path, state[2])
                                       for state in states],
                                without_hidden(case, path, ours[2]), varying)


def differences(case, plain, recorded):
    """(sentences, fields that were compared in part or not at all)."""
    found, varying = [], []
    if recorded.status not in {outcome.status for outcome in plain}:
        found.append(f"ended with {recorded.status}, not {plain[0].status}")
    for field in ("stdout", "stderr"):
        found += compare_text(field, [without_hidden(case, field, outcome.streams[field])
                                      for outcome in plain],
                              without_hidden(case, field, recorded.streams[field]), varying)
    found += compare_files(case, plain, recorded, varying)
    for stray in recorded.strays:
        if stray not in plain[0].strays:
            found.append(f"left running: {stray}")
    return found, varying
