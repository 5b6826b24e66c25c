#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Addresses that a program has chosen are free, and its heap grows where it is."""
import host
from host import expect, scenario

SKIPPED = 77  # the exit status of a program that may not have what it needs
FIXED = ["-fno-pie", "-no-pie"]


def take(case, *words):
    program = case.compile("takes_addresses.c", flags=FIXED)
    plain = case.run_plain([program, *words])
    if plain.returncode == SKIPPED:
        raise host.LeftOut("places cannot be made known")
    expect(plain.returncode == 0 and "refused below: 0\nrefused above: 0" in plain.stdout,
           f"{plain}")
    recorded = case.run([program, *words], {"PROFSHIM_LEVEL": "basic"})
    expect(recorded.returncode == 0 and recorded.stdout == plain.stdout, f"{recorded}")
    case.settle()
    recording = case.value("SELECT recording FROM functions WHERE name = 'step'")
    expect(recording != "exact", "step() was not led elsewhere")
    said = int(recorded.stderr.split("steps ")[1])
    expect(case.calls("step") == said, f"{case.calls('step')} calls instead of {said}")


@scenario
def around_a_fixed_program(case):
    take(case)


@scenario
def nothing_is_moved_without_hooks(case):
    """maxima begins with the heap of its saved image, and crashed where that was moved."""
    program = case.compile("heap_place.c", flags=[*FIXED, "-fno-instrument-functions"])
    plain = case.run_plain([program])
    if plain.returncode == SKIPPED:
        raise host.LeftOut("places cannot be made known")
    expect(plain.stdout == "heap is at the end: 1\n", f"{plain}")
    recorded = case.run([program])
    expect(recorded.returncode == 0 and recorded.stdout == plain.stdout, f"{recorded}")


@scenario
def without_random_places(case):
    """The heap begins right behind the program."""
    take(case, "fixed")


@scenario
def right_where_our_code_is(case):
    program = case.compile("takes_arena.c")
    recorded = case.run([program], {"PROFSHIM_LEVEL": "basic"})
    expect(recorded.returncode == 0, f"{recorded}")
    taken, said = map(int, recorded.stderr.split()[1::2])
    expect(taken > 0, "no code of ours was found")
    case.settle()
    expect(case.calls("step") == said, f"{case.calls('step')} calls instead of {said}")


if __name__ == "__main__":
    host.main()
