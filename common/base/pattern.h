/* SPDX-License-Identifier: MIT */
/*
 * Can a regular expression be compiled and matched quickly?
 */
#pragma once

/* Returns NULL, or why not: it is too long, repeats too much (the C library unrolls
 * a{9}{9} and (a+)+ into copies) or repeats something with an anchor, or has
 * back-references, whose matching takes exponential time. Call it before regcomp(), which
 * says whether it is a regular expression at all. */
const char *pattern_refuse(const char *pattern);
