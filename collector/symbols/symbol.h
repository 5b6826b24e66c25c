/* SPDX-License-Identifier: MIT */
/* What is known about a symbol, where names come from, and why they may be missing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The readable form of a linkage name: C++ (Itanium ABI) with parameters, Rust (legacy
 * and v0) without the hash, gfortran's module procedures as module::procedure, D. Clone
 * suffixes stay: "f(int) [clone .constprop.0]". NULL when name is not mangled, is
 * unreadable or longer than 32 KiB, or memory is short. Owned by the caller (free). */
char *demangle(const char *name);

/* Which of the functions that a compiler makes of a constructor or destructor. For one
 * object each calls at most those further down, and not all of them need exist. */
enum demangle_variant {
	DEMANGLE_ONLY,	  /* neither a constructor nor a destructor */
	DEMANGLE_MEMORY,  /* D0, C3: also allocates or frees the memory */
	DEMANGLE_WHOLE,	  /* D1, C1: with virtual bases */
	DEMANGLE_BASE,	  /* D2, C2: for an object inside another one, without them */
	DEMANGLE_UNIFIED, /* D4, C4: an argument says which */
};

enum demangle_variant demangle_variant(const char *name);

/*
 * A function, or a place in one. name: readable ("ns::f(int)"); linkage_name: as the
 * linker knows it ("_ZN2ns1fEi"), without "@VERSION"; file: absolute where the compiler
 * recorded its directory; own_file: that which defines the function, where a place in it
 * may be of another one (a header, what #line says); NULL: file. A compiler-made copy
 * ("f.constprop.0") goes by the name of its function. identity: the same for all symbols
 * of one function: copies, and variants of a constructor or destructor. Strings are
 * borrowed from whoever answers, and equal strings have equal addresses. NULL and line 0:
 * not known.
 */
struct symbol {
	const char *name, *linkage_name, *identity, *file, *own_file;
	uint32_t line;
	enum demangle_variant variant;
	bool is_part; /* from symbols_frames(): a part split from it ("f.part.0") */
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
	SYMBOLS_UNREADABLE, /* unreadable for this user, or a damaged ELF file */
	SYMBOLS_UNKNOWN,    /* no path, or nothing to identify the file by */
	SYMBOLS_LIMIT,	    /* reading it exceeded a limit, or failed */
	SYMBOLS_TROUBLE_COUNT
};
