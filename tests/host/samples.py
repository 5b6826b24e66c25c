#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples of CPU time tell where it went, whatever the program does with its descriptors,
limits, children, threads and system calls; and the program does not notice. Where the kernel
gives none, trust says so."""
import host
from host import expect, need_root, scenario

# Where a sample seems to cost much they come once in 10 ms.
LEAST_SAMPLES = 10


def has_samples(case):
    """Of a kernel that lets nobody sample a recording says that, and has none."""
    samples, refused = case.trust("samples"), case.trust("sampling_refused")
    if not refused:
        return True
    reason = case.value("SELECT text FROM trust WHERE name = 'sampling_refused'")
    expect(reason, "no reason is told why there are no samples")
    expect(samples == 0, f"{samples:.0f} samples of a kernel that refuses them: {reason}")
    return False


def expect_times(case, deviation):
    """The two functions have the time of the code that is inlined into them."""
    times = {name: case.value("SELECT self_cpu_ns FROM functions WHERE name = "
                              f"'{name}'")
             for name in ("three_parts", "one_part", "both", "work")}
    share = (times["three_parts"] + times["one_part"]) / sum(times.values())
    expect(share > 0.7, f"of the work's time the two functions have {share:.2f}: {times}")
    share = times["three_parts"] / (times["three_parts"] + times["one_part"])
    expect(abs(share - 0.75) < max(5 * deviation, 0.15),
           f"of their time three parts of four are {share:.2f}: {times}")


def expect_shares(case):
    shares = {name: case.value("SELECT TOTAL(cpu_ns) FROM samples WHERE kind = 'code' AND "
                               f"outer_name = '{name}'")
              for name in ("three_parts", "one_part")}
    count = case.value("SELECT TOTAL(count) FROM samples WHERE outer_name IN "
                       "('three_parts', 'one_part')")
    expect(count >= LEAST_SAMPLES, f"{count:.0f} samples in the two functions")
    share = shares["three_parts"] / sum(shares.values())
    deviation = (0.75 * 0.25 / count) ** 0.5
    expect(abs(share - 0.75) < max(5 * deviation, 0.15),
           f"three parts of four are {share:.2f}: {shares}")
    if case.value("SELECT recording <> 'exact' FROM functions WHERE name = 'three_parts'"):
        expect_times(case, deviation)
    listed = case.value("SELECT TOTAL(count) FROM samples")
    expect(case.trust("samples") == listed, f"{listed:.0f} samples have a row")


def record(case, condition, settings=None):
    program = case.compile("sampled.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, condition], settings, brief=True, timeout=60)
    expect(result.returncode == 0, f"{condition}: {result}")
    case.settle()
    entries = case.calls("both")
    expect(entries > 0 and entries % 2000 == 0, f"{entries:.0f} calls of both()")
    expect(case.calls("three_parts") == entries == case.calls("one_part"),
           f"{case.calls('three_parts'):.0f} and {case.calls('one_part'):.0f} calls of "
           f"{entries:.0f}")


@scenario
def shares_are_told(case):
    record(case, "plain")
    if has_samples(case):
        expect_shares(case)


@scenario
def shares_are_told_of_exact_calls(case):
    record(case, "plain", {"PROFSHIM_LEVEL": "exact"})
    if has_samples(case):
        expect_shares(case)
        expect(case.trust("sampled_hook_ns") > 0, "no sample is in the hooks")


@scenario
def what_had_no_room_is_told_at_once(case):
    """Of what a ring has lost at the end of a thread the kernel never tells."""
    result = case.unharmed([case.compile("last_stretch.c")], timeout=60)
    expect(result.returncode == 0, f"{result}")
    case.settle()
    if has_samples(case):
        sampled, computed = case.trust("sampled_ns"), case.value(
            "SELECT TOTAL(cpu_ns) FROM threads")
        expect(sampled > 0.8 * computed, f"{sampled} ns of {computed} are known")


@need_root
def a_call_of_libc_has_its_own(case):
    """What the kernel did for it is not its caller's, which has the next hook."""
    result = case.unharmed([case.compile("reads_zeros.c")], timeout=60)
    expect(result.returncode == 0, f"{result}")
    case.settle()
    if has_samples(case):
        count = {name: case.value("SELECT TOTAL(s.count) FROM samples s JOIN call_paths p USING "
                                  f"(path_id) WHERE s.kind = 'code' AND p.name = '{name}'")
                 for name in ("read", "take")}
        expect(count["read"] > 5 * count["take"], f"samples: {count}")


@scenario
def descriptors_are_closed(case):
    record(case, "closed")
    if has_samples(case):
        expect_shares(case)


@scenario
def children_have_their_own(case):
    record(case, "forks")
    if has_samples(case):
        expect_shares(case)


@scenario
def threads_have_their_own(case):
    record(case, "threads")
    if has_samples(case):
        expect_shares(case)


@scenario
def a_thread_that_is_switched_is_sampled_in_part(case):
    """Samples all the time would cost too much. Those in a part of it tell of all."""
    program = case.compile("sampled.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, "turns"], timeout=60)
    expect(result.returncode == 0, f"turns: {result}")
    case.settle()
    if case.trust("sampling_refused") or case.trust("declined_sample_rings"):
        return
    sampled = case.value("SELECT TOTAL(s.cpu_ns) FROM samples s JOIN call_paths p USING (path_id)")
    computed = case.value("SELECT cpu_ns FROM threads ORDER BY thread_id LIMIT 1")
    rate = case.trust("samples") / (computed / 1e9)
    expect(0.5 < sampled / computed < 1.6, f"{sampled} ns of {computed} ns are known")
    expect(rate < 2500, f"{rate:.0f} samples in a second of CPU time, at 4,000 while it has any")
    times = {name: case.value(f"SELECT self_cpu_ns FROM functions WHERE name = '{name}'")
             for name in ("three_parts", "one_part")}
    share = times["three_parts"] / sum(times.values())
    expect(abs(share - 0.75) < 0.15, f"three parts of four are {share:.2f}: {times}")


@scenario
def samples_of_a_small_part_say_nothing(case):
    """A thread has samples at first; then it is switched so often that it has none for a
    while, which the run may not outlive. What it did later is not told by those."""
    program = case.compile("sampled.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, "switched"], brief=True, timeout=60)
    expect(result.returncode == 0, f"switched: {result}")
    case.settle()
    times = {name: case.value(f"SELECT TOTAL(self_cpu_ns) FROM functions WHERE name = '{name}'")
             for name in ("three_parts", "one_part", "both", "work_in_turns")}
    expect(times["three_parts"] + times["one_part"] > times["work_in_turns"],
           f"who only calls took the time: {times}")


@scenario
def sleeps_beside_samples_are_told(case):
    """At the end of a call a sample has come, and the thread had slept: what draining the
    sample takes is the recorder's, the sleep is not."""
    program = case.compile("sampled.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, "slept"], brief=True, timeout=60)
    expect(result.returncode == 0, f"slept: {result}")
    case.settle()
    slept = case.value("SELECT self_blocked_ns FROM functions WHERE "
                       "name = 'compute_and_sleep'")
    expect(slept >= 50 * 4e6 * 0.95, f"50 sleeps of 4 ms: {slept / 1e6:.1f} ms")


@scenario
def no_descriptor_is_free(case):
    record(case, "full")
    expect(case.trust("samples") == 0, "samples without a descriptor")
    expect(case.trust("sampling_refused") > 0, "that they were refused is not told")


@scenario
def no_memory_may_be_locked(case):
    record(case, "locked")
    if has_samples(case):  # root needs none, nor does who has some left
        expect_shares(case)


@scenario
def a_filter_kills_who_asks(case):
    record(case, "filtered")
    expect(case.trust("samples") == 0, "samples in spite of the filter")


@scenario
def nobody_wants_them(case):
    record(case, "plain", {"PROFSHIM_SAMPLES": "off"})
    expect(case.trust("samples") == 0, "samples were taken")
    expect(case.trust("sampling_refused") == 0, "they were asked for")


@scenario
def a_rate_is_asked_for(case):
    record(case, "plain", {"PROFSHIM_SAMPLES": "100"})
    if has_samples(case):
        expect(case.trust("sample_period_us") == 10000,
               f"a period of {case.trust('sample_period_us'):.0f} us")


@scenario
def a_wrong_rate_is_told_once(case):
    program = case.compile("sampled.c", flags=["-pthread", "-O2", "-g"])
    result = case.unharmed([program, "plain"], {"PROFSHIM_SAMPLES": "banana"}, brief=True,
                           timeout=60)
    expect("PROFSHIM_SAMPLES=banana" in result.message, f"said {result.message!r}")
    case.settle()
    expect(case.trust("note_setting_ignored") > 0, "trust does not have it")


host.main()
