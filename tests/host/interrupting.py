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


# 120 calls each. A handler may come before compute() is there, and throw.
COUNT = {"cancels": ("be_cancelled", "compute", "Object::~Object"),
         "throws": ("throw_on", "start_timer", "Object::~Object")}


def interrupt(case, program, *ways, **settings):
    settings = settings or {"PROFSHIM_LEVEL": "basic"}
    is_patched = settings == {"PROFSHIM_LEVEL": "basic"}
    for way in ways:
        case.database = case.path(f"{way}{len(os.listdir(case.directory))}.db")
        case.unharmed([program, way], settings, brief=True)
        case.settle()
        recording = case.value("SELECT recording FROM functions WHERE name = 'step'")
        expect(recording != "exact" or not is_patched, f"{way}: step() was not led elsewhere")
        expect(case.trust("open_frames") == 0, f"{way}: {case.trust('open_frames')} are open")
        for name in COUNT.get(way, ()):
            expect(case.calls(name) == 120, f"{way}: {case.calls(name)} calls of {name}()")


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
def exact(case):
    """The hooks and their slow paths, at any instruction of theirs."""
    interrupt(case, build(case), "cancels", "throws", "traces", PROFSHIM_LEVEL="exact")


@scenario
def without_patches(case):
    interrupt(case, build(case), "cancels", "throws", "traces", PROFSHIM_LEVEL="basic",
              PROFSHIM_PATCH="off")


if __name__ == "__main__":
    host.main()
