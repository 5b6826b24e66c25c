#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program whose tables for unwinding are damaged: it ends as without the shim."""
import os
import random
import struct
import subprocess

import host
from host import expect, harness, scenario

RANDOM_FLIPS = 250
WILD = (0x00, 0x01, 0x0c, 0x50, 0x7f, 0x80, 0x9b, 0xff)


def find_section(contents, wanted):
    """Where it begins in the file, and its size."""
    table, = struct.unpack_from("<Q", contents, 0x28)
    entry, count, names = struct.unpack_from("<HHH", contents, 0x3a)
    sections = [struct.unpack_from("<IIQQQQ", contents, table + entry * i) for i in range(count)]
    texts = sections[names][4]
    for name, _, _, _, offset, size in sections:
        end = contents.index(b"\0", texts + name)
        if contents[texts + name:end].decode() == wanted:
            return offset, size
    raise host.Failure(f"the program has no {wanted}")


def flips(size, seed):
    """(place, byte): every byte of the head in wild values, then by chance."""
    yield from ((place, value) for place in range(12) for value in WILD)
    chance = random.Random(seed)
    for _ in range(RANDOM_FLIPS):
        yield chance.randrange(size), chance.randrange(256)


def expect_same(case, program, seed, section):
    with open(program, "rb") as file:
        sound = file.read()
    start, size = find_section(sound, section)
    damaged = case.path("damaged")
    settings = {"PROFSHIM_COLLECTOR": "/nonexistent", "PROFSHIM_WAIT": "0"}
    wrong = []
    for place, value in flips(size, seed):
        contents = bytearray(sound)
        contents[start + place] = value
        with open(damaged, "wb") as file:
            file.write(contents)
        os.chmod(damaged, 0o755)
        plain = case.run_plain([damaged])
        recorded = case.run([damaged], settings)
        subprocess.run(["rm", "-rf", case.database + "-spool"], check=True)
        os.remove(damaged)  # else it is busy
        if (plain.returncode, plain.stdout) != (recorded.returncode, recorded.stdout):
            wrong.append(f"{section}+{place:#x} = {value:#x}: {recorded.returncode} instead "
                         f"of {plain.returncode}")
    expect(not wrong, f"seed {seed}, {len(wrong)} wrong: {wrong[:8]}")


@scenario
def damaged_header(case):
    """The table that is searched."""
    program = case.compile("deep_allocations.c", hooks=False)
    expect_same(case, program, int(os.environ.get("SEED", "24")), ".eh_frame_hdr")


@scenario
def sound_stacks(case):
    """Of sound tables all is used: whoever allocates is known, in each kind of frame."""
    program = case.compile("deep_allocations.c", hooks=False, flags=["-rdynamic"])
    case.unharmed([program])
    case.settle()
    names = harness.query(case.database, "SELECT DISTINCT name FROM functions")
    for name in ("by_number", "aligned", "handle", "main"):
        expect((name,) in names, f"{name} is not among {names}")


host.main()
