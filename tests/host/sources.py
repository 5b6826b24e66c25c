#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules about source files and whole C++ names, which the collector applies:
what is left is counted as without the rules, exactly."""
import os
import shutil

import host
from host import expect, scenario

RUN = {"engine::run(int)", "engine::run(long)"}
GEAR = {"engine::gear(int)"}
EQUAL = {"engine::Turn::operator==(engine::Turn const&) const"}
ENGINE = RUN | GEAR | EQUAL
PUSH = {"engine::Queue<int>::push(int)", "engine::Queue<double>::push(double)"}
POP = {"engine::Queue<int>::pop()", "engine::Queue<double>::pop()"}
QUEUES = PUSH | POP

RULES = [  # only, skip, what is left, or with a minus what is not
    ("file:engine.cpp", "", ENGINE),
    ("file:sourced/", "", ENGINE | QUEUES),
    ("file:host/*/engine.h,main", "", QUEUES | {"main"}),
    ("", "file:engine.?", None, QUEUES),
    ("", "file:sourced/,main", None, ENGINE | QUEUES | {"main"}),
    ("file:engine.cpp", "engine::run", GEAR | EQUAL),
    ("engine::Queue<*>::push", "", PUSH),
    ("engine::run(int),engine::*::operator==", "", {"engine::run(int)"} | EQUAL),
    ("file:no_such.c", "", set()),
]


def counts(case):
    return dict(host.harness.query(
        case.database,
        "SELECT full_name, SUM(calls) FROM functions WHERE calls > 0 AND "
        "linkage_name IS NOT NULL GROUP BY full_name"))


def build(case, **options):
    """The program; its second file is one more word for the compiler."""
    flags = options.pop("flags", ["-g"])
    second = os.path.join(host.HERE, "sourced", "engine.cpp")
    return case.compile("sourced.cpp", flags=["-pthread", *flags, second], **options)


def record(case, program, **settings):
    """Again, when the machine was too busy for an answer within 0.2 s."""
    for _ in range(20):
        if os.path.exists(case.database):
            os.remove(case.database)
        ran = case.unharmed([program], settings)
        case.settle()
        if case.trust("late_objects") == 0:
            return ran, counts(case)
    expect(False, f"no answer in time: {settings}")


def check_rules(case, **options):
    program = build(case, **options)
    _, whole = record(case, program)
    expect(whole.get("engine::run(int)") == 14, f"{whole}")
    for only, skip, wanted, *unwanted in RULES:
        _, found = record(case, program, PROFSHIM_ONLY=only, PROFSHIM_SKIP=skip)
        where = f"{options} only={only} skip={skip}"
        if wanted is None:
            wanted = whole.keys() - unwanted[0]
        expect(found.keys() == wanted, f"{where}: {sorted(found.keys() ^ wanted)}")
        for name, calls in found.items():
            expect(calls == whole[name], f"{where}: {name} {calls}, not {whole[name]}")
        expect(case.trust("unread_objects") == 0, f"{where}: not all was read")
        expect(case.trust("rules_without_functions") == ("no_such" in only),
               f"{where}: rules that fit nothing")


@scenario
def counts_gcc(case):
    check_rules(case, optimisation="-O2")


@scenario
def counts_gcc_without_optimisation(case):
    check_rules(case, optimisation="-O0")


@scenario
def counts_clang(case):
    if shutil.which("clang++"):
        check_rules(case, compiler="clang", optimisation="-O2")


@scenario
def counts_with_link_time_optimisation(case):
    check_rules(case, optimisation="-O2", flags=["-g", "-flto"])


@scenario
def without_debug_information(case):
    """It is said; a whole name needs none."""
    program = build(case, flags=["-g0"])
    _, found = record(case, program, PROFSHIM_ONLY="file:engine.cpp")
    expect(not found, f"{found}")
    expect(case.trust("unread_objects") == 1, "nothing is said")
    text = case.value("SELECT text FROM trust WHERE name = 'unread_objects'")
    expect("sourced: no function has a source line: built without -g?" in text, text)
    shown = case.run_plain([case.products.analyze, "doctor", case.database]).stdout
    expect("built without -g?" in " ".join(shown.split()), shown)
    shown = case.run_plain([case.products.analyze, "report", case.database]).stdout
    expect("rules about source files" in " ".join(shown.split()), shown)
    _, found = record(case, program, PROFSHIM_ONLY="engine::Queue<int>::pop")
    expect(set(found) == {"engine::Queue<int>::pop()"}, f"{found}")
    expect(case.trust("unread_objects") == 0, "of a whole name something is said")


@scenario
def by_command(case):
    program = build(case)
    command = [case.products.record, "-q", "-o", case.database, "--only"]
    refused = case.run_plain([*command, "component:queues", program])
    expect(refused.returncode == 2 and "module: or file:" in refused.stderr, f"{refused}")
    ran = case.run_plain([*command, "file:sourced/engine.h", program])
    expect(ran.returncode == 0, f"{ran}")
    expect(set(counts(case)) >= QUEUES, f"{counts(case)}")


@scenario
def objects_that_are_loaded_later(case):
    """A library is answered for when its first function is called."""
    library = case.path("plugin_one.so")
    os.rename(case.compile("plugin_one.c",
                           flags=["-shared", "-fPIC", "-g"]), library)
    program = case.compile("loads_late.c", flags=["-g"])
    case.unharmed([program, library], {"PROFSHIM_SKIP": "file:plugin_one.c"})
    found = counts(case)
    expect(found["use"] == 100 and found["main"] == 1, f"{found}")
    expect(found.get("plugin_run", 0) < 100, f"{found}")


if __name__ == "__main__":
    host.main()
