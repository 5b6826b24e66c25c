#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs under limits and in places where little is there: no descriptors, no address
space, no /proc, no /dev, another PID namespace."""
import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import host
import ticker
import verdict
from host import LeftOut, expect, need_root, scenario
from jail import Jail

WAIT = 60
PR_SET_TIMERSLACK = 29


def limited(case, command, limits, **settings):
    """Unharmed under the limits {RESOURCE: value}, and not kept waiting."""
    def restrict():
        for name, value in limits.items():
            resource.setrlimit(name, (value, value))

    started = time.monotonic()
    recorded = case.unharmed(command, {"PROFSHIM_WAIT": str(WAIT), **settings},
                             preexec_fn=restrict)
    expect(time.monotonic() - started < WAIT - 10, f"kept waiting under {limits}")
    host.harness.wait_until(lambda: not case.collectors())
    return recorded


def clear(case):
    if os.path.exists(case.database):
        os.remove(case.database)
    shutil.rmtree(case.database + "-spool", ignore_errors=True)


@scenario
def few_descriptors(case):
    """The collector has no more than the program may have: the run is stored by it or by
    prof-analyze. 4 is what the loader needs for any library."""
    program = case.compile("fault_host.c")
    for count in (4, 5, 6, 7, 8, 9, 10, 12, 16, 24):
        clear(case)
        limited(case, [program], {resource.RLIMIT_NOFILE: count})
        case.settle()
        expect(case.calls("step") == verdict.STEPS and
               case.calls("grow") == verdict.GROWS and
               case.value("SELECT complete FROM runs") == 1, f"not complete with {count}")


@scenario
def descriptors_taken(case):
    program = case.compile("crowded.c")
    for count in (5, 16, 1024):
        clear(case)
        limited(case, [program], {resource.RLIMIT_NOFILE: count})
        case.settle()
        expect(case.calls("step") == 3000, f"{case.calls('step'):.0f} calls, not 3000")
        expect(case.value("SELECT complete FROM runs") == 1, "not complete")


@scenario
def little_address_space(case):
    program = case.compile("fault_host.c")
    answers = set()
    for megabytes in (64, 256, 512, 1000, 1024, 1100, 1200, 1500, 2048, 4096, 8192):
        clear(case)
        recorded = limited(case, [program], {resource.RLIMIT_AS: megabytes << 20})
        answers.add(verdict.told(case, case.database, recorded))
    expect(answers >= {"line", "complete"}, f"answers: {answers}")


@scenario
def little_stack(case):
    """The collector has the program's limit, too."""
    program = case.compile("fault_host.c")
    for kib in (32, 64, 128, 1024):
        clear(case)
        recorded = limited(case, [program], {resource.RLIMIT_STACK: kib << 10})
        if kib < 64:
            expect("ulimit -s" in recorded.stderr, f"said: {recorded.stderr}")
        else:
            case.settle()
            expect(case.calls("step") == verdict.STEPS and
                   case.value("SELECT complete FROM runs") == 1, f"not complete with {kib}")
            expect(case.trust("collector_recovered") == 0, f"no collector with {kib}")


@scenario
def little_data(case):
    """Private memory: the map of live blocks counts."""
    program = case.compile("fault_host.c")
    for megabytes in (4, 8, 16, 32, 48, 64, 80, 96, 128, 512):
        clear(case)
        # the threads' stacks of 8 MiB count as well
        limits = {resource.RLIMIT_DATA: megabytes << 20, resource.RLIMIT_STACK: 1 << 18}
        recorded = limited(case, [program], limits)
        verdict.told(case, case.database, recorded)


@scenario
def told_once(case):
    """A script whose commands cannot be recorded tells so once, not once per command; a
    command that can be recorded is."""
    program = case.compile("fault_host.c")
    script = f"{program} >/dev/null; /bin/true; (/bin/echo x); cd {case.directory}; {program}"
    plain = case.run_plain(["/bin/sh", "-c", script], cwd="/proc")
    result = case.run(["/bin/sh", "-c", script], {"PROFSHIM_OUTPUT": "run.db"}, cwd="/proc")
    told = [line for line in result.stderr.splitlines() if line.startswith("profshim: ")]
    expect(len(told) == 1 and "unrecorded" in told[0], f"stderr: {result.stderr}")
    expect(result.stdout == plain.stdout and result.returncode == plain.returncode,
           f"{result}")
    case.settle()
    expect(case.calls("step") == verdict.STEPS, f"{case.calls('step'):.0f} calls")


@scenario
def punctual_timers(case):
    """A sleep of a nanosecond is over before it begins, as in a thread of real time: what
    tells of switches is found all the same."""
    program = case.compile("fault_host.c")
    libc = ctypes.CDLL(None)
    for number in range(5):
        case.database = case.path(f"{number}.db")
        case.unharmed([program],
                      preexec_fn=lambda: libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0))
        case.settle()
        expect(case.trust("switches_unseen") == 0 and case.trust("switches_by_rseq") +
               case.trust("switches_by_perf") > 0, "switches are not seen")


@need_root
def bare_root(case):
    """chroot to where /proc, /sys, /dev and /tmp are missing, each alone and all."""
    program = case.compile("fault_host.c")
    os.mkdir(case.path("work"))
    case.database = case.path("work/run.db")
    for mounts in (["/proc", "/sys"], ["/proc", "/dev"], ["/sys", "/dev"], []):
        clear(case)
        with Jail(case, mounts) as root:
            started = time.monotonic()
            case.unharmed([program], {"PROFSHIM_WAIT": str(WAIT)}, cwd="/",
                          preexec_fn=lambda path=root: os.chroot(path))
            expect(time.monotonic() - started < WAIT - 10, f"kept waiting with {mounts}")
            host.harness.wait_until(lambda: not case.collectors())
        expect(os.path.exists(case.database), f"no run.db with {mounts}")
        case.settle()
        expect(case.calls("step") == verdict.STEPS and case.calls("grow") == verdict.GROWS,
               f"with {mounts} there are {case.calls('step'):.0f} and "
               f"{case.calls('grow'):.0f} calls")
        expect(case.value("SELECT complete FROM runs") == 1, f"not complete with {mounts}")


@need_root
def namespace_torn_down(case):
    """In a PID namespace whose process 1 ends with the program: the kernel kills the
    collector at whatever it does."""
    program = case.compile("ticker.c")
    inside = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*inside, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        raise LeftOut("no PID namespace with a /proc of its own")
    settings = case.environment(PROFSHIM_WAIT="0")
    names = ("LD_PRELOAD", "PROFSHIM_OUTPUT", "PROFSHIM_WAIT")
    variables = " ".join(f"{name}={settings[name]}" for name in names)
    for i in range(8):
        command = f"{variables} {program} {case.path('counts')} 1 200000"
        result = case.run_plain([*inside, "sh", "-c", f"{command}; sleep 0.00{i}; exit 3"])
        expect(result.returncode == 3 and result.stdout == "done\n" and not result.stderr,
               f"{result}")
        host.harness.wait_until(lambda: not case.collectors())
        case.settle()
        ticker.expect_counts(case, 0)
        expect(case.value("SELECT COUNT(*) FROM runs") == i + 1, "missing or double")


@scenario
def killed_with_children(case):
    """SIGKILL of the whole process group at random moments: what was there is there."""
    program = case.compile("fault_host.c")
    chance = random.Random(5)
    for _ in range(20):
        clear(case)
        process = case.start([program, "30000"], start_new_session=True)
        time.sleep(chance.uniform(0, 0.06))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        # the collector may not have come to its exec yet: then it is not known as one
        host.harness.wait_until(lambda: not host.harness.processes_naming(case.directory), 60)
        if not os.path.exists(case.database) and \
                not os.path.exists(case.database + "-spool"):
            continue  # killed before the run began
        result = case.analyze("doctor", case.database)
        expect(result.returncode in (0, 1) and result.stdout + result.stderr, f"{result}")
        if os.path.exists(case.database):
            complete = case.value("SELECT complete FROM runs")
            expect(complete == (process.returncode == 7), f"complete is {complete}")


@scenario
def little_environment(case):
    """The first frames of a program are in its stack's last page, behind which nothing is
    mapped, or at the end of the page before."""
    program = case.compile("no_hooks.c", hooks=False)
    for padding in range(0, 4096, 512):
        clear(case)
        environment = {name: value for name, value in case.environment().items()
                       if name in ("LD_PRELOAD", "PROFSHIM_OUTPUT")}
        environment["PADDING"] = "x" * padding
        host.harness.run([program], env=environment, cwd=case.directory)
        case.settle()
        expect(case.value("SELECT SUM(alloc_count) FROM allocation_sites "
                          "WHERE name = 'make_node'") == 1200,
               f"stacks are lost with {padding} bytes of environment")


@scenario
def old_pthread_kill(case):
    """What glibc 2.34 says of a thread that has ended is not what it said before: who was
    linked with an older one gets the older answer, and others the new one."""
    for flags, answer in (["-l:libpthread.so.0", "-DOLD"], "gone"), ([], "there"):
        program = case.compile("old_thread.c", flags=["-pthread", "-Wl,--no-as-needed", *flags])
        result = case.unharmed([program])
        expect(result.stdout == answer + "\n", f"{flags}: {result.stdout}")


@scenario
def stopped_at_each_call(case):
    """strace stops a thread at our calls, too, and each stop is a switch: who asks about
    each makes more of them than he asks about (and no run ended under strace)."""
    tracer = case.compile("stops.c", hooks=False)
    program = case.compile("stepped.c")
    for level in ("exact", "detailed"):
        clear(case)
        settings = case.environment(PROFSHIM_LEVEL=level, PROFSHIM_WAIT="0")
        changed = [f"{name}={settings[name]}" for name in settings
                   if name == "LD_PRELOAD" or name.startswith("PROFSHIM")]
        result = case.run_plain([tracer, "20000", "env", *changed, program, "3000"])
        expect(result.returncode == 0, f"{level}: {result.stdout}{result.stderr}")
        case.settle()
        expect(case.calls("step") == 300000, f"{level}: {case.calls('step'):.0f} calls")
        expect(case.trust("unasked_switches") > 0, f"{level}: every switch was asked about")
        rested = case.value("SELECT TOTAL(blocked_ns) FROM functions WHERE name = 'rest'")
        expect(rested > 250e6, f"{level}: rested for {rested / 1e6:.0f} ms of 300")


if __name__ == "__main__":
    verdict.mount_privately()
    host.main()
