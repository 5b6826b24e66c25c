/* SPDX-License-Identifier: MIT */
/* The plain part of a C++ name, without a demangler. Any context. */
#pragma once

#include <stddef.h>

/* "_ZN6Parser4nextEv" to "Parser::next", "_ZN6ParserD1Ev" to "Parser::~Parser". A name
 * ends where templates, operators and what else is not plain begin: "std::sort<". 0: the
 * linkage name is none of C++, has nothing plain, or is too long. */
int plain_name(const char *linkage_name, char *ret, size_t size);
