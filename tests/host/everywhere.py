#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library preloaded into every program, our own among them: no collector is recorded by
another one. All of it in a PID namespace that is killed after seconds, below a root directory
and an /etc of its own."""
import collections
import os
import shutil
import subprocess

import host
import verdict
from host import LeftOut, expect, need_root, scenario
from jail import Jail

SECONDS = 20
ETC = ("ld.so.cache", "passwd", "group")
# what runs before the library is preloaded is not recorded, and what runs after it is
PRELOAD = 'echo "$LIBRARY" > /etc/ld.so.preload\n'
STOP = ": > /etc/ld.so.preload\n"


def collectors_inside(case, namespace):
    """How many collectors there are in the PID namespace."""
    found = 0
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += (os.readlink(f"/proc/{entry}/ns/pid") == namespace
                      and case.is_collector(entry))
        except OSError:
            continue
    return found


class Inside:
    """Runs a script by a shell that is not recorded, in a namespace of its own."""

    def __init__(self, case):
        self.case = case
        self.most = 0  # collectors at once
        self.counts = collections.Counter()  # how often so many were seen

    def enter(self, root):
        for name in ("proc", "dev"):
            os.mkdir(os.path.join(root, name))
        subprocess.run(["mount", "--bind", "/dev", os.path.join(root, "dev")], check=True)
        etc = self.case.path("etc")
        os.mkdir(etc)
        for name in ETC:
            shutil.copy(os.path.join("/etc", name), etc)
        with open(os.path.join(etc, "ld.so.preload"), "w", encoding="ascii"):
            pass
        subprocess.run(["mount", "--bind", etc, os.path.join(root, "etc")], check=True)
        namespace = ["unshare", "--pid", "--fork", "--kill-child",
                     f"--mount-proc={os.path.join(root, 'proc')}"]
        if subprocess.run([*namespace, "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            raise LeftOut("no PID namespace with a /proc of its own")
        return [*namespace, "chroot", root, "timeout", "-s", "KILL", str(SECONDS)]

    def watch(self, process, limit):
        """Until the script has ended and no collector is at work, or there are too many."""
        def is_over():
            if not namespace:
                try:  # the shell's; unshare itself stays outside
                    child = int(subprocess.run(["pgrep", "-P", str(process.pid)],
                                               capture_output=True, check=False).stdout)
                    namespace.append(os.readlink(f"/proc/{child}/ns/pid"))
                except (OSError, ValueError):
                    return process.poll() is not None
            count = collectors_inside(self.case, namespace[0])
            self.most = max(self.most, count)
            self.counts[count] += 1
            return process.poll() is not None or self.most > limit

        namespace = []
        host.harness.wait_until(is_over, SECONDS)
        process.kill()  # and with it the namespace
        return process.communicate()

    def run(self, script, limit=1, **settings):
        case = self.case
        with Jail(case, []) as root:
            command = self.enter(root)
            environment = {**host.harness.plain_environment(), "LIBRARY": case.products.library,
                           "PROFSHIM_OUTPUT": case.database, **settings}
            process = subprocess.Popen(
                [*command, "sh", "-c", f"cd {case.directory}\n{script}"], text=True,
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
            said = self.watch(process, limit)
        expect(self.most <= limit, f"{self.most} collectors at once, {limit} expected")
        expect(process.returncode == 0, f"ended with {process.returncode}: {said}")
        return said

    def expect_runs(self, commands):
        found = [row[0] for row in host.harness.query(
            self.case.database, "SELECT command FROM runs ORDER BY run_id")]
        expect(found == commands, f"recorded {found} instead of {commands}")


def wait_for_database(case):
    """For the end of a script: the runs are stored. By built-in commands only."""
    return f"while [ -e {case.database}-spool ]; do :; done\n"


@need_root
def one_program(case):
    """It is recorded, by a collector that is not, and nothing else begins."""
    inside = Inside(case)
    # so long that it is looked at while the collector lives
    inside.run(PRELOAD + "/bin/sleep 0.3\n" + STOP + wait_for_database(case))
    inside.expect_runs(["/bin/sleep 0.3"])
    expect(inside.most == 1, "the collector was not seen: the test sees nothing")
    expect(sorted(os.listdir(case.directory)) == ["etc", "run.db"], "something is left")


@need_root
def exported_by_a_shell(case):
    """A login shell that is not recorded itself: what it starts is, each for itself."""
    inside = Inside(case)
    inside.run(f"export LD_PRELOAD=$LIBRARY\n/bin/true\n{wait_for_database(case)}"
               f"/bin/sh -c '/bin/echo two'\n{wait_for_database(case)}"
               f"{case.products.analyze} {case.database} > report.txt\n")
    inside.expect_runs(["/bin/true", "/bin/sh -c '/bin/echo two'"])


@need_root
def our_own_programs(case):
    """They work as without it, and are not recorded. The collector of one run may still be
    ending when that of the next begins."""
    inside = Inside(case)
    said, complaints = inside.run(
        PRELOAD + f"/bin/true\n{wait_for_database(case)}"
        f"{case.products.analyze} runs {case.database} --format csv\n"
        f"{case.products.record} -o other.db -- /bin/echo recorded\n"
        f"{case.products.record} -o outer.db -- "
        f"{case.products.record} -o inner.db -- /bin/echo twice\n" + STOP, limit=2)
    inside.expect_runs(["/bin/true"])
    expect("/bin/true" in said and "recorded\n" in said and "twice\n" in said, said)
    for name in ("other", "inner"):
        case.database = case.path(name + ".db")
        expect(case.value("SELECT COUNT(*) FROM runs") == 1, f"{name}.db is not one run")
    expect(f"cannot record {case.products.record}: it is a part of profshim"
           in complaints, complaints)
    expect(not os.path.exists(case.path("outer.db")), "the inner prof-record was recorded")


@need_root
def collector_is_a_script(case):
    """A shell is no program of ours; it is not recorded for what it runs."""
    for i, text in enumerate((f'exec {case.products.collector} "$@"',
                              f'{case.products.collector} "$@"\n/bin/true',
                              f'env -i {case.products.collector} "$@"')):
        directory = case.path(f"script{i}")
        os.mkdir(directory)
        wrapped = host.Case(case.products, directory)
        script = wrapped.path("collector")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(script, 0o755)
        inside = Inside(wrapped)
        inside.run(PRELOAD + "/bin/true\n" + STOP + wait_for_database(wrapped),
                   PROFSHIM_COLLECTOR=script)
        inside.expect_runs(["/bin/true"])


@scenario
def below_a_collector(case):
    """What a collector itself has started is not collected: whatever made it do so would do
    it again."""
    case.compile("ticker.c")
    library = case.compile("starts_recorded.c", hooks=False, flags=["-shared", "-fPIC"])
    collector = case.path("collector")
    with open(collector, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nSTART={case.path('ticker')} START_OUTPUT={case.path('below.db')} "
                   f"START_LIBRARY={case.products.library} LD_PRELOAD={library} "
                   f"exec {case.products.collector} \"$@\"\n")
    os.chmod(collector, 0o755)
    case.unharmed(["/bin/true"], {"PROFSHIM_COLLECTOR": collector})
    host.harness.wait_until(lambda: not case.collectors())
    case.settle()
    expect(case.value("SELECT COUNT(*) FROM runs") == 1, "the program itself is not stored")
    spool, = host.harness.wait_until(lambda: os.listdir(case.path("below.db-spool")))
    with open(case.path(f"below.db-spool/{spool}/error"), encoding="utf-8") as file:
        reason = file.read()
    expect("below another collector" in reason, reason)
    case.analyze("runs", case.path("below.db"))
    case.database = case.path("below.db")
    expect(case.calls("tick") > 0, "what was recorded there is lost")


@need_root
def as_many_as_may_be(case):
    """One user's collectors have a limit; what is above it is left to prof-analyze."""
    limit = 64 + 4 * os.cpu_count()
    inside = Inside(case)
    hosts = limit + 12
    inside.run(f"i=0; while [ $i -lt {hosts} ]; do i=$((i + 1))\n"
               "LD_PRELOAD=$LIBRARY PROFSHIM_OUTPUT=$i.db sleep 6 & done; wait\n",
               limit=hosts)
    # one that is too many is seen for a moment, too, before it ends
    usual = inside.counts.most_common(1)[0][0]
    expect(limit - 8 <= usual <= limit, f"collectors, and how often seen: {inside.counts}")
    left = [name for name in os.listdir(case.directory) if name.endswith("-spool")]
    expect(left, f"{hosts} collectors were let be")
    for name in left:
        result = case.analyze("runs", case.path(name.removesuffix("-spool")))
        expect(result.returncode == 0 and "sleep 6" in result.stdout, f"{result}")


if __name__ == "__main__":
    verdict.mount_privately()
    host.main()
