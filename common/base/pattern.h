/* SPDX-License-Identifier: MIT */
/*
 * Is a regular expression one that can be compiled and matched in a moment?
 */
#pragma once

/* NULL, or why not: it is too long, repeats too much (the C library unrolls a{9}{9} and
 * (a+)+ into copies) or something with an anchor in it, or has back-references, for which
 * matching takes exponential time.
 * Ask before regcomp(); whether it is a regular expression at all, that says. */
const char *pattern_refuse(const char *pattern);
