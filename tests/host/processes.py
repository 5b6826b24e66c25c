#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Children made and ended in every way: one run, a row each, and wait() tells the same."""
import glob
import os

import host
from host import expect, scenario


def record(case, kind, *arguments, builds=(("gcc", "-O0"), ("clang", "-O2"))):
    """Runs families.c with and without us, built in two ways; yields after each."""
    for compiler, optimisation in builds:
        program = case.compile("families.c", compiler=compiler, optimisation=optimisation)
        case.database = case.path(f"{kind}-{compiler}.db")
        result = case.unharmed([program, kind, *arguments])
        expect(result.returncode == 0, f"ended with {result.returncode}: {result.stdout}")
        yield result


def expect_calls(case, count, *tolerated):
    case.settle()
    expect(case.calls("step") == count, f"{case.calls('step'):.0f} calls, not {count}")
    for name in ("dropped_allocations", "orphan_exits", "late_events", "repaired_frames",
                 "unknown_frees", "lost_frees", "lost_processes"):
        if name not in tolerated:
            expect(case.trust(name) == 0, f"trust: {name} is {case.trust(name):.0f}")
    expect(case.value("SELECT COUNT(*) FROM runs") == 1, "not one run")


def ends_of_children(case):
    return host.harness.query(
        case.database, "SELECT exit_code, exit_signal, COUNT(*) FROM processes WHERE "
        "parent_process_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2")


@scenario
def fatal_signals(case):
    """Status and core dump are the host's own. What killed a child is in its row, unless
    its parent reaped it before the collector saw it."""
    for result in record(case, "signals"):
        case.settle()
        for core in glob.glob(case.path("core*")):
            os.remove(core)
        count = len(result.stdout.splitlines())
        expect(count == 25, f"{count} children")
        expect_calls(case, count)
        rows = ends_of_children(case)
        expect(all(row[0] is None for row in rows) and sum(row[2] for row in rows) == count,
               f"children that seem to have exited: {rows}")
        expect(all(row[2] == 1 for row in rows if row[1] is not None),
               f"signals of the children: {rows}")


@scenario
def other_ends(case):
    for _ in record(case, "ends"):
        expect_calls(case, 6)
        # of a raw system call (14) only the collector can know
        codes = {row[0] for row in ends_of_children(case)} - {None, 14}
        expect(codes == {10, 11, 12, 15}, f"exit codes: {codes}")


@scenario
def borrowed_memory(case):
    """vfork children that exit, fail to exec, and exec."""
    for _ in record(case, "vforks"):
        expect_calls(case, 13)
        found = host.harness.query(case.database, "SELECT caller, calls FROM call_edges "
                                   "WHERE callee = 'step' ORDER BY caller")
        expect(found == [("borrow", 12), ("vforks", 1)], f"callers of step: {found}")
        found = case.value("SELECT COUNT(*) FROM processes WHERE executable LIKE '%/true'")
        expect(found == 6, f"{found} images of /bin/true")


@scenario
def raw_clones(case):
    for _ in record(case, "clones"):
        # what a child that borrows the memory enters and does not leave is closed
        expect_calls(case, 3 + 10 + 1, "repaired_frames")
        expect(case.trust("repaired_frames") <= 3, "more frames repaired than left open")
        # no handler of fork() has told the others what they are inside of
        found = host.harness.query(case.database, "SELECT caller, calls FROM call_edges "
                                   "WHERE callee = 'step'")
        expect(found == [("clones", 3)], f"callers of step: {found}")
        found = host.harness.query(case.database, "SELECT exit_code, COUNT(*) FROM processes "
                                   "WHERE parent_process_id IS NOT NULL GROUP BY 1")
        expect((7, 10) in found and (8, 1) in found, f"children: {found}")


@scenario
def orphaned_grandchild(case):
    for compiler in ("gcc", "clang"):
        marker = case.path("marker")
        program = case.compile("families.c", compiler=compiler)
        case.database = case.path(f"{compiler}.db")
        result = case.run([program, "twice", marker], {"PROFSHIM_WAIT": "300"}, timeout=90)
        expect(result.stdout == "between: 1 exit 0\n" and not result.stderr, f"{result}")
        expect(not os.path.exists(marker), "the grandchild did not wait for us")
        with open(marker + "+", "w", encoding="ascii"):
            pass
        expect(host.harness.wait_until(lambda: os.path.exists(marker)), "no grandchild")
        os.remove(marker)
        os.remove(marker + "+")
        expect_calls(case, 3)
        found = host.harness.query(
            case.database, "SELECT c.exit_code, p.exit_code, g.exit_code FROM processes g "
            "JOIN processes p ON p.process_id = g.parent_process_id JOIN processes c "
            "ON c.process_id = p.parent_process_id")
        expect(found == [(0, 0, 9)], f"exit codes of three generations: {found}")


@scenario
def crowd(case):
    for _ in record(case, "crowd", builds=(("gcc", "-O2"),)):
        expect_calls(case, 500)
        found = host.harness.query(case.database, "SELECT COUNT(*), SUM(complete), "
                                   "SUM(exit_code) FROM processes")
        expect(found == [(501, 501, 5 * 4950)], f"processes: {found}")


def environments(case, command, settings=None):
    """The same command without and with us, through a program that gives its child an
    environment of its own."""
    return case.unharmed(["/usr/bin/env", "-i", "A=1", *command], settings)


@scenario
def cleared_environment(case):
    """env -i: the child is recorded and sees what it was given; its own children, too."""
    program = case.compile("exit_code.c")
    result = environments(case, ["/bin/sh", "-c", f"env -i B=2 {program}; env"])
    expect("PROFSHIM" not in result.stdout and "LD_PRELOAD" not in result.stdout,
           f"env shows {result.stdout}")
    case.settle()
    found = case.value(f"SELECT COUNT(*) FROM processes WHERE executable = '{program}' AND "
                       "exit_code = 7 AND complete")
    expect(found == 1, f"{found} images of {program}")
    found = case.value("SELECT COUNT(DISTINCT executable) FROM processes")
    expect(found == 3, f"{found} programs, not env, sh and {program}")


@scenario
def not_followed(case):
    """PROFSHIM_FOLLOW=none: nothing is added to an environment."""
    program = case.compile("exit_code.c")
    command = ["/bin/sh", "-c", f"env -i {program}; env -i /usr/bin/env"]
    environments(case, command, {"PROFSHIM_FOLLOW": "none"})
    case.settle()
    found = host.harness.query(case.database, "SELECT executable FROM processes")
    expect(all(not row[0].endswith("exit_code") for row in found), f"recorded: {found}")


@scenario
def programs_that_load_no_library(case):
    """A static program shows the environment that it was given, nothing else."""
    case.compile("show_environment.c", flags=["-static"], hooks=False)
    result = environments(case, [case.path("show_environment")])
    expect(result.stdout == "A=1\n", f"it saw {result.stdout!r}")


@host.need_root
def programs_with_other_rights(case):
    """setuid and other programs that the loader does not trust get no additions."""
    program = case.compile("show_environment.c", hooks=False)
    os.chown(program, 0, 0)
    os.chmod(program, 0o4755)
    host.share_with_nobody(case.directory)
    os.chown(case.directory, host.NOBODY, host.NOBODY)
    user = {"user": host.NOBODY, "group": host.NOBODY, "extra_groups": []}
    result = case.unharmed(["/usr/bin/env", "-i", "A=1", program], **user)
    expect(result.stdout == "A=1\n" and not result.message, f"it saw {result}")


@host.need_root
def out_of_reach(case):
    """In another root our library is not there: the loader must not complain."""
    os.makedirs(case.path("root/lib64"))
    os.makedirs(case.path("root/lib/x86_64-linux-gnu"))
    program = case.compile("show_environment.c", hooks=False)
    for source, target in ((program, "show"), ("/lib64/ld-linux-x86-64.so.2", "lib64/"),
                           ("/lib/x86_64-linux-gnu/libc.so.6", "lib/x86_64-linux-gnu/")):
        host.shutil.copy(source, case.path("root/" + target))
    source = case.compile("enter_root.c")
    result = case.unharmed([source, case.path("root"), "/show"])
    expect(result.stdout == "A=1\n", f"it saw {result.stdout!r}")
    expect(sorted(os.listdir(case.path("root"))) == ["lib", "lib64", "show"],
           f"files appeared: {os.listdir(case.path('root'))}")


@scenario
def standing(case):
    """Descriptors, signals, groups, limits and all else that a process sees of itself."""
    program = case.compile("standing.c")
    result = case.unharmed([program])
    expect(result.stdout.count("descriptor") >= 12, f"printed {result.stdout}")


def many_threads(case, total, at_once):
    program = case.compile("many_threads.c")
    case.database = case.path(f"{total}-{at_once}.db")
    case.unharmed([program, str(total), str(at_once)])
    expect_calls(case, 2 * total)
    found = host.harness.query(case.database, "SELECT COUNT(*), COUNT(wall_ns) FROM threads")
    expect(found == [(total + 1, total + 1)], f"threads: {found}")
    found = host.harness.query(case.database, "SELECT SUM(alloc_count), SUM(live_count) FROM "
                               "allocation_sites WHERE name = 'work'")
    expect(found == [(total, 0)], f"blocks of the threads: {found}")
    return case.trust("tool_memory_bytes")


@scenario
def threads_over_time(case):
    """What the tool needs goes by the threads at a time, not by their number."""
    few, many = many_threads(case, 1000, 20), many_threads(case, 20000, 20)
    rows = 20000 * 176  # a row of 88 bytes each; a page that two reservations share counts twice
    spans = 20 * 4096 * 64  # slow calls of ended threads stay, until a lane has its most
    expect(many < few + rows + spans + (1 << 20),
           f"{few} bytes for 1,000 threads, {many} for 20,000")


@scenario
def threads_at_once(case):
    many_threads(case, 500, 500)


host.main()
