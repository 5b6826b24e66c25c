#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prof-record --repeat and --against: which runs there are, in which order, under which
labels, and what is left when a series ends early."""
import os
import shlex
import signal
import subprocess

import host
from host import expect, scenario


class Series:
    """A program that writes down each of its runs."""

    def __init__(self, case):
        self.case = case
        self.program = case.compile("turns.c")
        self.log = case.path("the log")

    def command(self, name, *more):
        return [self.program, self.log, name, *more]

    def arguments(self, options, *more):
        return [self.case.products.record, "-o", self.case.database, *options, "--",
                *self.command("after", *more)]

    def against(self, *more):
        return ["--against", shlex.join(self.command("before", *more))]

    def run(self, options, *more, status=0, says="", **settings):
        result = host.harness.run(self.arguments(options, *more), cwd=self.case.directory,
                                  env={**host.harness.plain_environment(), **settings})
        expect(result.returncode == status,
               f"{options} ended with {result.returncode}, not {status}: {result.stderr}")
        expect(says in result.stderr, f"not said: {says!r}, but: {result.stderr}")
        return result

    def refuse(self, options, says, status=2):
        """Wrong from the start: nothing runs, nothing is written."""
        before = self.turns(), self.labels()
        result = self.run(options, status=status, says=says)
        expect((self.turns(), self.labels()) == before, f"{options}: something ran")
        expect(len(result.stderr.splitlines()) <= 2, f"too many words: {result.stderr}")

    def turns(self):
        try:
            with open(self.log, encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def labels(self):
        if not os.path.exists(self.case.database):
            return []
        return [label for label, in host.harness.query(
            self.case.database, "SELECT label FROM runs ORDER BY run_id")]

    def expect_labels(self, *labels):
        expect(self.labels() == list(labels), f"labels {self.labels()}, not {labels}")


@scenario
def order(case):
    """The sides change places; warm-up runs have the shim but leave nothing."""
    series = Series(case)
    result = series.run(["--repeat", "3", "--warmup", "2", *series.against()],
                        says="prof-analyze compare " + case.database +
                        " --before=before --after=after")
    turns = series.turns()
    expect(turns == ["before off", "after off", "after off", "before off",
                     "before exact", "after exact", "after exact", "before exact",
                     "before exact", "after exact"], f"the runs were {turns}")
    series.expect_labels("before", "after", "after", "before", "before", "after")
    calls = host.harness.query(case.database, "SELECT run_id, SUM(calls) FROM functions "
                               "WHERE name = 'write_line' GROUP BY run_id")
    expect([number for _, number in calls] == [1] * 6, f"calls of the runs: {calls}")
    wrong = [row for row in host.harness.query(
        case.database, "SELECT label, command FROM runs") if row[0] not in row[1]]
    expect(not wrong, f"labels of other commands: {wrong}")
    for side in ("before", "after"):
        expect(f"{side}: 3 runs, median " in result.stderr, f"no sum: {result.stderr}")
    host.harness.expect_tidy(case.directory, ["turns", "the log", "run.db"])


@scenario
def one_side(case):
    series = Series(case)
    series.run(["--repeat", "2", "--label", "mine"], says="mine: 2 runs, median ")
    series.run(["--repeat", "1"], PROFSHIM_LABEL="theirs")
    result = series.run(["--repeat", "1", "--quiet"])
    expect(not result.stderr, f"--quiet says {result.stderr}")
    series.expect_labels("mine", "mine", "theirs", None)


@scenario
def more_of_the_same(case):
    """Runs of an earlier series are not mixed with new ones unawares."""
    series = Series(case)
    options = ["--repeat", "1", *series.against(), "--against-label", "old", "-l", "new"]
    series.run(options)
    series.refuse(options, says='has 1 run labelled "old" already')
    series.run([*options, "--append"])
    series.expect_labels("old", "new", "old", "new")
    expect(len(series.turns()) == 4, f"the runs were {series.turns()}")


@scenario
def a_run_fails(case):
    series = Series(case)
    options = ["--repeat", "3", *series.against()]
    result = series.run(options, "fail", "3", status=7, says="--ignore-failure")
    series.expect_labels("before", "after", "after (failed)")
    expect("stopped; 2 of 6 runs are in" in result.stderr, f"said: {result.stderr}")
    os.remove(series.log)
    series.run([*options, "--append", "--ignore-failure"], "fail", "3")
    expect(series.labels()[3:] == ["before", "after", "after", "before", "before", "after"],
           f"labels: {series.labels()}")
    os.remove(series.log)
    series.run(["--repeat", "2", "--warmup", "1"], "fail", "1", status=7)
    expect(len(series.labels()) == 9, "a failed warm-up run was recorded")


@scenario
def a_run_is_killed(case):
    series = Series(case)
    series.run(["--repeat", "2"], "kill", "2", status=-signal.SIGUSR1, says="signal 10")
    series.expect_labels(None, "(failed)")


def interrupt(case, whole_group, number):
    """Ends a series in its third run; the series ends by that signal."""
    series = Series(case)
    arguments = series.arguments(["--repeat", "3", *series.against()], "sleep", "3")
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True,
                          env=host.harness.plain_environment(),
                          start_new_session=True) as process:
        expect(host.harness.wait_until(lambda: len(series.turns()) == 3), "no third run")
        if whole_group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        told = process.communicate(timeout=30)[1]
    expect(process.returncode == -number, f"ended with {process.returncode}: {told}")
    series.expect_labels("before", "after", "after (interrupted)")
    expect("stopped; 2 of 6 runs are in" in told, f"said: {told}")
    expect(len(series.turns()) == 3, f"went on: {series.turns()}")
    host.harness.expect_tidy(case.directory, ["turns", "the log", "run.db"])


@scenario
def interrupted_by_the_terminal(case):
    interrupt(case, True, signal.SIGINT)


@scenario
def told_to_end(case):
    interrupt(case, False, signal.SIGTERM)


@scenario
def told_to_end_as_by_a_user(case):
    """kill -INT and kill -QUIT of prof-record alone."""
    interrupt(case, False, signal.SIGINT)
    for name in ("run.db", "the log"):
        os.remove(case.path(name))
    interrupt(case, False, signal.SIGQUIT)


@scenario
def input_and_output(case):
    """Every run reads the input from its start; the output is shown only on demand."""
    series = Series(case)
    with open(case.path("input"), "w", encoding="utf-8") as file:
        file.write("some words\n")
    options = ["--repeat", "2", "--input", case.path("input")]
    result = series.run(options)
    expect(result.stdout == "", f"the output is not discarded: {result.stdout!r}")
    result = series.run([*options, "--show-output"])
    expect(result.stdout == "some words\n" * 2, f"the output is {result.stdout!r}")
    os.mkfifo(case.path("pipe"))
    series.refuse(["--repeat", "2", "--input", case.path("pipe")], "read from the start", status=1)
    series.refuse(["--repeat", "2", "--input", case.path("none")], "No such file", status=1)


@scenario
def sweep(case):
    """A grid in turns, forth and back; each run keeps its parameters."""
    series = Series(case)
    series.command = lambda name, *more: [series.program, series.log, "{n}", "{{n}}", "x{threads}"]
    series.run(["--sweep", "n=1,2", "--sweep", "threads=1,4.5", "--repeat", "2"],
               says="prof-analyze scaling " + case.database)
    grid = ["1 exact", "1 exact", "2 exact", "2 exact"]
    expect(series.turns() == grid + grid[::-1], f"the runs were {series.turns()}")
    tags = host.harness.query(case.database, "SELECT run_id, kind, name, value FROM run_tags "
                                             "WHERE run_id IN (4, 7) ORDER BY 1, 2, 3")
    template = f"{shlex.quote(series.program)} {shlex.quote(series.log)} {{n}} {{{{n}}}} x{{threads}}"
    expect(tags == [(4, "parameter", "n", "2"), (4, "parameter", "threads", "4.5"),
                    (4, "sweep", "command", template),
                    (7, "parameter", "n", "1"), (7, "parameter", "threads", "4.5"),
                    (7, "sweep", "command", template)], f"tags: {tags}")
    command = case.value("SELECT command FROM runs WHERE run_id = 4")
    expect(command.endswith(" 2 '{n}' x4.5"), f"the command of run 4: {command}")


@scenario
def a_run_of_a_sweep_fails(case):
    """It is told, set aside, and does not end the others."""
    series = Series(case)
    result = series.run(["--sweep", "n=5,2,6", "--repeat", "1"], "fail", "{n}", status=7,
                        says="1 of 3 runs failed and do not count")
    expect("n=2" in result.stderr, f"said: {result.stderr}")
    series.expect_labels(None, "(failed)", None)
    tagged = host.harness.query(case.database, "SELECT DISTINCT run_id FROM run_tags")
    expect(tagged == [(1,), (3,)], f"with parameters: {tagged}")


@scenario
def wrong_sweeps(case):
    series = Series(case)
    for options, says in (
            (["--sweep", "n"], "write NAME=VALUE,VALUE"),
            (["--sweep", "n="], "write NAME=VALUE,VALUE"),
            (["--sweep", "=1,2"], "write NAME=VALUE,VALUE"),
            (["--sweep", "n=5"], "one value shows no growth"),
            (["--sweep", "n=1,x"], '"x" is not a number above 0'),
            (["--sweep", "n=1,,2"], '"" is not a number above 0'),
            (["--sweep", "n=0,2"], '"0" is not a number above 0'),
            (["--sweep", "n=1,nan"], '"nan" is not a number above 0'),
            (["--sweep", "n=1,2,1.0"], "1.0 is there twice"),
            (["--sweep", "n=1,2", "--sweep", "n=3,4"], "is swept already"),
            (["--sweep", "m=1,2"], "{n} is no parameter of --sweep; write {{n}}"),
            (["--sweep", "n=1,2", "--sweep", "m=3,4"], "no argument has {m}"),
            (["--sweep", "n=1,2", "--against", "x"], "--sweep varies one program"),
            (["--sweep", "n=1,2", "--repeat", "501"], "more than 1000 runs"),
            (["--sweep", "n=1,2", "--input", "{x}"], "{x} is no parameter")):
        series.command = lambda name, *more: [series.program, series.log, "{n}"]
        series.refuse(options, says)
    series.command = lambda name, *more: [series.program + "{n}", series.log, "after"]
    series.refuse(["--sweep", "n=1,2"], "stands in the program's name")


@scenario
def no_standard_input(case):
    """Who starts it may have closed descriptor 0."""
    series = Series(case)
    line = shlex.join(series.arguments(["--repeat", "1", "--show-output"])) + " <&-"
    result = host.harness.run(["sh", "-c", line], env=host.harness.plain_environment())
    expect(result.returncode == 0 and not result.stdout, f"it ended like this: {result}")
    series.expect_labels(None)


@scenario
def wrong_usage(case):
    series = Series(case)
    for options, says in (
            (["--warmup", "1"], "--warmup needs --repeat"),
            (["--ignore-failure"], "--ignore-failure needs --repeat"),
            (["--input", "x"], "--input needs --repeat"),
            (["--show-output"], "--show-output needs --repeat"),
            (["--append"], "--append needs --repeat"),
            (["--repeat", "2", "--against-label", "x"], "--against-label needs --against"),
            (["--repeat", "0"], "--repeat takes a number"),
            (["--repeat", "many"], "--repeat takes a number"),
            (["--repeat", "2", "--level", "off"], "the level off"),
            (["--repeat", "2", "--label", "12"], "the number of a run"),
            (["--repeat", "2", "--label", "x" * 128], "is too long"),
            (["--repeat", "2", "--label", "x,y"], "has a comma"),
            (["--against", "x", "--label", "before"], "both sides have the label"),
            (["--against", "x 'y"], "ends inside a quotation"),
            (["--against", "x\\"], "ends with a backslash"),
            (["--against", "x | y"], "'|' is for a shell"),
            (["--against", "x $HOME"], "'$' is for a shell"),
            (["--against", "A=1 x"], "sets a variable"),
            (["--against", " "], "names no program")):
        series.refuse(options, says)


@scenario
def side_that_cannot_be_recorded(case):
    """Found before anything has run."""
    series = Series(case)
    static = case.compile("ticker.c", flags=["-static", "-pthread"])
    series.refuse(["--against", "./no-such-program"], "was not found", status=127)
    result = host.harness.run(
        [case.products.record, "-o", case.database, "-q", "--repeat", "2", "--", static],
        env=host.harness.plain_environment())
    expect(result.returncode == 1 and "statically linked" in result.stderr,
           f"a static program: {result}")
    expect(not os.path.exists(case.database), "a file was made")


host.main()
