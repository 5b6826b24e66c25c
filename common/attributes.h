/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the compiler attributes the project uses, under short names.
 * Must not:      include anything.
 */
#pragma once

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define cold __attribute__((cold, noinline))
#define hidden __attribute__((visibility("hidden")))
#define exported __attribute__((visibility("default")))
