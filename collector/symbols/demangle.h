/* SPDX-License-Identifier: MIT */
/* Readable names of C++, Rust and Fortran symbols. Must not know about ELF or DWARF. */
#pragma once

/* The readable form of a linkage name: C++ (Itanium ABI) with parameters, Rust (legacy
 * and v0) without the hash, gfortran's procedures of modules as module::procedure. Clone
 * suffixes stay: "f(int) [clone .constprop.0]". NULL when name is not mangled, cannot be
 * read or is longer than 32 KiB, or memory is short. Owned by the caller (free). */
char *demangle(const char *name);
