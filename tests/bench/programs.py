# SPDX-License-Identifier: MIT
"""Builds what the benchmark measures: its own loops, Lua and SQLite."""
import os
import subprocess

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEADERS = os.path.join(ROOT, "shim")
PLAIN = ["-O2", "-g"]
HOOKED = PLAIN + ["-finstrument-functions"]


class Programs:
    """Each method returns {"plain": path, "hooked": path}, built once, or raises
    measure.BenchError."""

    def __init__(self, folder):
        self.folder = folder

    def loop(self, name, plain_objects=()):
        """tests/bench/NAME.c; plain_objects are sources that never get hooks."""
        objects = []
        for source in plain_objects:
            objects.append(os.path.join(self.folder, source + ".o"))
            self._compile(PLAIN + ["-c"], [source], objects[-1])
        built = {}
        for kind, flags in (("plain", PLAIN), ("hooked", HOOKED)):
            built[kind] = os.path.join(self.folder, f"{name}-{kind}")
            self._compile(flags, [name], built[kind], objects)
        return built

    def floor(self):
        """The library with tests/bench/floor.c's hooks."""
        library = os.path.join(self.folder, "floor.so")
        self._compile(PLAIN + ["-fPIC", "-shared", "-Wl,-z,now"], ["floor"], library)
        return library

    def empty_hooks(self):
        """The library with tests/fidelity's hooks, which do nothing."""
        library = os.path.join(self.folder, "empty_hooks.so")
        self._compile(PLAIN + ["-fPIC", "-shared", "-Wl,-z,now"],
                      [os.path.join("..", "fidelity", "empty_hooks")], library)
        return library

    def _compile(self, flags, names, target, objects=()):
        sources = [os.path.join(HERE, name + ".c") for name in names]
        measure.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-I" + HEADERS,
                     *flags, *sources, *objects, "-o", target])

    def fetch(self, package):
        source = os.path.join(self.folder, package)
        measure.run([os.path.join(ROOT, "scripts", "fetch_source"), package, source])
        return source

    def lua(self):
        source = self.fetch("lua5.4")
        built = {}
        for kind, flags in (("plain", PLAIN), ("hooked", HOOKED)):
            built[kind] = os.path.join(self.folder, "lua-" + kind)
            if not os.path.exists(built[kind]):
                measure.run([os.path.join(ROOT, "scripts", "build_lua"), source,
                             built[kind], *flags])
        return built

    def sqlite(self):
        """speedtest1 with the whole of SQLite in it."""
        source = self.fetch("sqlite3")
        self._amalgamate(source)
        built, waiting = {}, []
        for kind, flags in (("plain", PLAIN), ("hooked", HOOKED)):
            built[kind] = os.path.join(self.folder, "speedtest1-" + kind)
            if not os.path.exists(built[kind]):
                waiting.append(subprocess.Popen(
                    ["gcc", *flags, "-w", "-I.", "test/speedtest1.c", "sqlite3.c", "-o",
                     built[kind], "-lpthread", "-ldl", "-lm"], cwd=source))
        if any(process.wait() for process in waiting):
            raise measure.BenchError("SQLite does not compile")
        return built

    def _amalgamate(self, source):
        if os.path.exists(os.path.join(source, "sqlite3.c")):
            return
        measure.run(["sh", "./configure", "--disable-readline", "--disable-tcl"], cwd=source)
        measure.run(["make", "sqlite3.c"], cwd=source)
