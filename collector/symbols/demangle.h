/* SPDX-License-Identifier: MIT */
/* Readable names of C++, Rust, D and Fortran symbols. Must not know of ELF. */
#pragma once

/* The readable form of a linkage name: C++ (Itanium ABI) with parameters, Rust (legacy
 * and v0) without the hash, gfortran's procedures of modules as module::procedure, D.
 * Clone suffixes stay: "f(int) [clone .constprop.0]". NULL when name is not mangled,
 * cannot be read or is longer than 32 KiB, or memory is short. Owned by the caller
 * (free). */
char *demangle(const char *name);

/* Which one of the functions that a compiler makes of a constructor or destructor. For
 * one object each calls those further down at most, and not all of them are there. */
enum demangle_variant {
	DEMANGLE_ONLY,	  /* it is neither */
	DEMANGLE_MEMORY,  /* D0, C3: gets the memory or gives it back, too */
	DEMANGLE_WHOLE,	  /* D1, C1: with virtual bases */
	DEMANGLE_BASE,	  /* D2, C2: of an object inside of another, without them */
	DEMANGLE_UNIFIED, /* D4, C4: is told by an argument which */
};

enum demangle_variant demangle_variant(const char *name);
