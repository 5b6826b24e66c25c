#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parts of the tool that root has copied below a directory like /tmp, where a stranger has
put what they look for beside themselves."""
import os
import shutil
import stat

import security
from security import expect, host, scenario


class Copies:
    """The parts where root has copied them, in a directory where everybody may put things;
    planted ones leave a mark when they are run."""

    def __init__(self, case):
        self.case = case
        self.top = case.path("top")
        self.mark = os.path.join(security.make_strange(case, mode=0o777), "mark")
        os.mkdir(self.top)
        os.chmod(self.top, 0o1777)

    def copy(self, part, place, mode=0o755):
        directory = os.path.join(self.top, place)
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, mode)
        return shutil.copy(part, directory)

    def plant(self, place, name, owner=host.NOBODY):
        """A script of the stranger's; its path."""
        directory = os.path.join(self.top, place)
        if not os.path.isdir(directory):
            os.makedirs(directory)
            os.chown(directory, owner, owner)
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nid -u > {self.mark}\n")
        os.chmod(path, 0o755)
        os.chown(path, owner, owner)
        return path

    def record(self, library, output):
        result = self.case.run(["true"], {"LD_PRELOAD": library, "PROFSHIM_OUTPUT": output})
        expect(result.returncode == 0, f"the program ended with {result.returncode}")

    def expect_not_run(self):
        expect(not os.path.exists(self.mark), "what the stranger has planted was run")


@scenario
def planted_collector(case):
    """Not a file of the stranger's, nor one in the stranger's directory, nor one that the
    stranger may write or exchange."""
    products = case.products
    for number, place in enumerate(("collector", "libexec/profshim")):
        for kind in ("all", "file", "directory", "writable", "exchangeable"):
            copies = Copies(case)
            library = copies.copy(products.library, "lib")
            owner = 0 if kind in ("directory", "writable", "exchangeable") else host.NOBODY
            os.makedirs(os.path.join(copies.top, place))
            planted = copies.plant(place, "profshim-collect", owner)
            if kind in ("all", "directory"):
                os.chown(os.path.dirname(planted), host.NOBODY, host.NOBODY)
            if kind == "writable":
                os.chmod(planted, 0o757)
            if kind == "exchangeable":
                os.chmod(os.path.dirname(planted), 0o777)
            copies.record(library, case.path(f"{number}-{kind}.db"))
            copies.expect_not_run()
            shutil.rmtree(copies.top)
            shutil.rmtree(case.path("strange"))


@scenario
def own_collector(case):
    """Root's own copy is taken, through a link, too."""
    copies = Copies(case)
    library = copies.copy(case.products.library, "lib")
    collector = copies.copy(case.products.collector, "real")
    os.mkdir(os.path.join(copies.top, "collector"))
    os.symlink(collector, os.path.join(copies.top, "collector", "profshim-collect"))
    copies.record(library, case.database)
    expect(host.harness.wait_until(lambda: not os.path.exists(case.database + "-spool")),
           "nobody has stored the run")
    expect(case.trust("collector_recovered") == 0, "there was no collector")


@scenario
def planted_analyzer(case):
    """prof-record finds the shim and prof-analyze beside itself: root's, not others'."""
    copies = Copies(case)
    record = copies.copy(case.products.record, "record")
    copies.copy(case.products.library, "shim")
    copies.copy(case.products.collector, "collector")
    copies.plant("analyzer", "prof-analyze")
    result = case.run_plain([record, "--report", "-o", case.database, "--", "true"])
    expect(result.returncode == 0, f"ended with {result.returncode}: {result.stderr}")
    copies.expect_not_run()
    planted = os.path.join(copies.top, "shim", "libprofshim.so")
    os.chmod(planted, stat.S_IMODE(os.stat(planted).st_mode) | stat.S_IWOTH)
    result = case.run_plain([record, "-o", case.database, "--", "printenv", "LD_PRELOAD"])
    expect(planted not in result.stdout, "a library that the stranger may write is loaded")


security.main()
