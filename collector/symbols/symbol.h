/* SPDX-License-Identifier: MIT */
/* Which file names are to come from, what is found, and what may keep it away. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * A function, or a place in one. name: readable ("ns::f(int)"); linkage_name: as the
 * linker knows it ("_ZN2ns1fEi"), without "@VERSION"; file: absolute where the compiler
 * told its directory. A compiler-made copy ("f.constprop.0") goes by the name of its
 * function. identity: the same for the symbols that are one function: copies, the
 * variants of a constructor or destructor. Strings are borrowed from who answers,
 * and equal strings have equal addresses. NULL and line 0: not known.
 */
struct symbol {
	const char *name, *linkage_name, *identity, *file;
	uint32_t line;
	enum demangle_variant variant;
	bool is_part; /* of symbols_frames(): what was split from it ("f.part.0") */
};

/* The best source of names that a module has. */
enum symbols_source {
	SYMBOLS_NONE,
	SYMBOLS_DYNSYM,
	SYMBOLS_SYMTAB,
	SYMBOLS_DEBUG,
	SYMBOLS_SOURCE_COUNT
};

/* Why names are missing. */
enum symbols_trouble {
	SYMBOLS_SOUND,	    /* all that the file has was read */
	SYMBOLS_GONE,	    /* no file at the path */
	SYMBOLS_CHANGED,    /* another file at the path */
	SYMBOLS_UNREADABLE, /* not for this user, or not a sound ELF file */
	SYMBOLS_UNKNOWN,    /* no path, or nothing to recognise the file by */
	SYMBOLS_LIMIT,	    /* reading it took more than is allowed, or failed */
	SYMBOLS_TROUBLE_COUNT
};
