#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report beside run.db, in a directory where a stranger can put links."""
import os

import security
from security import as_stranger, expect, scenario


def record(case, database, **settings):
    return case.start(["sleep", "1"], {"PROFSHIM_OUTPUT": database, **settings})


def end(case, program, database):
    program.communicate()
    security.harness.settle(case.products, database)


@scenario
def links_under_the_names_to_come(case):
    """Of the report, of its error and of both while they are written."""
    security.make_victim(case)
    database = os.path.join(security.make_strange(case), "run.db")
    base = database.removesuffix(".db") + "-report."
    program = record(case, database, PROFSHIM_REPORT="json")
    expect(security.harness.wait_until(lambda: os.path.exists(database + "-spool")),
           "it is not recorded")
    security.harness.wait_until(lambda: os.listdir(database + "-spool"))
    token = os.path.basename(security.only_token(database))
    for suffix in ("json", "error"):
        for name in (base + suffix, f"{base}{suffix}.{token}"):
            as_stranger(case, ["ln", "-s", case.path("victim/letter"), name])
    end(case, program, database)
    security.expect_unharmed(case)


@scenario
def link_under_the_final_name(case):
    """A new report takes the link's place; its reader is who may read the database."""
    security.make_victim(case)
    strange = security.make_strange(case)
    database, report = os.path.join(strange, "run.db"), os.path.join(strange, "run-report.json")
    as_stranger(case, ["ln", "-s", case.path("victim/letter"), report])
    end(case, record(case, database, PROFSHIM_REPORT="json"), database)
    expect(security.harness.wait_until(lambda: not os.path.islink(report)), "no report")
    expect(os.stat(report).st_mode & 0o777 == os.stat(database).st_mode & 0o666,
           "others may read it than the database")
    security.expect_unharmed(case)


security.main()
