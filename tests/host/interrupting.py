#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Signals that interrupt a program in code of ours: what is unwound without us is unwound."""
import os

import host
from host import expect, scenario


def build(case, *flags, pie=True):
    """Object code is not linked by the compiler that makes C++ of it."""
    place = [] if pie else ["-fno-pie"]
    step = host.harness.compile_program(os.path.join(host.HERE, "in_stubs_step.c"),
                                        case.path("in_stubs_step.o"), flags=["-c", *place])
    return case.compile("in_stubs.cpp", flags=[
        "-fnon-call-exceptions", *place, *([] if pie else ["-no-pie"]), step, "-pthread",
        *flags])


def interrupt(case, program, *ways):
    for way in ways:
        case.database = case.path(way + ".db")
        case.unharmed([program, way], {"PROFSHIM_LEVEL": "basic"})
        case.settle()
        recording = case.value("SELECT recording FROM functions WHERE name = 'step'")
        expect(recording != "exact", f"{way}: step() was not led elsewhere")


@scenario
def any_instruction(case):
    interrupt(case, build(case), "cancels", "throws", "traces")


@scenario
def at_a_fixed_address(case):
    interrupt(case, build(case, pie=False), "cancels", "throws", "traces")


@scenario
def with_an_unwinder_in_the_program(case):
    # with another one in libc's place no cancelled thread is unwound, without us neither
    interrupt(case, build(case, "-static-libgcc", "-static-libstdc++"), "throws", "traces")


@scenario
def by_libunwind(case):
    """Linked first, it carries the exceptions, too."""
    program = build(case, "-DWITH_LIBUNWIND", "-Wl,--no-as-needed", "-l:libunwind.so.8")
    interrupt(case, program, "throws", "traces")


@scenario
def without_patches(case):
    """The hooks and their slow paths, at any instruction of theirs."""
    program = build(case)
    for settings in {"PROFSHIM_LEVEL": "exact"}, {"PROFSHIM_LEVEL": "basic",
                                                  "PROFSHIM_PATCH": "off"}:
        for way in "cancels", "throws", "traces":
            case.unharmed([program, way], settings)


if __name__ == "__main__":
    host.main()
