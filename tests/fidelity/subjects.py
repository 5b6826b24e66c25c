# SPDX-License-Identifier: MIT
"""The programs that fidelity is measured with: each built plain and with hooks, with work
that makes the same calls on every run, and takes the plain build half a second or more:
of a shorter run there are too few samples to rank twenty functions by."""
import os
import shutil
import subprocess

import measure
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(os.path.dirname(HERE), "bench")
FLAGS = {"plain": programs.PLAIN, "hooked": programs.HOOKED}
# The headers of the C++ library are left out, as README.md says.
NO_LIBRARY = "-finstrument-functions-exclude-file-list=/usr/include"
CMARK_CONFIG = """#include <stdbool.h>
#define HAVE___BUILTIN_EXPECT
#define CMARK_ATTRIBUTE(list) __attribute__(list)
#define CMARK_INLINE inline
"""
CMARK_VERSION = """#define CMARK_VERSION 0x001e02
#define CMARK_VERSION_STRING "0.30.2"
"""
CMARK_EXPORT = "#define CMARK_EXPORT\n#define CMARK_NO_EXPORT\n"


class Subject:
    """One program. built: {"plain": path, "hooked": path}; arguments: its work;
    fixed_addresses: it makes the same calls only where its addresses are the same;
    uncounted: functions whose calls depend on who looks on; waiting: those of a program with
    several threads that wait for others, which is time to a recorder and none to samples."""

    def __init__(self, name, built, arguments, fixed_addresses=False, uncounted=(),
                 waiting=()):
        self.name, self.built, self.arguments = name, built, arguments
        self.fixed_addresses, self.uncounted = fixed_addresses, uncounted
        self.waiting, self.has_threads = waiting, bool(waiting)

    def command(self, kind):
        return [self.built[kind], *self.arguments]


def is_newer(target, sources):
    return os.path.exists(target) and os.path.getmtime(target) > \
        max(os.path.getmtime(source) for source in sources)


LONG_AGO_S = 1_000_000_000


def make_as_old(folder):
    """Of what was unpacked one file is younger than what was made of it, because Debian's
    patches changed it: make would ask for the tools to make that again."""
    for directory, _, names in os.walk(folder):
        for name in names:
            os.utime(os.path.join(directory, name), (LONG_AGO_S, LONG_AGO_S),
                     follow_symlinks=False)


class Builder(programs.Programs):
    """Builds below a folder what is not built yet; each subject is a method."""

    def _compiled(self, name, source, files, options=(), compiler="gcc", hooked=()):
        """All files in one go: {"plain": path, "hooked": path}."""
        built, waiting = {}, []
        for kind, flags in FLAGS.items():
            built[kind] = os.path.join(self.folder, f"{name}-{kind}")
            if is_newer(built[kind], [os.path.join(source, file) for file in files]):
                continue
            extra = hooked if kind == "hooked" else ()
            waiting.append(subprocess.Popen(
                [compiler, *flags, *extra, "-w", *files, "-o", built[kind], *options],
                cwd=source))
        if any([process.wait() for process in waiting]):
            raise measure.BenchError(f"{name} does not compile")
        return built

    def _configured(self, name, options, targets, program):
        """Each kind configured and made in a folder of its own. targets: what is made, as
        arguments of make, one after the other; not the manuals, which need more tools."""
        source = self.fetch(name)
        built = {}
        for kind, flags in FLAGS.items():
            folder = os.path.join(self.folder, f"{name}-build-{kind}")
            built[kind] = os.path.join(folder, program)
            if os.path.exists(built[kind]):
                continue
            measure.remove(folder)
            os.mkdir(folder)
            make_as_old(source)
            # Hooks are no business of configure's: its tests are programs, too.
            measure.run([os.path.join(source, "configure"), "--disable-nls",
                         "--disable-dependency-tracking", *options,
                         "CFLAGS=" + " ".join(FLAGS["plain"])], cwd=folder)
            for target in targets:
                measure.run(["make", f"-j{os.cpu_count()}", "CFLAGS=" + " ".join(flags),
                             *target], cwd=folder)
        return built

    def _text(self, name, sources, times=1):
        """A file to work on: those files one after the other, again and again."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            for _ in range(times):
                for source in sources:
                    with open(source, "rb") as part:
                        shutil.copyfileobj(part, file)
        return path

    def _sqlite_text(self, name, count, times=1):
        """Sources of SQLite: text that nobody made up. The count biggest files."""
        folder = os.path.join(self.fetch("sqlite3"), "src")
        files = [os.path.join(folder, entry) for entry in os.listdir(folder)
                 if entry.endswith(".c")]
        files.sort(key=lambda path: (-os.path.getsize(path), path))
        return self._text(name, files[:count], times)

    def lua_subject(self):
        source = self.fetch("lua5.4")
        built = {}
        for kind, flags in FLAGS.items():
            built[kind] = os.path.join(self.folder, "lua-seeded-" + kind)
            if not os.path.exists(built[kind]):
                # Its hashes and its sorting are seeded by time and addresses.
                measure.run([os.path.join(programs.ROOT, "scripts", "build_lua"), source,
                             built[kind], *flags, "-Dluai_makeseed(L)=42u",
                             "-Dl_randomizePivot()=42u"])
        script = os.path.join(BENCH, "mixed.lua")
        return Subject("lua", built, [script, "40"], fixed_addresses=True)

    def sqlite_subject(self):
        return Subject("sqlite", self.sqlite(), ["--size", "40"])

    def bzip2_subject(self):
        files = [name + ".c" for name in
                 ("bzip2", "bzlib", "blocksort", "huffman", "crctable", "randtable",
                  "compress", "decompress")]
        built = self._compiled("bzip2", self.fetch("bzip2"), files)
        text = self._sqlite_text("bzip2.txt", 25, 3)
        return Subject("bzip2", built, ["-k", "-c", text])

    def lz4_subject(self):
        source = self.fetch("lz4")
        files = [os.path.join(folder, name) for folder in ("lib", "programs")
                 for name in sorted(os.listdir(os.path.join(source, folder)))
                 if name.endswith(".c")]
        built = self._compiled("lz4", source, files,
                               ["-Ilib", "-DXXH_NAMESPACE=LZ4_", "-pthread"])
        return Subject("lz4", built, ["-9", "-c", self._sqlite_text("lz4.txt", 60, 3)])

    def gawk_subject(self):
        built = self._configured("gawk", ["--disable-mpfr", "--disable-extensions",
                                          "--without-readline", "--disable-pma"],
                                 [["-C", "support"], ["gawk"]], "gawk")
        script = os.path.join(HERE, "words.awk")
        return Subject("gawk", built, ["-f", script, self._sqlite_text("gawk.txt", 6, 3)])

    def cmark_subject(self):
        source = self.fetch("cmark")
        generated = os.path.join(self.folder, "cmark-generated")
        os.makedirs(generated, exist_ok=True)
        for name, text in (("config.h", CMARK_CONFIG), ("cmark_version.h", CMARK_VERSION),
                           ("cmark_export.h", CMARK_EXPORT)):
            with open(os.path.join(generated, name), "w", encoding="utf-8") as file:
                file.write(text)
        files = ["src/" + name for name in sorted(os.listdir(os.path.join(source, "src")))
                 if name.endswith(".c")]
        built = self._compiled("cmark", source, files, ["-Isrc", "-I" + generated])
        page = [os.path.join(source, "test", "spec.txt")]
        return Subject("cmark", built, [self._text("cmark.md", page, 200)])

    def m4_subject(self):
        built = self._configured("m4", [], [["-C", "lib"], ["-C", "src"]], "src/m4")
        script = os.path.join(HERE, "sums.m4")
        # At its start it reads which mappings it has, and a preloaded library has some.
        return Subject("m4", built, ["-DSCALE=4000", script],
                       uncounted=("callback", "rof_getchar", "rof_peekchar",
                                  "rof_scanf_lx"))

    def tcc_subject(self):
        source = self.fetch("tcc")
        folder = os.path.join(self.folder, "tcc-generated")
        if not os.path.exists(os.path.join(folder, "config.h")):
            os.makedirs(folder, exist_ok=True)
            measure.run([os.path.join(source, "configure")], cwd=folder)
        built = self._compiled("tcc", source, ["tcc.c"],
                               ["-I" + folder, "-I.", "-ldl", "-pthread"])
        self._amalgamate(self.fetch("sqlite3"))
        amalgamated = os.path.join(self.folder, "sqlite3", "sqlite3.c")
        multiarch = measure.run(["gcc", "-print-multiarch"]).strip()
        compile_it = ["-B" + source, "-I" + os.path.join(source, "include"), "-I" + folder,
                      "-I/usr/include/" + multiarch, "-c"]
        return Subject("tcc", built, [*compile_it, *[amalgamated] * 12])

    def tiny_subject(self):
        built = self._compiled("tiny", HERE, ["tiny_functions.cpp"], compiler="g++",
                               hooked=[NO_LIBRARY])
        # A deleting destructor and the one that it calls are one call.
        return Subject("tiny", built, ["200"], uncounted=tuple(
            f"_ZN4tiny{name}D0Ev" for name in ("4Disc", "4Ring", "6Square")))

    def workers_subject(self):
        built = self._compiled("workers", HERE, ["four_workers.c"], ["-pthread"])
        return Subject("workers", built, ["20"], waiting=("main", "add_total"))


# In the order of the table.
NAMES = ("lua", "sqlite", "bzip2", "lz4", "gawk", "cmark", "m4", "tcc", "tiny", "workers")


def build(folder, name):
    """The subject, built below the folder; raises measure.BenchError."""
    return getattr(Builder(folder), name + "_subject")()
