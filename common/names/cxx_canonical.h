/* SPDX-License-Identifier: MIT */
/*
 * One spelling of a demangled name, without what nobody wrote: return type, ABI tags,
 * inline namespaces, default template arguments ("std::vector<int>", "std::string"), ">
 * >", marks of compiler-made copies. Must not trust the name, which may be any text.
 * Names of Rust, Fortran, D, Go and C pass unchanged.
 */
#pragma once

#include "common/base/text.h"

enum cxx_detail {
	CXX_NAME,	/* "ns::f<int>", "ns::f::{lambda#1}" */
	CXX_PARAMETERS, /* "ns::f<int>(int) const", "ns::f(int)::{lambda(char)#1}" */
};

/* Appends the name. Time and memory grow with its length. A name longer than 64 KiB, or
 * one of which nothing would be left, is appended unchanged. */
void cxx_canonical(struct strbuf *buffer, const char *full, enum cxx_detail detail);
