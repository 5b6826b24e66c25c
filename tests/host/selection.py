#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which functions are recorded, as the user asks: what is left is counted as without the
rules, exactly; what is left out is nowhere, and its hooks are cut out of the code."""
import os

import host
from host import expect, scenario

RULES = [  # only, skip, what is left of the names below acme and main
    ("", "acme::net::send", None),
    ("main,work", "", {"main", "work(int)"}),
    ("acme::Parser::*", "", {"acme::Parser::Parser(int)", "acme::Parser::~Parser()",
                             "acme::Parser::next()", "acme::Parser::next(int)"}),
    ("acme::Parser::next", "", {"acme::Parser::next()", "acme::Parser::next(int)"}),
    ("namespace:acme::net", "", {"acme::net::send(int)", "acme::net::receive(int)"}),
    ("namespace:acme", "namespace:acme::net,*next*,*twice*",
     {"acme::Parser::Parser(int)", "acme::Parser::~Parser()"}),
    ("_ZN4acme3net4sendEi,fib*", "", {"acme::net::send(int)", "fibonacci(int)"}),
    ("module:chosen*", "main,work", None),
    ("module:*/chosen", "", None),
    ("main", "main", set()),
]


def counts(case):
    return dict(host.harness.query(
        case.database,
        "SELECT full_name, SUM(calls) FROM functions WHERE calls > 0 AND "
        "linkage_name IS NOT NULL GROUP BY full_name"))


def count_functions(case):
    return case.value("SELECT COUNT(*) FROM functions WHERE calls > 0 AND "
                      "linkage_name IS NOT NULL")


def record(case, program, **settings):
    if os.path.exists(case.database):
        os.remove(case.database)
    ran = case.unharmed([program], settings)
    case.settle()
    return ran, counts(case)


def plain_name(name):
    return name.split("(")[0]


def check_rules(case, compiler, optimisation):
    program = case.compile("chosen.cpp", compiler=compiler, optimisation=optimisation,
                           flags=["-pthread"])
    _, whole = record(case, program)
    whole_count = count_functions(case)
    expect(case.trust("off_functions") == 0, "functions are off that nobody named")
    for only, skip, wanted in RULES:
        _, found = record(case, program, PROFSHIM_ONLY=only, PROFSHIM_SKIP=skip)
        where = f"{compiler} {optimisation} only={only} skip={skip}"
        if wanted is None:
            skipped = [plain_name(word) for word in skip.split(",")]
            wanted = {name for name in whole if plain_name(name) not in skipped}
        expect(found.keys() == wanted, f"{where}: {sorted(found.keys() ^ wanted)}")
        for name, calls in found.items():
            expect(calls == whole[name], f"{where}: {name} {calls}, not {whole[name]}")
        expect(case.trust("off_functions") == whole_count - count_functions(case),
               f"{where}: {case.trust('off_functions')} of {whole_count} are off")
        expect(case.trust("rules_without_functions") == 0, f"{where}: a rule fits nothing")
        expect(case.trust("orphan_exits") == 0, f"{where}: orphans")


@scenario
def counts_gcc(case):
    for optimisation in ("-O0", "-O2"):
        check_rules(case, "gcc", optimisation)


@scenario
def counts_clang(case):
    for optimisation in ("-O0", "-O2"):
        check_rules(case, "clang", optimisation)


@scenario
def half_of_any_program(case):
    """Every second function of programs that jump, throw, fork, and load objects."""
    for name in ("recursion.c", "longjmps.c", "exceptions.cpp", "threads.c", "forks.c",
                 "signal_storm.c", "coroutines.c", "musttail.c"):
        compiler = "clang" if name == "musttail.c" else "gcc"
        program = case.compile(name, compiler=compiler)
        if os.path.exists(case.database):
            os.remove(case.database)
        case.run([program])
        case.settle()
        whole = dict(host.harness.query(
            case.database, "SELECT linkage_name, calls FROM functions WHERE calls > 0 "
                           "AND linkage_name IS NOT NULL"))
        kept = sorted(whole)[::2]
        os.remove(case.database)
        case.unharmed([program], {"PROFSHIM_ONLY": ",".join(kept)})
        case.settle()
        found = dict(host.harness.query(
            case.database, "SELECT linkage_name, calls FROM functions WHERE calls > 0 "
                           "AND linkage_name IS NOT NULL"))
        expect(sorted(found) == kept, f"{name}: {sorted(found)}, not {kept}")
        for function, calls in found.items():
            expect(calls == whole[function] or "storm" in name,
                   f"{name}: {function} {calls}, not {whole[function]}")


@scenario
def cut_out(case):
    """The hooks of what is left out are not even called."""
    program = case.compile("chosen.cpp", flags=["-pthread"])
    record(case, program, PROFSHIM_ONLY="main")
    expect(case.trust("patched_sites") >= 16, f"{case.trust('patched_sites')} sites")
    expect(0 < case.trust("rewritten_functions") <= case.trust("patched_sites"),
           f"{case.trust('rewritten_functions')} functions were rewritten")
    expect(case.trust("early_sites") * 8 <= case.trust("patched_sites"),
           f"{case.trust('early_sites')} sites could not be written")
    expect(sum(counts(case).values()) == 1, f"{counts(case)}")


@scenario
def said(case):
    """What is wrong with a list, and rules that fit nothing."""
    program = case.compile("chosen.cpp", flags=["-pthread"])
    for list_ in ("parse:enter", "main,,work", "line:a.c", ",".join(["f"] * 65)):
        ran, found = record(case, program, PROFSHIM_SKIP=list_)
        expect(f"PROFSHIM_SKIP={list_}"[:60] in ran.message, f"{list_}: {ran.message!r}")
        expect("main" in found and "fibonacci(int)" in found, f"{list_}: {sorted(found)}")
    record(case, program, PROFSHIM_ONLY="main,no_such", PROFSHIM_SKIP="namespace:none")
    text = case.value("SELECT text FROM trust WHERE name = 'rules_without_functions'")
    expect(text == "no_such, none", f"said {text!r}")
    expect(case.trust("rules_without_functions") == 2, "not two")


@scenario
def by_command(case):
    program = case.compile("chosen.cpp", flags=["-pthread"])
    ran = case.run_plain([case.products.record, "-q", "-o", case.database, "--only",
                          "main,fib*", "--skip", "main", program])
    expect(ran.returncode == 0, f"{ran}")
    expect(set(counts(case)) == {"fibonacci(int)"}, f"{counts(case)}")
    refused = case.run_plain([case.products.record, "--only", "a:b", program])
    expect(refused.returncode == 2 and "--only does not take" in refused.stderr, f"{refused}")


@scenario
def spans_by_command(case):
    """--spans is PROFSHIM_SPANS: what is kept, or why not."""
    program = case.compile("chosen.cpp", flags=["-pthread"])
    for given, floor in (("off", 0), ("2ms", 2000000), ("auto", 10000)):
        if os.path.exists(case.database):
            os.remove(case.database)
        ran = case.run_plain([case.products.record, "-q", "-o", case.database, "--spans", given,
                              program])
        expect(ran.returncode == 0, f"{ran}")
        expect(case.trust("span_floor_ns") == floor, f"{given}: {case.trust('span_floor_ns')}")
    for wrong in ("", "10", "-1ms", "1h", "2d", "90000s", "0us", "Off"):
        refused = case.run_plain([case.products.record, "--spans", wrong, program])
        expect(refused.returncode == 2 and "--spans takes auto, off or a time" in refused.stderr,
               f"{wrong}: {refused}")


@scenario
def objects_that_come_and_go(case):
    for name in ("plugin_one", "plugin_two"):
        os.rename(case.compile(name + ".c", flags=["-shared", "-fPIC"]),
                  case.path(name + ".so"))
    program = case.compile("plugins.c", flags=["-pthread"])
    _, whole = record(case, program)
    _, found = record(case, program, PROFSHIM_ONLY="module:plugin_*,main",
                      PROFSHIM_SKIP="plugin_run")
    expect(whole["one_step"] == 10000 and whole["plugin_run"] == 20, f"{whole}")
    expect(found == {"main": 1, "one_step": 10000, "two_step": 20000}, f"{found}")


if __name__ == "__main__":
    host.main()
