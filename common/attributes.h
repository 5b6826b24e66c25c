/* SPDX-License-Identifier: MIT */
/*
 * The compiler attributes the project uses, under short names. Must not include
 * anything.
 */
#pragma once

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define cold __attribute__((cold, noinline))
#define hidden __attribute__((visibility("hidden")))
#define exported __attribute__((visibility("default")))

/* A function with one body, which is called. clang makes no copies of functions. */
#ifdef __clang__
#define never_inlined __attribute__((noinline))
#else
#define never_inlined __attribute__((noinline, noclone))
#endif

/* What the hooks jump to: assembler of the program may have called the function that has
 * the hook with a stack that is not aligned, and no function of the program minds. */
#define realigned __attribute__((force_align_arg_pointer))

/* What wrappers of short calls of libc run, and the facts that they ask for each time:
 * kept together, since what comes back from the kernel finds both out of the first
 * caches. */
#define on_short_calls __attribute__((hot))
#define asked_on_short_calls __attribute__((section("asked_on_short_calls")))

/* For what every forked child writes, kept together: the first write to a page costs the
 * child a fault and a copy. */
#define written_in_children __attribute__((section("written_in_children")))

/* Reads words that their thread writes meanwhile, each of them whole, and can live with
 * what that gives: not ThreadSanitizer's business. clang's no_sanitize
 * keeps these functions apart, but atomic reads in them are still watched. */
#if __has_attribute(disable_sanitizer_instrumentation)
#define races_by_design                                                                  \
	__attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#else
#define races_by_design __attribute__((no_sanitize("thread")))
#endif

/*
 * The mark of our own programs, once in each of them; meson.build exports the symbol.
 * Where the library is preloaded into everything (/etc/ld.so.preload, an exported
 * LD_PRELOAD) it is loaded into them, too, and must not record them: a collector that is
 * recorded starts a collector, which is recorded in its turn. The library has a weak
 * reference to the symbol. No other name of the file and no environment takes the mark
 * away.
 */
#define OWN_PROGRAM_MARK                                                                 \
	extern const char profshim_own_program;                                          \
	exported __attribute__((used)) const char profshim_own_program = 1
