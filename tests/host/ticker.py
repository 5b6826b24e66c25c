# SPDX-License-Identifier: MIT
"""ticker.c seen from the test: what the program itself has counted."""
import os
import struct

import host
from host import expect


def counted(case):
    """(ticks, blocks) over all threads, as the program counted them."""
    with open(case.path("counts"), "rb") as file:
        words = struct.unpack("<512Q", file.read(4096))
    return sum(words[0::8]), sum(words[1::8])


def ticking(case):
    """True once the program counts."""
    return os.path.exists(case.path("counts")) and \
        os.path.getsize(case.path("counts")) == 4096 and counted(case)[0] > 0


def start(case, program, threads=1, calls=None, **options):
    """Starts it and waits for its first call."""
    if os.path.exists(case.path("counts")):
        os.remove(case.path("counts"))
    command = [program, case.path("counts"), str(threads)]
    process = case.start(command + ([str(calls)] if calls else []), **options)
    expect(host.harness.wait_until(lambda: ticking(case)), "the program does not start")
    return process


def expect_counts(case, in_flight):
    """The record of the latest run has what the program counted; every thread may have
    been killed inside the one call that it has counted and we have not, or the reverse."""
    ticks, blocks = counted(case)
    run = case.value("SELECT MAX(run_id) FROM runs")
    recorded = case.value("SELECT TOTAL(calls) FROM functions "
                          f"WHERE name = 'tick' AND run_id = {run}")
    expect(abs(recorded - ticks) <= in_flight,
           f"{recorded:.0f} calls are recorded, the program counted {ticks}")
    recorded = case.value("SELECT TOTAL(alloc_count) FROM allocation_sites "
                          f"WHERE name = 'block' AND run_id = {run}")
    expect(abs(recorded - blocks) <= in_flight,
           f"{recorded:.0f} allocations are recorded, the program counted {blocks}")
