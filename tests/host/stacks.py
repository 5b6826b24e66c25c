#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples have stacks: what libc does stands below the counted function that called it, on
the path that it was called by."""
import os
import resource

import host
from host import NOBODY, expect, need_root, scenario

LEAST_SAMPLES = 20
OWN = ("thrice", "once", "copy", "much", "little", "compare", "finds", "block", "searches",
       "main")


def expect_share(name, part, whole, count, expected):
    share = part / whole
    deviation = (expected * (1 - expected) / max(count * whole, 1)) ** 0.5
    expect(abs(share - expected) < max(5 * deviation, 0.1),
           f"{name}: {share:.2f}, not {expected}, of {count * whole:.0f} samples")


def self_of(case, name, caller=None):
    """As parts of all, with what code without hooks did for it."""
    paths = f"SELECT path_id FROM call_paths WHERE name = '{name}'"
    if caller:
        paths += f" AND parent_path_id IN (SELECT path_id FROM call_paths WHERE name = '{caller}')"
    return case.value("SELECT TOTAL(self_cpu_ns) FILTER (WHERE path_id IN (SELECT * FROM own) OR "
                      "kind = 'frame' AND parent_path_id IN (SELECT * FROM own)) / "
                      "TOTAL(self_cpu_ns) FROM call_paths".replace("SELECT * FROM own", paths))


def record(case, settings=None, **options):
    program = case.compile("below.c", flags=["-O2", "-g"])
    result = case.unharmed([program], {"PROFSHIM_LEVEL": "full", **(settings or {})},
                           timeout=60, **options)
    expect(result.returncode == 0, f"ended with {result}")
    case.settle()
    for name in ("thrice", "finds"):
        entries = case.calls(name)
        expect(entries > 0 and entries % 2000 == 0, f"{entries:.0f} calls of {name}()")
    entries = case.calls("thrice")
    for name in ("once", "much", "little"):
        expect(case.calls(name) == entries, f"{case.calls(name):.0f} calls of {name}()")
    return not case.trust("sampling_refused")


def expect_parts(case):
    for name in ("thrice", "copy"):
        expect(case.value(f"SELECT recording FROM functions WHERE name = '{name}'") ==
               "sampled", f"{name}() has frames")
    count = case.value("SELECT TOTAL(count) FROM samples WHERE kind = 'code'")
    expect(count >= LEAST_SAMPLES, f"{count:.0f} samples")
    own = sum(self_of(case, name) for name in OWN)
    expect(own > 0.95, f"functions of others have {1 - own:.2f} of the time")
    thrice, once = self_of(case, "thrice"), self_of(case, "once")
    expect_share("thrice() of both", thrice, thrice + once, count, 0.75)
    much, little = self_of(case, "copy", "much"), self_of(case, "copy", "little")
    expect_share("copy() below much()", much, much + little, count, 0.9)
    expect(self_of(case, "finds") > self_of(case, "compare") / 10,
           "bsearch() is not finds()'s own")
    # wherever in it a sample is, behind the instructions that restore registers, too
    expect(self_of(case, "bsearch") - self_of(case, "bsearch", "finds") <=
           self_of(case, "finds") / 20,
           "nobody has called some of bsearch()")


@scenario
def callers_are_told(case):
    if record(case):
        expect_parts(case)


@scenario
def callers_are_told_by_the_timer(case):
    record(case, {"PROFSHIM_SAMPLES": "timer"})
    if case.trust("timer_samples"):
        expect_parts(case)


@need_root
def users_may_not_lock_memory(case):
    """Without room for stacks nothing is known but the addresses."""
    os.chmod(case.directory, 0o777)
    if record(case, user=NOBODY, group=NOBODY, extra_groups=[], preexec_fn=lambda:
              resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))):
        expect(case.trust("samples") >= LEAST_SAMPLES / 4, "there are no samples")


host.main()
