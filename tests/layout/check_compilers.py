#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that the compiler that did not build BUILD takes the shim without a warning.

usage: check_compilers.py COMPILER ROOT BUILD

The static library shim_hot is built, and must need no more of libc than BUILD's; the rest of the
shim is compiled without optimization. What ccache knows already is not compiled again.
"""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import tree

HERE = os.path.dirname(os.path.abspath(__file__))
HOT_LIBRARY = "shim/libshim_hot.a"


def output_of(command, **options):
    """Its status and what it says."""
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False, **options)
    return result.returncode, result.stdout


def quick_command(entry):
    """Without optimization, and without a list of what it includes."""
    words, kept = iter(shlex.split(entry["command"])), []
    for word in words:
        if word in ("-MQ", "-MF"):
            next(words)
        elif word != "-MD":
            kept.append("-O0" if word.startswith("-O") else word)
    return kept


def problems_in(folder, compiler, root):
    if shutil.which("ccache"):
        compiler = "ccache " + compiler
    for command in (["meson", "setup", "-Dwerror=true", "-Ddebug=false", folder, root],
                    ["ninja", "-C", folder, HOT_LIBRARY],
                    [sys.executable, os.path.join(HERE, "check_hot_symbols.py"),
                     os.path.join(folder, "shim"), os.path.join(HERE, "hot_symbols.txt")]):
        status, said = output_of(command, env={**os.environ, "CC": compiler, "CFLAGS": ""})
        if status:
            return [said]
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)
                   if entry["output"].startswith("shim/libprofshim.so.p/")]
    for entry in entries:
        os.makedirs(os.path.join(folder, os.path.dirname(entry["output"])), exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda entry: output_of(quick_command(entry), cwd=folder), entries)
        return [said for status, said in answers if status or said]


def main():
    compiler, root, build = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="other-compiler-", dir=build) as folder:
        tree.finish([f"with {compiler}:\n{problem}"
                     for problem in problems_in(folder, compiler, root)])


main()
