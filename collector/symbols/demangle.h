/* SPDX-License-Identifier: MIT */
/* Readable names of C++, Rust, D and Fortran symbols. Must not know of ELF. */
#pragma once

/* The readable form of a linkage name: C++ (Itanium ABI) with parameters, Rust (legacy
 * and v0) without the hash, gfortran's procedures of modules as module::procedure, D.
 * Clone suffixes stay: "f(int) [clone .constprop.0]". NULL when name is not mangled,
 * cannot be read or is longer than 32 KiB, or memory is short. Owned by the caller
 * (free). */
char *demangle(const char *name);

/* Which one of the functions that a compiler makes of a constructor or destructor. */
enum demangle_variant {
	DEMANGLE_ONLY,	      /* it is neither */
	DEMANGLE_CONSTRUCTOR, /* any: none calls another */
	DEMANGLE_DESTRUCTOR,
	DEMANGLE_BASE,	   /* a destructor for an object inside of another */
	DEMANGLE_DELETING, /* one that gives back the memory, too; calls another */
};
enum demangle_variant demangle_variant(const char *name);
