# SPDX-License-Identifier: MIT
"""Build and run small programs with and without the shim, and look at what it left.

Used by run_program.py, by the tests in tests/host and by tests/bench.
"""
import contextlib
import functools
import glob
import hashlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
HEADERS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "shim")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


# Started by nohup, or in the background of a script, we ignore some signals, and every
# program started from here would, too: it would not end when it is told to.
for _number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD,
                signal.SIGUSR1, signal.SIGUSR2):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_SETMASK, [])


class Failure(Exception):
    """What the test found wrong, in a sentence."""


def expect(condition, sentence):
    if not condition:
        raise Failure(sentence)


class Products:
    """The programs of a built tree."""

    def __init__(self, build_root):
        self.library = os.path.join(build_root, "shim", "libprofshim.so")
        self.collector = os.path.join(build_root, "collector", "profshim-collect")
        self.record = os.path.join(build_root, "record", "prof-record")
        self.analyze = os.path.join(build_root, "analyzer", "prof-analyze")
        for path in vars(self).values():
            expect(os.path.exists(path), f"{path} has not been built")
        keep_programs(build_root)

    def environment(self, output, **settings):
        """The environment of a program to be recorded into output."""
        environment = plain_environment()
        environment["LD_PRELOAD"] = self.library
        environment["PROFSHIM_OUTPUT"] = output
        environment.update({key: str(value) for key, value in settings.items()})
        return environment


def plain_environment():
    """Ours without anything that would change how a program is recorded. Known numbers on
    known paths ask for the exact level; tests/counted asks for budgets."""
    plain = {key: value for key, value in os.environ.items()
             if not key.startswith(("PROFSHIM_", "LD_PRELOAD", "MESON_", "MALLOC_", "ASAN_"))}
    return {**plain, "PROFSHIM_LEVEL": "exact"}


def brief_environment():
    """Of a run that only shows what a program prints and how it ends: programs that ask for
    BRIEF compute less, and some do the same less often."""
    return {**plain_environment(), "BRIEF": "1"}


def run(command, **options):
    options.setdefault("timeout", 120)
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False, **options)


# Where compile_program() keeps what compilers made, of this build of the tree.
_kept = None


def keep_programs(build_root):
    """Until scripts/test finds that nobody has asked for one for long."""
    global _kept
    if os.path.isdir(os.path.join(build_root, "meson-private")) and \
            os.access(build_root, os.W_OK):
        _kept = os.path.join(os.path.abspath(build_root), "tests", "kept_programs")
        os.makedirs(_kept, exist_ok=True)


def _contents(paths):
    for path in filter(os.path.isfile, paths):
        with open(path, "rb") as file:
            yield file.read()


def _headers(directory):
    """What a source there may include of ours."""
    return tuple(_contents(sorted(glob.glob(os.path.join(glob.escape(directory), "**/*.h"),
                                            recursive=True))))


_headers_of_ours = functools.lru_cache(_headers)


@functools.lru_cache
def _identity(compiler):
    """Another one stands in its place after an update."""
    path = os.path.realpath(shutil.which(compiler) or compiler)
    return f"{path} {os.stat(path).st_mtime_ns}" if os.path.exists(path) else path


def _directory():
    """Where relative paths begin; None: nowhere, as where the root was changed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _digest(command, source, flags):
    """Names all that decides what becomes of it."""
    own = [flag[2:] for flag in flags if flag.startswith("-I")]
    digest = hashlib.sha256(repr((command, source, flags, _directory(),
                                  _identity(command[0]))).encode())
    for directory in (HERE, os.path.dirname(source), *own):
        is_ours = directory.startswith(os.path.dirname(HERE))
        headers = _headers_of_ours(directory) if is_ours else _headers(directory)
        digest.update(repr(headers).encode())
    for text in _contents([os.path.join(HEADERS, "profshim.h"), source, *flags]):
        digest.update(b"%d " % len(text) + text)
    return digest.hexdigest()


def _take(kept, target):
    """As linkers do: who runs what was there goes on with it."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(target)
    try:
        shutil.copy(kept, target)
        os.utime(kept)
    except FileNotFoundError:
        return False
    return True


def _keep(target, kept):
    """Others may make the same at this moment: it is there as a whole or not."""
    with tempfile.NamedTemporaryFile(dir=_kept, delete=False) as file:
        pass
    shutil.copy(target, file.name)
    os.rename(file.name, kept)


# Words for the linker alone, of which compilers complain where nothing is linked.
FOR_LINKER = re.compile(r"[^-]|-(Wl,|l|L|static|shared$|s$|no-pie$|rdynamic$|fuse-ld)")


def _object_in_cache(command, source, flags, target):
    """The source as an object, from ccache when it knows it; None: without it."""
    name = target + ".o"
    if not _kept or "-c" in flags or not shutil.which("ccache"):
        return None
    flags = [flag for flag in flags if not FOR_LINKER.match(flag)]
    result = run(["ccache", *command, "-c", source, "-o", name, *flags])
    return name if result.returncode == 0 else None


def compile_program(source, target, compiler="gcc", optimisation="-O2", flags=(), hooks=True):
    """Compiles one source, in C or C++ by its name, into a program or, with -shared among
    the flags, into a library. hooks: with -finstrument-functions. Scenarios ask for the same
    program again and again, each in a directory of its own, and so do runs of the tests."""
    is_cpp = source.endswith(".cpp")
    command = [COMPILERS[compiler][is_cpp], "-std=gnu++17" if is_cpp else "-std=gnu11",
               "-D_GNU_SOURCE", "-I" + HERE, "-I" + HEADERS, "-g", *optimisation.split(), *WARNINGS]
    if hooks:
        command.append("-finstrument-functions")
    # what has the name of the test's own directory in it nobody else asks for
    is_own = any(os.path.dirname(target) in word for word in (source, *flags))
    kept = None if is_own or not _kept else os.path.join(
        _kept, _digest(command, source, flags))
    if kept and _take(kept, target):
        return target
    cached = None if is_own else _object_in_cache(command, source, flags, target)
    command += [cached or source, "-o", target, *flags]
    result = run(command)
    expect(result.returncode == 0, f"{' '.join(command)} failed:\n{result.stderr}")
    if cached:
        os.unlink(cached)
    if kept:
        _keep(target, kept)
    return target


def reading(database):
    """A connection for many queries of a database that nobody writes to any longer: to open
    one takes longer than most queries."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    # all of 50 MB: with SQLite's 2 MB the invariants of 400,000 paths take a sixth longer
    connection.execute("PRAGMA cache_size = -65536")
    return contextlib.closing(connection)


def query(database, sql):
    """Rows of a query, read without prof-analyze. database: a path, or what reading() gave."""
    try:
        if isinstance(database, sqlite3.Connection):
            return database.execute(sql).fetchall()
        with reading(database) as connection:
            return connection.execute(sql).fetchall()
    except sqlite3.Error as error:
        raise Failure(f"{error} in: {sql}") from error


def value(database, sql):
    rows = query(database, sql)
    expect(len(rows) == 1 and len(rows[0]) == 1, f"one value expected of: {sql}, got {rows}")
    return rows[0][0]


def settle(products, database, **options):
    """Waits until the recording is in the database: nobody collects any longer, and
    prof-analyze has taken over what a killed collector left. options: of the user whose
    recording it is."""
    spool = database + "-spool"

    def is_settled():
        if processes_naming(spool + "/"):
            return False
        if os.path.exists(database) and not os.path.exists(spool):
            return True
        result = run([products.analyze, "runs", database], **options)
        expect(result.returncode == 0,
               f"prof-analyze runs ended with {result.returncode}: {result.stderr}")
        return not os.path.exists(spool)

    expect(wait_until(is_settled, 60, 0.05), f"the spool is left: {spool}")


def signals_are_told():
    """Can one learn what killed a process that is not one's child? Older kernels tell
    only while it is a zombie, which may be too short a time: exit_signal stays NULL."""
    version = [int(number) for number in re.findall(r"\d+", os.uname().release)[:2]]
    return version >= [6, 15]


def _names(process, text):
    try:
        with open(process + "/cmdline", "rb", buffering=0) as file:
            if text.encode() in file.read():
                return True
        descriptors = os.listdir(process + "/fd")
    except OSError:
        return False
    for descriptor in descriptors:
        with contextlib.suppress(OSError):  # closed meanwhile
            if text in os.readlink(f"{process}/fd/{descriptor}"):
                return True
    return False


def processes_naming(text):
    """Process ids, not our own, whose command line or open files name text."""
    return [int(entry) for entry in os.listdir("/proc")
            if entry.isdigit() and int(entry) != os.getpid() and _names("/proc/" + entry, text)]


def wait_until(condition, seconds=10.0, pause=0.01):
    """Polls; the last value of condition()."""
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result or time.monotonic() > deadline:
            return result
        time.sleep(pause)


def expect_tidy(directory, allowed):
    """Nothing but the named files is left, and no process works there any longer."""
    left = []

    def is_left_alone():
        left[:] = processes_naming(directory + "/")
        return not left

    # each look takes 5 ms of CPU time
    wait_until(is_left_alone, pause=0.03)
    expect(not left, f"processes are left that use {directory}: {left}")
    stray = sorted(set(os.listdir(directory)) - set(allowed))
    expect(not stray, f"files are left: {', '.join(stray)}")
