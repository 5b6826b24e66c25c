#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PROFSHIM_SAMPLES=timer: a signal interrupts each thread now and then, and the program
does not notice it, whatever it does with signals, stacks, children and system calls. Where
the kernel refuses samples it is the default."""
import ctypes
import errno
import os
import struct

import host
from host import expect, scenario

SETTINGS = {"PROFSHIM_SAMPLES": "timer"}
# One comes with each tick of the scheduler, which is 10 ms at most.
LEAST_SAMPLES = 10
PERF_EVENT_OPEN = 298
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38


def record(case, condition, is_noted=False):
    program = case.compile("timed.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, condition], SETTINGS, brief=True, timeout=60)
    expect(result.returncode == 0, f"{condition}: {result}")
    case.settle()
    samples = case.trust("timer_samples")
    expect(samples >= LEAST_SAMPLES, f"{samples:.0f} samples of the timer")
    expect(case.trust("samples") == samples, "there are others, too")
    if is_noted is not None:
        expect(case.trust("note_timer_ended") == is_noted,
               f"the note is {case.trust('note_timer_ended'):.0f}")


@scenario
def a_thread_waits_for_all_signals(case):
    record(case, "waited")


@scenario
def signals_are_read_from_a_descriptor(case):
    record(case, "read")


@scenario
def none_is_pending_where_all_are_blocked(case):
    record(case, "masked")


@scenario
def all_signals_get_their_default(case):
    record(case, "reset")


@scenario
def no_call_ends_early(case):
    record(case, "calls")


@scenario
def coroutines_have_their_stacks_to_themselves(case):
    record(case, "made", is_noted=True)


@scenario
def so_have_those_that_are_switched_by_hand(case):
    record(case, "switched", is_noted=True)


@scenario
def a_signal_stack_is_too_small_for_handlers(case):
    record(case, "tight", is_noted=True)


@scenario
def threads_are_cancelled(case):
    record(case, "cancelled", is_noted=True)


@scenario
def another_image_begins_while_a_signal_is_pending(case):
    # whether the timer is looked at while its signal is blocked is a matter of time
    record(case, "executed", is_noted=None)


@scenario
def children_come_by_all_ways(case):
    record(case, "spawned")


@scenario
def a_filter_kills_who_returns_from_a_handler(case):
    record(case, "filtered", is_noted=True)


def refuse_samples():
    """In the child, before the program: as a container's filter does, with EPERM."""
    code = b"".join(struct.pack("HBBI", *words) for words in (
        (0x20, 0, 0, 0), (0x15, 0, 1, PERF_EVENT_OPEN),
        (0x06, 0, 0, 0x50000 | errno.EPERM), (0x06, 0, 0, 0x7fff0000)))
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or \
            libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0):
        os._exit(9)


def record_refused(case, settings):
    program = case.compile("sampled.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, "plain"], settings, brief=True, timeout=60,
                           preexec_fn=refuse_samples)
    expect(result.returncode == 0, f"ended with {result}")
    case.settle()
    return case.analyze("doctor", case.database).stdout


@scenario
def the_kernel_refuses(case):
    said = record_refused(case, {})
    samples = case.trust("timer_samples")
    expect(samples >= LEAST_SAMPLES, f"{samples:.0f} samples of the timer")
    reason = case.value("SELECT text FROM trust WHERE name = 'timer_samples'")
    expect(reason == "Operation not permitted", f"refused as {reason!r}")
    expect(case.trust("sampling_refused") == 0, "and are said to be none")
    expect("by a timer" in said and "perf_event_paranoid" in said, f"said {said!r}")
    parts = [case.value("SELECT TOTAL(cpu_ns) FROM samples WHERE kind = 'code' AND "
                        f"outer_name = '{name}'") for name in ("three_parts", "one_part")]
    share = parts[0] / sum(parts)
    deviation = (0.75 * 0.25 / samples) ** 0.5
    expect(abs(share - 0.75) < max(5 * deviation, 0.15), f"three parts of four are {share:.2f}")


@scenario
def the_kernel_refuses_and_nobody_wants_signals(case):
    said = record_refused(case, {"PROFSHIM_SAMPLES": "off"})
    expect(case.trust("samples") == 0, "samples were taken")
    expect("by a timer" not in said, f"said {said!r}")


host.main()
