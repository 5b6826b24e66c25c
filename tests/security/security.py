# SPDX-License-Identifier: MIT
"""What the attacks share: two users, root who records and a stranger who attacks.

Each attack gets a directory that both may enter; in it lies a victim that only root may
touch. An attack is a scenario as in tests/host; it ends with expect_unharmed().
"""
import contextlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "host"))
import host  # noqa: E402  (found through the line above)
from host import expect, harness, scenario  # noqa: E402,F401

SKIPPED = 77
AS_STRANGER = ["setpriv", f"--reuid={host.NOBODY}", f"--regid={host.NOBODY}", "--clear-groups"]
NO_COLLECTOR = "/nonexistent/collector"
PRECIOUS = "of root alone\n"


def make_victim(case):
    """A directory the stranger cannot enter, with files; the files' paths."""
    os.mkdir(case.path("victim"), 0o700)
    files = [case.path(f"victim/{name}") for name in ("run", "letter", "1-1.segment")]
    for path in files:
        with open(path, "w", encoding="utf-8") as file:
            file.write(PRECIOUS)
    return files


def expect_unharmed(case):
    found = sorted(os.listdir(case.path("victim")))
    expect(found == ["1-1.segment", "letter", "run"], f"the victim has {found} now")
    for name in found:
        with open(case.path(f"victim/{name}"), encoding="utf-8") as file:
            expect(file.read() == PRECIOUS, f"the victim's {name} was written to")


def make_strange(case, name="strange", mode=0o755):
    """A directory of the stranger; its path."""
    path = case.path(name)
    os.chmod(case.directory, 0o755)
    os.mkdir(path)
    os.chmod(path, mode)
    os.chown(path, host.NOBODY, host.NOBODY)
    return path


def as_stranger(case, command, **settings):
    """Runs a command as the stranger; with settings it is recorded."""
    environment = harness.plain_environment()
    if settings:
        environment = case.products.environment(settings.pop("output"), **settings)
    # the shim is not for setpriv: what it starts has an environment of its own
    variables = [f"{key}={value}" for key, value in environment.items()
                 if key.startswith(("PROFSHIM_", "LD_PRELOAD"))]
    return harness.run([*AS_STRANGER, "env", *variables, *command], cwd="/",
                       env=harness.plain_environment())


@contextlib.contextmanager
def stranger_at_work(script, *arguments):
    """A Python script of the stranger's that goes on meanwhile, for a minute at most."""
    program = subprocess.Popen(["timeout", "60", *AS_STRANGER, sys.executable, "-c", script,
                                *arguments], cwd="/", stdout=subprocess.PIPE, text=True)
    expect(program.stdout.readline() == "ready\n", "the stranger's program did not start")
    try:
        yield
    finally:
        program.terminate()
        program.communicate()


def only_token(database):
    tokens = os.listdir(database + "-spool")
    expect(len(tokens) == 1, f"one run expected in the spool, found {tokens}")
    return os.path.join(database + "-spool", tokens[0])


def main():
    if os.getuid() != 0:
        print(f"skipped: {len(host.scenarios)} attacks, which only root can set up")
        sys.exit(SKIPPED)
    host.main()
