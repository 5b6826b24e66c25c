#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The flags of exclude-list leave out the functions that it names, no more and no less: the
program is recorded, and compiled again with them."""
import json
import re
import shlex

import host
from host import expect, scenario

# Not for a lambda, nor where the name is a part of one that stays.
BY_HAND = {"exclude_words.c": {"next"},
           "exclude_words.cpp": {"text::make", "main::{lambda#1}"}}
TOO_LONG = {"exclude_words.c": {"main", "next_block"},
            "exclude_words.cpp": {"main", "text::make_all"}}


def hooked(source, *flags):
    """The symbols of the functions that the compiler gives hooks."""
    command = ["g++" if source.endswith(".cpp") else "gcc", "-O0", "-S", "-o", "-",
               "-finstrument-functions", *flags, source]
    result = host.harness.run(command)
    expect(result.returncode == 0, f"{shlex.join(command)} failed:\n{result.stderr}")
    found, symbol = set(), None
    for line in result.stdout.splitlines():
        label = re.match(r"([A-Za-z_$][\w.$]*):", line)
        symbol = label.group(1) if label else symbol
        if "call" in line and "__cyg_profile_func_enter" in line:
            found.add(symbol)
    return found


def one_of_twins(symbol):
    """Constructors and destructors of an object and of a base are one function."""
    return re.sub(r"(?<=[a-zE\d])([CD])1(?=E)", r"\g<1>2", symbol)


def exclude(case, *arguments):
    result = case.analyze("exclude-list", case.database, "-f", "json", *arguments)
    expect(result.returncode == 0, f"exclude-list: {result}")
    return json.loads(result.stdout)


def look_at(case, name):
    program = case.compile(name, optimisation="-O0")
    source = host.os.path.join(host.HERE, name)
    case.run([program], {"PROFSHIM_LEVEL": "exact"})
    case.settle()
    document = exclude(case, "--min-share", "0.01", "--limit", "0")
    rows = {row["name"]: row for row in document["functions"]}
    by_hand = {name for name, row in rows.items() if row["by"] == "hand"}
    expect(by_hand == BY_HAND[name], f"by hand: {by_hand}")
    expect(not TOO_LONG[name] & set(rows), f"to leave out: {set(rows)}")
    symbols = dict(host.harness.query(case.database, "SELECT name, COALESCE(linkage_name, name) "
                                                     "FROM functions WHERE calls > 0"))
    chosen = {one_of_twins(symbols[name]) for name in set(rows) - by_hand}
    left_out = hooked(source) - hooked(source, *shlex.split(document["flags"]["gcc"]))
    left_out = {one_of_twins(symbol) for symbol in left_out}
    expect(left_out == chosen, f"{document['flags']['gcc']} leaves out {left_out ^ chosen} "
                               "otherwise than it says")
    expect(all(row["saved_ns"] > 0 and row["calls"] >= 1000 for row in rows.values()),
           f"not worth it: {rows}")
    return rows


@scenario
def names_of_c(case):
    rows = look_at(case, "exclude_words.c")
    expect(rows["slot"]["word"] == "slot" and rows["get_slot"]["by"] == "name", f"{rows}")
    text = case.analyze("exclude-list", case.database).stdout
    expect("\n-finstrument-functions-exclude-function-list=" in text, f"in text: {text}")
    text = case.analyze("exclude-list", case.database, "--limit", "1").stdout
    expect("1 of 3 functions" in text, f"with a limit: {text}")


@scenario
def names_of_cpp(case):
    look_at(case, "exclude_words.cpp")


@scenario
def flags_of_clang(case):
    """What is inlined has no hooks."""
    program = case.compile("exclude_words.c", optimisation="-O0")
    case.run([program])
    case.settle()
    flag = exclude(case)["flags"]["clang"]
    source = host.os.path.join(host.HERE, "exclude_words.c")
    for flags, count in (([flag], False), (["-finstrument-functions"], True)):
        result = host.harness.run(["clang", "-O2", "-S", "-o", "-", *flags, source])
        expect(result.returncode == 0, f"clang {flags}: {result.stderr}")
        body = re.search(r"^main:.*?^\s*\.size\s+main", result.stdout, re.M | re.S).group()
        expect(("slot" in body) == count, f"clang {flags}: hooks of inlined functions")


host.main()
