#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that forbid themselves system calls (seccomp): none of ours kills them, what was
recorded until then is exact, and what is missing is told. And programs that lock their
memory: what is locked is theirs, and so is what a core file would hold."""
import os
import re
import resource
import time

import host
from host import expect, need_root, scenario

DENIED_CALLS = 6
# All calls of sandboxed.c up to where the lists differ: known() and known_block() with the
# thread's, later_block(), grow() with left() or right(), deep(), the rest. And the blocks
# that heap() takes: it has no path any more, which counts as folded, too. So does what
# exit() writes, "done": a call of libc behind the list, for which no node is left. What is
# written before stays with the node that the first fflush() made.
CALLS = 2100 + 2001 + 10 + 8000 * 27 + 5001 + 8
HEAP_BLOCKS = 200
EXIT_WRITES = 1
CAP_IPC_LOCK = 14
NOBODY_LIMIT = 8 << 20


def record(case, program, *arguments):
    started = time.monotonic()
    result = case.unharmed([program, *arguments], {"PROFSHIM_WAIT": "60"})
    expect(time.monotonic() - started < 50, f"kept waiting with {arguments}")
    expect(not result.message, f"printed {result.message!r}")
    host.harness.wait_until(lambda: not case.collectors())
    case.settle()
    return result


def clear(case):
    for name in os.listdir(case.directory):
        if name.startswith("run.db"):
            host.remove(case.path(name)) if os.path.isdir(case.path(name)) \
                else os.remove(case.path(name))


def sealed(case, name, way, more_calls=0, late_calls=0):
    """late_calls: by a thread that is not recorded any more."""
    program = case.compile("sandboxed.c")
    result = record(case, program, name, way)
    expect("sandbox: 0 0\n" in result.stdout and "done" in result.stdout,
           f"{result}")
    what = f"{name} by {way}: "
    expect(case.calls("known") == 2100, f"{what}{case.calls('known'):.0f} calls, not 2100")
    blocks = case.value("SELECT TOTAL(alloc_count) FROM functions "
                        "WHERE name = 'known_block'")
    expect(blocks == 2001, f"{what}{blocks:.0f} blocks, not 2001")
    blocks = case.value("SELECT TOTAL(alloc_count) FROM functions "
                        "WHERE name = 'later_block'")
    expect(blocks == 10, f"{what}{blocks:.0f} later blocks, not 10")
    expect(case.calls("grow") > 1000, f"{what}nothing was reserved")
    calls, folded = case.trust("hook_calls"), case.trust("folded_paths")
    total = CALLS + HEAP_BLOCKS + EXIT_WRITES + more_calls
    expect(folded > 0 and calls + folded == total,
           f"{what}{calls:.0f} calls and {folded:.0f} folded, not {total}")
    expect(case.trust("note_sealed") == 1 and case.trust("note_no_space") == 0,
           f"{what}the note is missing or wrong")
    expect(case.trust("late_events") >= late_calls, f"{what}late calls are not counted")
    expect(case.trust("dropped_allocations") == (1 if late_calls else 0),
           f"{what}{case.trust('dropped_allocations'):.0f} allocations dropped")
    expect(case.value("SELECT complete FROM processes") == 1 and
           case.value("SELECT exit_code FROM processes") == 5, f"{what}not complete")
    doctor = case.analyze("doctor", case.database)
    expect("seccomp" in doctor.stdout, f"doctor does not tell: {doctor.stdout}")


@scenario
def strict_list(case):
    sealed(case, "strict", "prctl")
    clear(case)
    sealed(case, "strict", "syscall")


@scenario
def list_of_a_daemon(case):
    sealed(case, "daemon", "prctl", more_calls=3, late_calls=102) # and a wait
    expect(case.trust("lost_processes") == 1, "the child that is not recorded is not told")


@scenario
def denying_list(case):
    """A filter that answers with errors, and none of our calls, seals as well."""
    for way in ("prctl", "syscall"):
        clear(case)
        sealed(case, "deny", way, more_calls=DENIED_CALLS, late_calls=102)
        expect(case.trust("lost_processes") == 2, "children that are not recorded are not told")


@scenario
def filters_from_many_threads(case):
    """Each of eight threads installs one for all, and as many are refused meanwhile."""
    program = case.compile("sandboxed.c")
    result = record(case, program, "threads", "syscall")
    expect("filters: 8\n" in result.stdout and "done" in result.stdout, f"{result}")
    expect(case.calls("known") == 3200, f"{case.calls('known'):.0f} calls, not 3200")
    expect(case.trust("note_sealed") == 1, "the note is missing")


@scenario
def refused_filter(case):
    """The kernel does not take the filter: nothing has changed."""
    program = case.compile("sandboxed.c")
    for way in ("prctl", "syscall"):
        clear(case)
        result = record(case, program, "wrong", way)
        expect("sandbox: -1 " in result.stdout, f"{result}")
        expect(case.calls("known") == 2302 and case.trust("note_sealed") == 0 and
               case.trust("folded_paths") == 0, "not recorded to the end")


def more_kib(name, plain, recorded):
    kib = [int(re.search(name + r":\s+(\d+) kB", run.stderr).group(1))
           for run in (plain, recorded)]
    return kib[1] - kib[0]


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def lock(case, program, how, **options):
    """(plain, recorded) runs of locks.c."""
    plain = case.run_plain([program, how], **options)
    before = children_cpu()
    recorded = case.run([program, how], **options)
    expect(children_cpu() - before < 2, "locking took seconds of CPU time")
    case.settle()
    expect(recorded.returncode == plain.returncode and
           recorded.stdout == plain.stdout, f"{recorded}, not {plain}")
    expect(case.calls("step") == 4000 and case.calls("grow") == 600 * 12,
           f"{how}: {case.calls('step'):.0f} and {case.calls('grow'):.0f} calls")
    clear(case)
    more = more_kib("VmLck", plain, recorded)
    # what the program's heap and libraries need more
    expect(abs(more) < 2048, f"{how}: {more} KiB more are locked")
    more = more_kib("Dumped", plain, recorded)
    expect(more < 16 << 10, f"{how}: {more} KiB more would go into a core file")


def forbid_clock(case, how, calls, times):
    program = case.compile("clockless.c")
    record(case, program, how)
    for name, one in (("known", 1000), ("known_block", 100), ("work", 1)):
        expect(case.calls(name) == one * calls,
               f"{how}: {case.calls(name):.0f} calls of {name}, not {one * calls}")
    blocks = case.value("SELECT TOTAL(alloc_count) FROM functions "
                        "WHERE name = 'known_block'")
    expect(blocks == 100 * calls, f"{how}: {blocks:.0f} blocks, not {100 * calls}")
    expect(case.trust("note_no_clock") == times,
           f"{how}: the note is {case.trust('note_no_clock'):.0f}, not {times}")
    # of one thread: the child's main() is the same path, and takes what it takes
    late = case.value("SELECT COUNT(*) FROM path_lane, runs "
                      "WHERE total_ns > wall_ns OR total_ns < 0")
    expect(late == 0, f"{how}: {late:.0f} paths took longer than the run")


@scenario
def forbidden_clock(case):
    """A thread that may not read the TSC, one that it starts, a child: timed by calls."""
    for how in ("prctl", "syscall"):
        clear(case)
        forbid_clock(case, how, 6, 1)
        expect(case.trust("note_sealed") == 0, f"{how}: recorded no further")
        slept = case.value("SELECT total_ns FROM functions WHERE name = 'sleep_well'")
        expect(slept >= 49e6, f"{how}: slept for {slept:.0f} ns, not 50 ms")


@scenario
def strict_mode(case):
    for way in ("prctl", "seccomp", "syscall"):
        clear(case)
        forbid_clock(case, f"strict-{way}", 3, 1)
        expect(case.trust("note_sealed") == 1, f"{way}: is not said to be sealed")


@scenario
def strict_thread(case):
    """The others go on, and their time does, too."""
    for way in ("prctl", "seccomp", "syscall"):
        clear(case)
        forbid_clock(case, f"thread-{way}", 4, 1)
        expect(case.trust("note_sealed") == 1, f"{way}: is not said to be sealed")


LOCKS = ("current", "future", "both", "onfault", "both-onfault", "syscall", "after-future",
         "unlocked", "nothing", "wrong")


@need_root
def locked_by_root(case):
    program = case.compile("locks.c")
    for how in LOCKS:
        lock(case, program, how)


def without_rights():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (NOBODY_LIMIT, NOBODY_LIMIT))
    if os.getuid() == 0:
        os.setgid(host.NOBODY)
        os.setuid(host.NOBODY)


@scenario
def locked_by_a_user(case):
    os.chmod(case.directory, 0o777)
    program = case.compile("locks.c")
    for how in (*LOCKS, "large"):
        lock(case, program, how, preexec_fn=without_rights)


host.main()
