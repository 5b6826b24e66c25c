# SPDX-License-Identifier: MIT
"""What checks leave out when they run a second time, with the sanitizers."""
import subprocess


def is_sanitized(program):
    symbols = subprocess.run(["nm", "-D", program], capture_output=True, check=False).stdout
    return b"__asan_init" in symbols or b"__tsan_init" in symbols
