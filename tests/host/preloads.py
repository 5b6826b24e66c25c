#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A library that wraps what we wrap, before us and behind us in LD_PRELOAD."""
import os

import counting
import host
from host import expect, scenario

# What comes a different number of times without us, too, is in none of them.
PROGRAMS = ("wait_calls.c", "transfers.c", "streams.c")


def count(case, program, preloaded, **settings):
    """(the run, {function: how often the other library was asked for it})"""
    path = case.path("counts")
    case.database = case.path(f"{os.path.basename(program)}-{len(preloaded)}.db")
    environment = {**host.harness.plain_environment(), "COUNT_FILE": path, **settings,
                   "LD_PRELOAD": ":".join(preloaded)}
    if len(preloaded) > 1:
        environment["PROFSHIM_OUTPUT"] = case.database
    result = host.harness.run([program], env=environment, cwd=case.directory)
    counts = counting.read_counts(path)
    os.remove(path)
    return result, counts


@scenario
def another_that_wraps_all(case):
    """It is asked for each call that it is asked for without us, in both orders."""
    with open(case.path("other.c"), "w", encoding="utf-8") as file:
        file.write(counting.source())
    other = host.harness.compile_program(case.path("other.c"), case.path("other.so"),
                                         flags=["-shared", "-fPIC", "-Wl,-Bsymbolic"],
                                         hooks=False)
    for name in PROGRAMS:
        program = case.compile(name)
        alone, expected = count(case, program, [other])
        expect(len(expected) > 10, f"{name}: not counted, {alone}")
        for order in ([case.products.library, other], [other, case.products.library]):
            result, counts = count(case, program, order)
            who = f"{name}, {'us' if order[1] == other else 'the other'} first"
            expect(result.returncode == alone.returncode and result.stdout == alone.stdout,
                   f"{who}: {result}")
            missing = {function: (counts.get(function, 0), number)
                       for function, number in expected.items()
                       if counts.get(function, 0) < number}
            expect(not missing, f"{who}: asked less often: {missing}")
            host.harness.settle(case.products, case.database)


host.main()
