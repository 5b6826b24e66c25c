#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests themselves, started in ways that are strange to them: by nohup, in the
background of a script, in a root directory that is no mount point."""
import os
import signal

import host
import verdict
from host import expect, need_root, scenario
from jail import Jail

PYTHON = "/usr/bin/python3"  # Debian's is in every root directory
SOURCE = os.path.dirname(os.path.dirname(host.HERE))


def run_test(case, name, *scenarios, **options):
    """Of another file of tests, with the same products."""
    build = os.path.dirname(os.path.dirname(case.products.library))
    result = host.harness.run(
        [PYTHON, os.path.join(host.HERE, name), build, *scenarios], timeout=60,
        env=host.harness.plain_environment(), **options)
    expect(result.returncode == 0, f"{name}: {result.stdout}{result.stderr}")
    return result.stdout


def ignore_signals():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM,
                   signal.SIGUSR1, signal.SIGUSR2, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGALRM])


@scenario
def ignored_signals(case):
    """Programs that the tests tell to end, end."""
    said = run_test(case, "processes.py", "fatal_signals", preexec_fn=ignore_signals,
                    restore_signals=False)
    expect("fatal_signals: ok" in said, said)


@need_root
def root_is_no_mount_point(case):
    """Nothing can be mounted there so that nobody else sees it: said, and left out."""
    with Jail(case, ["/proc", "/dev", SOURCE]) as root:
        os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
        for name, some in (("disks.py", "read_only"), ("surroundings.py", "bare_root")):
            said = run_test(case, name, some, cwd="/",
                            preexec_fn=lambda: os.chroot(root))
            expect(f"{some}: left out: / is no mount point" in said, said)


if __name__ == "__main__":
    verdict.mount_privately()
    host.main()
