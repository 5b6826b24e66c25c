#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build the ELF files that the symbol and target tests look at.

usage: make_fixtures.py SOURCE_DIR OUTPUT_DIR STAMP

Every file is made with the exact flags a test relies on, whatever the flags of the
project (sanitizers, optimisation) are. What needs a tool that is missing is left out, and
the tests that would use it are skipped.
"""
import lzma
import os
import pathlib
import shutil
import subprocess
import sys

source, output, stamp = map(pathlib.Path, sys.argv[1:])
environment = {k: v for k, v in os.environ.items()
               if k not in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")}


def run(*command):
    subprocess.run([str(word) for word in command], check=True, cwd=output,
                   env=environment)


def build(name, *flags, compiler="gcc", file="fixture.c"):
    """Compile with a path relative to the output directory, as build systems do."""
    if not shutil.which(compiler):
        return
    relative = os.path.relpath(source / file, output)
    run(compiler, *flags, relative, "-o", name)


def symbols():
    build("c_O0", "-g", "-O0")
    build("c_O2", "-g", "-O2")
    build("c_dwarf4", "-g", "-gdwarf-4", "-O2")
    build("c_clang", "-g", "-O2", compiler="clang")
    build("cxx_O2", "-g", "-O2", compiler="g++", file="fixture.cpp")
    build("cxx_clang", "-g", "-O2", compiler="clang++", file="fixture.cpp")
    build("fortran", "-g", "-O0", compiler="gfortran", file="fixture.f90")
    build("c_compressed", "-g", "-O2", "-gz=zlib")
    build("c_split", "-g", "-O2", "-gsplit-dwarf")
    build("c_symtab", "-O2")
    build("c_dynamic", "-O2", "-g", "-rdynamic")
    build("c_dropped", "-g", "-O2", "-DDROPPED", "-ffunction-sections",
          "-Wl,--gc-sections")
    build("c_no_id", "-g", "-O2", "-Wl,--build-id=none")
    build("sibling", source / "sibling.S", file="target.c")
    for kind in "DIRECTORIES", "FILES", "ROWS":
        build("lines_" + kind.lower(), f"-D{kind}", "-Wa,--compress-debug-sections=zlib",
              "-Wl,--compress-debug-sections=zlib", source / "lines.S", file="target.c")
    os.mkfifo(output / "fifo")
    for kind in "SHARED", "SPLIT":
        build(kind.lower(), f"-D{kind}", f'-DFIFO="{output / "fifo"}"', source / "linked.S",
              file="target.c")
    # compiled where the source is, in a directory of a made-up, relative name
    shutil.copy(source / "fixture.c", output / "copy.c")
    for version in 4, 5:
        run("gcc", "-g", "-O2", f"-gdwarf-{version}", f"-ffile-prefix-map={output}=made/up",
            "copy.c", "-o", f"c_mapped{version}")


def shapes():
    """A C++ program of several source files, with hooks, as compilers and linkers make
    it."""
    files = [os.path.relpath(source / "shapes" / name, output)
             for name in ("main.cpp", "inner/ring.cpp")]
    for name, compiler, *flags in (
            ("gcc_O0", "g++", "-g", "-O0"), ("gcc_O2", "g++", "-g", "-O2"),
            ("dwarf4", "g++", "-g", "-gdwarf-4", "-O2"),
            ("clang_O0", "clang++", "-g", "-O0"), ("clang_O2", "clang++", "-g", "-O2"),
            ("split", "g++", "-g", "-O2", "-gsplit-dwarf"),
            ("lto", "g++", "-g", "-O2", "-flto"), ("bare", "g++", "-O2"),
            ("no_hooks", "g++", "-g", "-O2", "-fno-instrument-functions")):
        if shutil.which(compiler):
            run(compiler, "-finstrument-functions", *flags, *files, "-o",
                "shapes_" + name)
    run("objcopy", "--only-keep-debug", "shapes_gcc_O2", "shapes_linked.debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=shapes_linked.debug",
        "shapes_gcc_O2", "shapes_linked")


def separate_debug(name, stripped):
    debug = stripped + ".debug"
    run("objcopy", "--only-keep-debug", name, debug)
    run("objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, name, stripped)
    return output / debug


def strippings():
    run("objcopy", "--strip-all", "c_dynamic", "c_exports")
    run("objcopy", "--strip-all", "c_O2", "c_bare")
    separate_debug("c_O2", "linked")
    separate_debug("c_no_id", "linked_by_checksum")
    wrong = separate_debug("c_no_id", "linked_wrongly")
    with open(wrong, "ab") as file:
        file.write(b"changed")
    # the debug file in .debug/ beside the program
    below = separate_debug("c_O2", "linked_below")
    (output / ".debug").mkdir(exist_ok=True)
    os.replace(below, output / ".debug" / below.name)


def packed_symbols():
    """A stripped program with its symbol table packed inside, as Fedora ships them."""
    run("objcopy", "--strip-debug", "c_O2", "mini")
    packed = lzma.compress((output / "mini").read_bytes())
    (output / "mini.xz").write_bytes(packed)
    run("objcopy", "--strip-all", "--add-section", ".gnu_debugdata=mini.xz", "c_dynamic",
        "c_mini")


def script(name, first_line):
    path = output / name
    path.write_text(first_line + "\necho script\n", encoding="utf-8")
    path.chmod(0o755)


def targets():
    hooks = "-finstrument-functions"
    build("plain", file="target.c")
    build("hooked", hooks, file="target.c")
    build("static", hooks, "-static", file="target.c")
    build("static_pie", "-static-pie", "-fPIE", file="target.c")
    build("own_hooks", hooks, "-DOWN_HOOKS", file="target.c")
    build("own_malloc", "-DOWN_MALLOC", file="target.c")
    build("gprof", "-pg", file="target.c")
    build("libhooked.so", hooks, "-shared", "-fPIC", "-DLIBRARY", file="target.c")
    build("linked_hooks", "-DUSES_LIBRARY", "-L.", "-Wl,--no-as-needed", "-lhooked",
          "-Wl,-rpath,$ORIGIN", "-x", "c", file="target.c")
    build("no_plt", hooks, "-fno-plt", "-fno-pie", "-no-pie", file="target.c")
    build("after_inlining", "-O2", "-g", "-grecord-command-line",
          hooks + "-after-inlining", compiler="clang", file="target.c")
    build("excluding", "-O2", "-g", hooks, hooks + "-exclude-file-list=/usr/include",
          compiler="g++", file="fixture.cpp")
    script("script", "#!/bin/sh")
    script("script_env", "#!/usr/bin/env -S A=b sh -e")
    script("script_lost", "#!/nowhere/interpreter")
    script("script_plain", ": no first line")
    script("script_of_script", "#!" + str(output / "script"))
    shutil.copy(output / "plain", output / "not_executable")
    (output / "not_executable").chmod(0o644)
    (output / "garbage").write_bytes(b"\0\1\2\3 not a program")
    (output / "garbage").chmod(0o755)


def main():
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    symbols()
    shapes()
    strippings()
    packed_symbols()
    targets()
    stamp.touch()


main()
