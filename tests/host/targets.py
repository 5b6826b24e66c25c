#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that cannot be recorded, or not in full: they run unharmed, and prof-record
says what is the matter with them."""
import os
import re

import host
from host import NOBODY, expect, need_root, scenario


def record(case, *command, options=(), **keywords):
    """Runs prof-record; it does not need LD_PRELOAD."""
    return host.harness.run([case.products.record, "-o", case.database, *options, "--",
                             *command], env=host.harness.plain_environment(),
                            cwd=case.directory, **keywords)


def expect_says(result, *patterns):
    for pattern in patterns:
        expect(re.search(pattern, result.stderr, re.IGNORECASE),
               f"prof-record does not say '{pattern}' but: {result.stderr}")


@scenario
def plain_recording(case):
    """One summary line; standard output is the program's own."""
    program = case.compile("calls.c")
    result = record(case, program, options=["--label", "first"])
    expect(result.returncode == 0 and result.stdout == "", f"{result}")
    expect(len(result.stderr.splitlines()) == 1, f"not one line: {result.stderr}")
    expect_says(result, "run.db")
    expect(case.calls("leaf") == 1_000_000, "calls are missing")
    expect(case.value("SELECT label FROM runs") == "first", "the label is missing")


@scenario
def exit_status_is_passed_on(case):
    for name, status in (("exit_code.c", 7), ("aborts.c", -6)):
        program = case.compile(name)
        result = record(case, program)
        expect(result.returncode == status, f"{name} ended with {result.returncode}")


@scenario
def wrong_usage(case):
    for arguments, status in ((["--nonsense"], 2), ([], 2), (["--", "/nonexistent/app"], 127),
                              (["--", case.directory], 126)):
        result = host.harness.run([case.products.record, *arguments], cwd=case.directory)
        expect(result.returncode == status and result.stderr,
               f"prof-record {arguments}: {result}")
    for program in (case.products.record, case.products.analyze):
        result = host.harness.run([program, "--help"])
        expect(result.returncode == 0 and "xample" in result.stdout, f"--help: {result}")
        result = host.harness.run([program, "--version"])
        expect(result.returncode == 0 and result.stdout, f"--version: {result}")


@scenario
def static_program(case):
    program = case.compile("calls.c", flags=["-static"])
    case.unharmed([program])
    expect(not os.path.exists(case.database), "a static program was recorded?")
    result = record(case, program)
    expect(result.returncode == 0, f"{result}")
    expect_says(result, "static")


def explain(case, program, **keywords):
    result = host.harness.run([case.products.analyze, "exclude-list", "--program", program],
                              env=host.harness.plain_environment(), cwd=case.directory,
                              **keywords)
    expect(not os.path.exists(case.database), "explaining has recorded something")
    return result


@scenario
def explained_builds(case):
    """What a program was built with, and the recipe of its compiler."""
    hooked = explain(case, case.compile("frames.cpp"))
    expect(hooked.returncode == 0 and not hooked.stderr, f"{hooked}")
    for word in ("GNU C++", "functions call __cyg_profile_func_enter", "cmake -B", "meson setup",
                 "./configure", "-finstrument-functions-exclude-file-list=/usr/include"):
        expect(word in hooked.stdout, f"{word} is not in: {hooked.stdout}")
    expect("clang" not in hooked.stdout, f"another compiler's flags: {hooked.stdout}")
    plain = explain(case, case.compile("calls.c", flags=["-fno-instrument-functions"]))
    expect(plain.returncode == 4 and "has no hooks" in plain.stdout, f"{plain}")
    expect("CMAKE_C_FLAGS" in plain.stdout and "/usr/include" not in plain.stdout,
           f"not the flags of C: {plain.stdout}")


@scenario
def unexplained_files(case):
    """One sentence for each that is no program whose calls can be recorded."""
    script = case.path("script")
    with open(script, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod(script, 0o755)
    other = case.path("other")
    with open(case.compile("calls.c"), "rb") as file:
        image = bytearray(file.read())
    image[18:20] = (183).to_bytes(2, "little")  # AArch64
    with open(other, "wb") as file:
        file.write(image)
    os.chmod(other, 0o755)
    torn = case.path("torn")
    with open(torn, "wb") as file:
        file.write(image[:64])
    os.chmod(torn, 0o755)
    for program, status, word in (
            (script, 4, "is a script that /bin/sh runs"),
            (case.compile("exit_code.c", flags=["-static"]), 4, "linked statically"),
            (other, 4, "no 64-bit x86"), (torn, 4, "no 64-bit x86"),
            (case.directory, 1, "executable"), ("/nonexistent/app", 1, "no such program")):
        result = explain(case, program)
        expect(result.returncode == status and not result.stdout, f"{program}: {result}")
        expect(len(result.stderr.splitlines()) == 1 and word in result.stderr,
               f"{program}: {result.stderr}")


@need_root
def setuid_program(case):
    """The loader ignores LD_PRELOAD for it, or our library ignores the program."""
    program = case.compile("calls.c")
    os.chown(program, 0, 0)
    os.chmod(program, 0o4755)
    host.share_with_nobody(case.directory)
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    case.run([program], **user)
    result = case.run_plain([program], **user)
    expect(result.returncode == 0, f"{result}")
    expect(not os.path.exists(case.database), "a setuid program was recorded")
    os.mkdir(case.path("theirs"))
    os.chown(case.path("theirs"), NOBODY, NOBODY)
    case.database = case.path("theirs/run.db")
    result = record(case, program, **user)
    expect_says(result, "set-?u(ser-)?id")


@scenario
def no_hooks_compiled_in(case):
    program = case.compile("calls.c", hooks=False)
    case.unharmed([program])
    result = record(case, program)
    expect(result.returncode == 0, f"{result}")
    expect_says(result, "-finstrument-functions")
    result = case.analyze("doctor", case.database)
    expect("-finstrument-functions" in result.stdout, f"doctor: {result.stdout}")


@scenario
def own_allocator(case):
    """Calls are exact; what of the heap is not seen is told."""
    program = case.compile("own_malloc.c")
    case.unharmed([program])
    case.settle()
    expect(case.calls("step") == 1000, f"{case.calls('step'):.0f} calls, not 1000")
    result = record(case, program)
    expect(result.returncode == 0, f"{result}")
    expect_says(result, "alloc")


def expect_sanitized(case, compiler):
    """AddressSanitizer starts itself when a function of its own is called first, which our
    constructor may do, and sets a signal stack."""
    program = case.compile("calls.c", compiler=compiler, flags=["-fsanitize=address"])
    result = record(case, program)
    expect(result.returncode == 0 and result.stdout == "", f"{result}")
    expect_says(result, "its allocations are not recorded")
    expect(case.calls("leaf") == 1_000_000, f"{case.calls('leaf'):.0f} calls")


@scenario
def address_sanitizer(case):
    """It ends programs where it is not the first library."""
    expect_sanitized(case, "gcc")


@scenario
def address_sanitizer_linked_in(case):
    runtime = host.harness.run(["clang", "-print-file-name=libclang_rt.asan-x86_64.a"])
    if os.path.exists(runtime.stdout.strip()):  # it is a package of its own
        expect_sanitized(case, "clang")


@scenario
def own_hooks(case):
    program = case.compile("own_hooks.c")
    recorded = case.unharmed([program])
    expect(recorded.stdout == "1002 hooks\n", f"printed {recorded.stdout}")
    case.settle()
    result = record(case, program)
    expect(result.returncode == 0 and result.stdout == "1002 hooks\n", f"{result}")
    expect_says(result, "hooks|__cyg_profile_func")


@scenario
def script(case):
    """An interpreter is recorded, whatever the script is."""
    with open(case.path("script"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho hello; exit 5\n")
    os.chmod(case.path("script"), 0o755)
    result = record(case, case.path("script"))
    expect(result.returncode == 5 and result.stdout == "hello\n", f"{result}")


@scenario
def level_off(case):
    program = case.compile("calls.c")
    case.unharmed([program], {"PROFSHIM_LEVEL": "off"})
    expect(not os.path.exists(case.database), "level off recorded something")


@scenario
def everyday_programs(case):
    """Programs of the system, in all their variety, do not notice us."""
    for command in (["/bin/ls", "-la", "/usr/bin"], ["/bin/sh", "-c", "ls / | sort | wc -l"],
                    ["/usr/bin/python3", "-c", "print(sum(range(10**6)))"],
                    ["/usr/bin/perl", "-e", "print join(',', map { $_*2 } 1..1000)"],
                    ["/usr/bin/env", "-u", "PROFSHIM_RUN", "true"],
                    ["/usr/bin/python3", "-c", "import subprocess, threading; "
                     "print(subprocess.run(['echo', 'x'], capture_output=True).stdout)"],
                    ["/usr/bin/gcc", "--version"], ["/usr/bin/seq", "100000"]):
        if os.path.exists(command[0]):
            case.unharmed(command)
    case.settle()


host.main()
