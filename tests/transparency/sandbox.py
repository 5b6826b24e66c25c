# SPDX-License-Identifier: MIT
"""Runs one command in a fresh directory with a fixed environment and tells everything
that can be seen of it from outside: an Outcome."""
import ctypes
import dataclasses
import hashlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import time

EPOCH = 1700000000
PR_SET_CHILD_SUBREAPER = 36
WALL = 0x40000000  # __WALL: children whose end sends no SIGCHLD, too
PATIENCE_SECONDS = 10
FIXED = {
    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin:/usr/games", "LC_ALL": "C.UTF-8", "TZ": "UTC",
    "SOURCE_DATE_EPOCH": str(EPOCH), "TERM": "dumb", "COLUMNS": "80", "LINES": "24",
    "CCACHE_DISABLE": "1",  # meson would use it, and its files hold the moment
    "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_AUTHOR_DATE": f"{EPOCH} +0000", "GIT_COMMITTER_DATE": f"{EPOCH} +0000",
}


@dataclasses.dataclass
class Outcome:
    status: object  # exit code, negative signal, or "timed out"
    streams: dict  # "stdout" and "stderr": bytes
    files: dict  # path: (kind, mode, bytes or link target or digest)
    strays: list  # command lines of processes left behind, which were then ended
    seconds: float


def become_subreaper():
    """What outlives a command becomes our child, so that it can be seen and ended."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def environment(work, port, user):
    return FIXED | {"HOME": os.path.join(work, "home"), "TMPDIR": os.path.join(work, "tmp"),
                    "USER": user, "LOGNAME": user, "PORT": str(port), "WORK": work}


def prepare(slot, inputs, names):
    """An empty slot with the inputs in work/, all as old as the epoch."""
    shutil.rmtree(slot, ignore_errors=True)
    work = os.path.join(slot, "work")
    for folder in (slot, work, os.path.join(work, "home"), os.path.join(work, "tmp"),
                   os.path.join(slot, "record")):
        os.mkdir(folder, 0o755)
    for name in names:
        source, target = os.path.join(inputs, name), os.path.join(work, name)
        if os.path.isdir(source):
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy(source, target)
    for folder, folders, files in os.walk(work):
        for name in folders + files:
            os.utime(os.path.join(folder, name), (EPOCH, EPOCH), follow_symlinks=False)
    return work


def give_away(slot, account):
    for folder, folders, files in os.walk(slot):
        for name in ["."] + folders + files:
            os.chown(os.path.join(folder, name), account.pw_uid, account.pw_gid,
                     follow_symlinks=False)


def run(case, slot, inputs, port, timeout, extra):
    """extra: what the environment of a recorded run has more."""
    work = prepare(slot, inputs, case.inputs)
    options = {}
    if case.user:
        account = pwd.getpwnam(case.user)
        give_away(slot, account)
        options = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    paths = {name: os.path.join(slot, name) for name in ("stdout", "stderr")}
    started = time.monotonic()
    with open(paths["stdout"], "wb") as out, open(paths["stderr"], "wb") as err:
        process = subprocess.Popen(
            case.argv, cwd=work, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            env=environment(work, port, case.user or "root") | extra, umask=0o022,
            start_new_session=True, **options)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = "timed out"
    seconds = time.monotonic() - started
    strays = end_strays(0.5 if status == "timed out" else PATIENCE_SECONDS)
    streams = {}
    for name, path in paths.items():
        with open(path, "rb") as file:
            streams[name] = file.read()
    return Outcome(status, streams, files_in(work), strays, seconds)


def children():
    with open("/proc/thread-self/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def end_strays(patience_seconds):
    """Waits for what the command left running; what does not end by itself is told and
    ended."""
    strays, deadline = [], time.monotonic() + patience_seconds
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG | WALL)[0]:
                pass
        except ChildProcessError:
            return strays
        if time.monotonic() > deadline:
            for pid in ended_first(children()):
                strays.append(command_line(pid))
                os.kill(pid, signal.SIGKILL)
            deadline = time.monotonic() + patience_seconds
        time.sleep(0.002)


def ended_first(pids):
    """The collector watches what is left, so it is in the wrong only when alone."""
    others = [pid for pid in pids if "profshim-collect" not in command_line(pid)]
    return others or pids


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return f"process {pid}"


def files_in(work):
    found = {}
    for folder, folders, files in os.walk(work):
        for name in folders + files:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, work)] = describe(path)
    return found


def describe(path):
    state = os.lstat(path)
    mode = stat.S_IMODE(state.st_mode)
    if stat.S_ISLNK(state.st_mode):
        return "link", mode, os.readlink(path).encode(errors="surrogateescape")
    if not stat.S_ISREG(state.st_mode):
        return stat.filemode(state.st_mode)[0], mode, b""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) > 1 << 20:
        data = f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()}".encode()
    return "file", mode, data
