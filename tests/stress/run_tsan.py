#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run a program built with ThreadSanitizer. usage: run_tsan.py PROGRAM ARGUMENTS...

Its runtime wants the kernel's mappings where it expects them: with more random bits of
addresses than 28 (vm.mmap_rnd_bits) it refuses to start, so randomness is switched off
where that is allowed.
"""
import ctypes
import os
import sys

ADDR_NO_RANDOMIZE = 0x0040000

ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
os.execv(sys.argv[1], sys.argv[1:])
