# SPDX-License-Identifier: MIT
"""What the tests of faults share: is a recording of fault_host.c complete, or who says
that it is not? And mounts that nobody else sees."""
import ctypes
import os
import subprocess

import host
from host import LeftOut, expect

STEPS, GROWS, BLOCKS = 1350, 7200, 105  # of fault_host.c
CLONE_NEWNS = 0x20000


refusal = None  # why nothing may be mounted here


def mount_privately():
    """Root may mount from here on, and nobody else sees it; where that cannot be had,
    expect_mounts() tells why."""
    global refusal
    if os.getuid():
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        refusal = f"no mount namespaces: {os.strerror(ctypes.get_errno())}"
        return
    made = subprocess.run(["mount", "--make-rprivate", "/"], check=False,
                          stderr=subprocess.DEVNULL)
    if made.returncode:
        refusal = "/ is no mount point, so that others would see what is mounted"


def expect_mounts():
    if refusal:
        raise LeftOut(refusal)


def told(case, output, recorded):
    """Complete, or who says what: the line, or doctor."""
    result = case.analyze("doctor", output)
    if "unrecorded" in recorded.message:
        return "line"
    expect(result.returncode == 0, f"doctor: {result}, line {recorded.message!r}")
    if "Nothing is wrong with this recording" not in result.stdout:
        return "doctor"
    expect("cannot recover" not in result.stderr, f"doctor finds nothing wrong: {result}")
    expect(host.harness.value(output, "SELECT TOTAL(calls) FROM functions WHERE "
                              "name IN ('step', 'grow')") == STEPS + GROWS,
           "calls are missing and nobody says so")
    return "complete"
