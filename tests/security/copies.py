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

    def plant_link(self, place, target):
        """A link of the stranger's to a file of root's."""
        path = os.path.join(self.top, place)
        os.symlink(target, path)
        os.chown(path, host.NOBODY, host.NOBODY, follow_symlinks=False)

    def marker(self):
        """A program of root's that leaves the mark, too; its path."""
        path = self.case.path("marker")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nid -u > {self.mark}\n")
        os.chmod(path, 0o755)
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


def try_link(case, output, plant):
    """root's library in a directory of everybody's, with what plant() puts beside it."""
    copies = Copies(case)
    library = copies.copy(case.products.library, "lib")
    plant(copies, copies.marker())
    copies.record(library, output)
    copies.expect_not_run()
    shutil.rmtree(copies.top)
    shutil.rmtree(case.path("strange"))


@scenario
def planted_link(case):
    """A link of the stranger's leads to what only root can write, and is judged itself."""
    def to_file(copies, marker):
        os.mkdir(os.path.join(copies.top, "collector"))
        copies.plant_link("collector/profshim-collect", marker)

    def to_directory(copies, marker):
        os.mkdir(case.path("of-root"), 0o755)
        shutil.copy(marker, case.path("of-root/profshim-collect"))
        copies.plant_link("collector", case.path("of-root"))

    def over_a_link(copies, marker):
        """Root's link, over one of the stranger's."""
        os.mkdir(os.path.join(copies.top, "collector"))
        os.symlink("../middle", os.path.join(copies.top, "collector", "profshim-collect"))
        copies.plant_link("middle", marker)

    def in_strange_directory(copies, marker):
        """Root's own link, which the owner of its directory can exchange."""
        os.mkdir(os.path.join(copies.top, "collector"))
        os.symlink(marker, os.path.join(copies.top, "collector", "profshim-collect"))
        os.chown(os.path.join(copies.top, "collector"), host.NOBODY, host.NOBODY)

    for number, plant in enumerate((to_file, to_directory, over_a_link,
                                    in_strange_directory)):
        try_link(case, case.path(f"link{number}.db"), plant)


@scenario
def planted_above(case):
    """Directories above count: who owns one, or may write there, can exchange all below."""
    for owner, mode in ((host.NOBODY, 0o755), (host.NOBODY, 0o1777), (0, 0o777), (0, 0o775)):
        copies = Copies(case)
        library = copies.copy(case.products.library, "above/lib")
        os.mkdir(os.path.join(copies.top, "above/collector"))
        shutil.copy(copies.marker(),
                    os.path.join(copies.top, "above/collector/profshim-collect"))
        above = os.path.join(copies.top, "above")
        os.chown(above, owner, host.NOBODY)
        os.chmod(above, mode)
        copies.record(library, case.path(f"above-{owner}-{mode:o}.db"))
        copies.expect_not_run()
        shutil.rmtree(copies.top)
        shutil.rmtree(case.path("strange"))


@scenario
def planted_analyzer_link(case):
    """prof-record names what it does not believe, and goes on without a report."""
    copies = Copies(case)
    record = copies.copy(case.products.record, "record")
    copies.copy(case.products.library, "shim")
    copies.copy(case.products.collector, "collector")
    os.mkdir(os.path.join(copies.top, "analyzer"))
    copies.plant_link("analyzer/prof-analyze", copies.marker())
    result = case.run_plain([record, "--report", "-o", case.database, "--", "true"])
    expect(result.returncode == 0, f"ended with {result.returncode}: {result.stderr}")
    copies.expect_not_run()
    expect(os.path.join(copies.top, "analyzer/prof-analyze") in result.stderr,
           f"it says {result.stderr}")


@scenario
def namespace_without_root(case):
    """Where the owner of the root directory is nobody whom we know, our own parts work."""
    copies = Copies(case)
    record = copies.copy(case.products.record, "record")
    for part, place in ((case.products.library, "shim"), (case.products.analyze, "analyzer"),
                        (case.products.collector, "collector")):
        copies.copy(part, place)
    for directory, _, names in os.walk(copies.top):
        for name in ["", *names]:
            os.chown(os.path.join(directory, name), host.NOBODY, host.NOBODY)
    inside = ["unshare", "--user", "--map-root-user", record, "-o",
              os.path.join(case.path("strange"), "run.db"), "--", "true"]
    result = security.as_stranger(case, inside)
    if result.stderr.startswith("unshare:"):
        raise host.LeftOut("user namespaces are not allowed here")
    expect(result.returncode == 0 and "run 1 in" in result.stderr,
           f"{result}")


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
