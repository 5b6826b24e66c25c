#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spools that a stranger has planted, or changes while root is at work in them."""
import os
import stat

import security
from security import as_stranger, expect, harness, scenario

# Exchanges two names for ever. renameat2 is number 316, RENAME_EXCHANGE 2.
SWAP = """
import ctypes, sys
call, (a, b) = ctypes.CDLL(None).syscall, [name.encode() for name in sys.argv[1:]]
print("ready", flush=True)
while True:
    call(316, -100, a, -100, b, 2)
"""
ROUNDS = 6


def plant(case, database):
    """A run of the stranger's that no collector took."""
    result = as_stranger(case, ["true"], output=database,
                         PROFSHIM_COLLECTOR=security.NO_COLLECTOR)
    expect(result.returncode == 0, f"ended with {result.returncode}: {result.stderr}")
    return security.only_token(database)


@scenario
def link_in_place_of_the_run(case):
    """Root's prof-analyze meets a spool whose TOKEN becomes a link to the victim."""
    security.make_victim(case)
    for number in range(ROUNDS):
        database = os.path.join(security.make_strange(case, f"strange{number}"), "run.db")
        token = plant(case, database)
        as_stranger(case, ["ln", "-s", case.path("victim"), token + ".link"])
        with security.stranger_at_work(SWAP, token, token + ".link"):
            for _ in range(3):
                case.analyze("runs", database)
        security.expect_unharmed(case)


@scenario
def says_whose_it_is(case):
    """Root leaves the stranger's run alone, names the owner, who then gets at it."""
    database = os.path.join(security.make_strange(case), "run.db")
    token = plant(case, database)
    result = case.analyze("runs", database)
    expect("belongs to user nobody" in result.stderr and database + "-spool" in result.stderr,
           f"it says {result.stderr}")
    expect(os.path.exists(token) and not os.path.exists(database), "it was taken over")
    result = as_stranger(case, [case.products.analyze, "runs", database])
    expect(result.returncode == 0 and not os.path.exists(database + "-spool"),
           f"the owner cannot have it: {result.stderr}")


@scenario
def whole_spool_exchanged(case):
    """Root's own run, in a directory where the stranger can exchange the spool."""
    security.make_victim(case)
    for number in range(ROUNDS):
        strange = security.make_strange(case, f"strange{number}")
        database = os.path.join(strange, "run.db")
        case.run(["true"], {"PROFSHIM_OUTPUT": database,
                            "PROFSHIM_COLLECTOR": security.NO_COLLECTOR})
        token = security.only_token(database)
        other = os.path.join(strange, "other")
        as_stranger(case, ["mkdir", other])
        as_stranger(case, ["ln", "-s", case.path("victim"),
                           os.path.join(other, os.path.basename(token))])
        with security.stranger_at_work(SWAP, database + "-spool", other):
            for _ in range(3):
                case.analyze("runs", database)
        security.expect_unharmed(case)


@scenario
def reason_through_a_link(case):
    """The note that tells why a run is left behind, in a planted run."""
    security.make_victim(case)
    database = os.path.join(security.make_strange(case), "run.db")
    token = plant(case, database)
    os.mkdir(database)  # it cannot be stored
    as_stranger(case, ["ln", "-s", case.path("victim/letter"), token + "/error"])
    result = harness.run([case.products.collector, token])
    expect(result.returncode == 1 and "nobody" in result.stderr, f"says {result.stderr}")
    security.expect_unharmed(case)


EXCHANGE_RUN = """
import os, sys, time
spool, victim = sys.argv[1:]
print("ready", flush=True)
while True:
    for name in os.listdir(spool):
        if name != "taken" and not os.path.exists(f"{spool}/taken"):
            os.rename(f"{spool}/{name}", f"{spool}/taken")
            os.mkdir(f"{spool}/{name}")
            os.symlink(victim, f"{spool}/{name}/error")
            os.symlink(f"{spool}/taken/run", f"{spool}/{name}/run")
"""


@scenario
def spool_made_by_another(case):
    """The stranger was there first: root's program does not record into it."""
    security.make_victim(case)
    database = os.path.join(security.make_strange(case), "run.db")
    as_stranger(case, ["mkdir", "-m", "777", database + "-spool"])
    os.mkdir(database)
    with security.stranger_at_work(EXCHANGE_RUN, database + "-spool",
                                   case.path("victim/letter")):
        recorded = case.unharmed(["sleep", "0.3"], {"PROFSHIM_OUTPUT": database})
    expect("unrecorded" in recorded.message and "-spool" in recorded.message,
           f"it says {recorded.message}")
    security.expect_unharmed(case)


@scenario
def run_of_another(case):
    """PROFSHIM_RUN names a run of the stranger's: root's program has no part in it."""
    database = os.path.join(security.make_strange(case), "run.db")
    token = plant(case, database)
    before = sorted(os.listdir(token))
    case.unharmed(["true"], {"PROFSHIM_RUN": token})
    expect(sorted(os.listdir(token)) == before, f"there is more in it: {os.listdir(token)}")
    expect(not os.path.exists(case.database), "it was recorded elsewhere")


@scenario
def spool_that_is_a_link(case):
    os.mkdir(case.path("elsewhere"), 0o700)
    os.symlink(case.path("elsewhere"), case.database + "-spool")
    recorded = case.unharmed(["true"])
    expect("unrecorded" in recorded.message, f"it says {recorded.message}")
    expect(not os.listdir(case.path("elsewhere")), "something is in there")


@scenario
def everybodys_directory(case):
    """A sticky directory as /tmp is: everybody records into it, all alone."""
    os.chmod(case.directory, 0o755)
    shared = case.path("shared")
    os.mkdir(shared)
    os.chmod(shared, 0o1777)
    mine, strange = os.path.join(shared, "mine.db"), os.path.join(shared, "strange.db")
    recorded = case.unharmed(["true"], {"PROFSHIM_OUTPUT": mine})
    expect(not recorded.message, f"it says {recorded.message}")
    result = as_stranger(case, ["true"], output=strange)
    expect(result.returncode == 0 and not result.stderr, f"it says {result.stderr}")
    for database, owner in ((mine, 0), (strange, security.host.NOBODY)):
        harness.settle(case.products, database)
        expect(os.stat(database).st_uid == owner, f"{database} is not of its user")
        expect(harness.value(database, "SELECT complete FROM runs") == 1, "incomplete")


@scenario
def second_name(case):
    """A run's file that has another name is not believed."""
    case.run(["true"], {"PROFSHIM_COLLECTOR": security.NO_COLLECTOR})
    token = security.only_token(case.database)
    os.link(os.path.join(token, "run"), case.path("second"))
    result = case.analyze("runs", case.database)
    expect("plain file" in result.stderr, f"it says {result.stderr}")
    os.remove(case.path("second"))
    case.settle()
    expect(case.value("SELECT COUNT(*) FROM runs") == 1, "the run is lost")


@scenario
def others_may_write(case):
    """So is a spool that others can write into."""
    case.run(["true"], {"PROFSHIM_COLLECTOR": security.NO_COLLECTOR})
    token = security.only_token(case.database)
    os.chmod(token, 0o777)
    result = case.analyze("runs", case.database)
    expect("can write into it" in result.stderr, f"it says {result.stderr}")
    os.chmod(token, 0o700)
    case.settle()
    mode = stat.S_IMODE(os.stat(case.database).st_mode)
    expect(not mode & 0o022, f"the database has mode {mode:o}")


security.main()
