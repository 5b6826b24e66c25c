#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Daemons, pipes, wait(): the host sees nothing of us, and we lose nothing of it."""
import ctypes
import json
import os
import signal
import subprocess
import time

import host
import ticker
from host import NOBODY, LeftOut, expect, need_root, scenario


def expect_steps(case, count):
    case.settle()
    expect(case.calls("step") == count, f"{case.calls('step'):.0f} calls, not {count}")
    for name in ("dropped_allocations", "orphan_exits", "late_events", "folded_paths"):
        expect(case.trust(name) == 0, f"trust: {name} is {case.trust(name):.0f}")


def marked(path):
    return os.path.exists(path) and os.path.getsize(path) == 4


@scenario
def daemon(case):
    """Forks twice, leaves its session, closes every descriptor, changes directory."""
    program = case.compile("daemon.c")
    result = case.run([program, "daemon", case.path("marker")])
    expect(result.returncode == 0 and not result.stderr, f"failed: {result.stderr}")
    expect(host.harness.wait_until(lambda: marked(case.path("marker"))), "no daemon appeared")
    expect_steps(case, 3000)
    expect(case.value("SELECT complete FROM runs") == 1, "the run is not complete")
    host.harness.expect_tidy(case.directory, ["daemon", "marker", "run.db"])


@need_root
def jail(case):
    """Changes its root directory and its user."""
    program = case.compile("daemon.c")
    os.mkdir(case.path("jail"))
    result = case.run([program, "jail", case.path("marker")], cwd=case.path("jail"))
    expect(result.returncode == 0 and not result.stderr,
           f"ended with {result.returncode}: {result.stderr}")
    expect_steps(case, 3000)
    expect(case.value("SELECT complete FROM runs") == 1, "the run is not complete")
    expect(not os.listdir(case.path("jail")), "files were left in the jail")


@scenario
def no_descriptor_kept(case):
    """The program has the same descriptors with and without us."""
    command = ["/bin/ls", "/proc/self/fd"]
    case.unharmed(command)


@scenario
def pipe_ends_with_the_program(case):
    """`./app | cat` ends when the app ends, even when the collector is still at work."""
    command = [case.compile("ticker.c"), case.path("counts"), "1", "3000000"]
    process = case.start(command, {"PROFSHIM_WAIT": "1"})
    collector = case.wait_for_collector()
    # not at once: our constructor, too, has the spool open while it sets the run up
    expect(host.harness.wait_until(lambda: not shared_by(process.pid, collector)),
           "the collector holds descriptors of the program: "
           f"{shared_by(process.pid, collector)}")
    os.kill(collector, signal.SIGSTOP)  # it can neither finish nor close anything
    try:
        output, errors = process.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        raise host.Failure("the pipe stayed open while the collector stood still") from None
    finally:
        os.kill(collector, signal.SIGCONT)
    expect(output == "done\n", f"the pipe ended with {output!r} {errors!r}")
    host.harness.wait_until(lambda: not case.collectors())
    case.settle()
    ticker.expect_counts(case, 0)


def shared_by(first, second):
    return set(descriptors(first)) & set(descriptors(second)) - {"/dev/null"}


def descriptors(pid):
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            continue
    return found


@scenario
def pipe_to_cat(case):
    program = case.compile("ticker.c")
    result = case.run(["/bin/sh", "-c", f"{program} {case.path('counts')} 1 1000 | cat"])
    expect(result.stdout == "done\n" and not result.stderr, f"printed {result}")
    case.settle()
    ticker.expect_counts(case, 0)


@scenario
def late_daemon(case):
    """A child that has no place in the recording yet when its parent ends is sampled like
    any other: without its CPU time nothing could be said of it."""
    program = case.compile("late_daemon.c")
    case.unharmed([program])
    case.settle()
    sampled = case.value("SELECT COUNT(*) FROM resources r JOIN processes p USING "
                         "(process_id) WHERE p.parent_process_id IS NOT NULL")
    expect(sampled >= 1, "the daemon was not looked at")


@scenario
def detached_child_holds_nothing_up(case):
    """The first process ends while a child lives on: nobody waits for the child, which goes
    on when we, who wait for the program, say so."""
    program = case.compile("orphan.c")
    os.mkfifo(case.path("gate"))
    result = case.run([program, case.path("marker"), case.path("gate")],
                      {"PROFSHIM_WAIT": "300"}, timeout=90)
    expect(result.returncode == 0, f"ended with {result.returncode}: {result.stderr}")
    expect(not os.path.exists(case.path("marker")), "the child did not wait for us")
    with open(case.path("gate"), "w", encoding="ascii"):
        pass  # its end of the pipe is opened now
    expect(host.harness.wait_until(lambda: marked(case.path("marker"))), "no child appeared")
    expect_steps(case, 300)
    processes = case.value("SELECT SUM(complete) FROM processes")
    expect(processes == 2, f"{processes} complete processes, not 2")


@scenario
def database_is_there_at_once(case):
    """When a shell ends whose children have all ended, run.db is there, however busy the
    collector was when they did."""
    for i in range(40):
        result = case.run(["/bin/sh", "-c", "ldd /bin/ls | cat | sort"])
        expect(result.returncode == 0, f"failed: {result}")
        expect(os.path.exists(case.database), f"run.db is not there after round {i + 1}")
        os.remove(case.database)


@scenario
def images_in_quick_succession(case):
    """exec over itself: the last image is the one that lives, in whatever order the
    collector finds them, and the program is not kept waiting at its end."""
    program = case.compile("relay.c")
    for _ in range(100):  # who is kept waiting runs into the limit of case.run()
        result = case.run([program, "4"], {"PROFSHIM_WAIT": "300"})
        expect(result.returncode == 6 and not result.stderr, f"failed: {result}")
    case.settle()
    rows = host.harness.query(case.database, "SELECT exit_code, complete, COUNT(*) FROM "
                              "runs GROUP BY 1, 2")
    expect(rows == [(6, 1, 100)], f"exit_code, complete, count of the runs: {rows}")
    expect(case.calls("step") == 500, f"{case.calls('step'):.0f} calls, not 500")


@scenario
def wait_sees_only_own_children(case):
    program = case.compile("waits.c")
    result = case.unharmed([program])
    expect("wait: ECHILD" in result.stdout, f"printed {result.stdout}")
    expect_steps(case, 10)


def become_subreaper():
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@scenario
def subreaper(case):
    """A program that adopts orphans would adopt the collector: none is started, and
    prof-analyze ingests."""
    program = case.compile("waits.c")
    case.unharmed([program], preexec_fn=become_subreaper)
    expect(not case.collectors(), "a collector was started below a subreaper")
    expect_steps(case, 10)
    expect(case.trust("collector_recovered") == 1, "trust does not say who ingested")


@scenario
def subreaper_in_mid_run(case):
    program = case.compile("waits.c")
    case.unharmed([program, "subreaper"])
    expect_steps(case, 20)


@need_root
def first_process_of_a_container(case):
    """The same for process 1."""
    program = case.compile("waits.c")
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    probe = subprocess.run([*inside, "true"], check=False, stderr=subprocess.DEVNULL)
    if probe.returncode:
        raise LeftOut("no PID namespace with a /proc of its own")
    # env sets LD_PRELOAD inside, so that unshare itself is not recorded.
    settings = case.environment()
    variables = [f"{name}={settings[name]}" for name in ("LD_PRELOAD", "PROFSHIM_OUTPUT")]
    result = case.run_plain([*inside, "env", *variables, program])
    expect(result.returncode == 0 and "wait: ECHILD" in result.stdout,
           f"ended with {result.returncode}: {result.stdout}{result.stderr}")
    expect_steps(case, 10)


@need_root
def other_user(case):
    """Recorded by an unprivileged user into a directory of his own."""
    program = case.compile("ticker.c")
    os.chown(case.directory, NOBODY, NOBODY)
    result = case.run([program, case.path("counts"), "2", "10000"], user=NOBODY,
                      group=NOBODY, extra_groups=[])
    expect(result.returncode == 0 and not result.stderr, f"failed: {result.stderr}")
    case.settle()
    ticker.expect_counts(case, 0)
    expect(os.stat(case.database).st_uid == NOBODY, "run.db belongs to somebody else")


@scenario
def closed_standard_descriptors(case):
    """Started with 0, 1 and 2 closed: our files must not become its standard output."""
    program = case.compile("ticker.c")

    def close_standard():
        for descriptor in (0, 1, 2):
            os.close(descriptor)

    process = subprocess.Popen([program, case.path("counts"), "1", "1000"],
                               env=case.environment(), cwd=case.directory,
                               preexec_fn=close_standard)
    expect(process.wait(60) == 0, f"ended with {process.returncode}")
    case.settle()
    ticker.expect_counts(case, 0)
    expect(case.value("PRAGMA integrity_check") == "ok", "the database is damaged")


def ask(case, name):
    return json.loads(case.analyze(name, case.database, "--format", "json").stdout)


def rules_of(answer):
    return {rule["id"]: rule for rule in answer["rules"]}


def sample_count(answer):
    return answer.get("resources", {}).get("sample_count", 0)


@scenario
def asked_while_it_waits(case):
    """A server that waits for its first request since it began is not blamed for that."""
    process = case.start([case.compile("outlived.c"), "600"])
    child = int(process.stdout.readline())
    case.wait_for_collector()
    time.sleep(1.5)  # to be blamed for
    answer = ask(case, "bottlenecks")
    for pid in (child, process.pid):
        os.kill(pid, signal.SIGKILL)
    process.communicate()
    blamed = [finding
              for finding in answer["findings"] if finding["severity"] not in ("info", "low")
              and finding["function"] == "stay"]
    expect(not blamed, f"blamed: {blamed}")
    rule = rules_of(answer)["R1"]
    expect(rule["outcome"] == "not measured" and "not ended" in rule["reason"], f"{rule}")


@scenario
def asked_while_it_serves(case):
    """A report of a server that runs has what its collector has seen so far, and blames
    no thread for waiting."""
    process = case.start([case.compile("server.c"), "600"])
    case.wait_for_collector()
    host.harness.wait_until(lambda: sample_count(ask(case, "resources")) >= 5 and
                            rules_of(ask(case, "bottlenecks"))["T1"]["outcome"] !=
                            "not measured", 60, 0.2)
    answers = {name: ask(case, name) for name in ("report", "resources", "bottlenecks")}
    process.kill()
    process.communicate()
    text = json.dumps(answers)
    expect("no collector watched" not in text and "no_resources" not in text,
           "the collector that watches is not known")
    samples = sample_count(answers["resources"])
    expect(samples >= 5, f"{samples} samples in a minute")
    rule = rules_of(answers["bottlenecks"])["T1"]
    expect(rule["outcome"] != "not measured", f"{rule}")
    for finding in answers["bottlenecks"]["findings"]:
        expect(finding["function"] != "await" or finding["severity"] in ("info", "low")
               and finding["confidence"] == "low", f"{finding}")


host.main()
