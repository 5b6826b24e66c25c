/* SPDX-License-Identifier: MIT */
/*
 * Commands: programs that do one thing and end. Whoever meets a failure that ends the
 * command says why and ends it there; no function passes it up. Memory lives until then,
 * too: what nothing but the end would free is not freed.
 *
 * What must not stay behind (terminal modes, temporary files, children) is undone by a
 * function that atexit() knows. Runs on: the main thread. Must not be used by the
 * collector, which has others' runs to store, nor by functions that it uses.
 */
#pragma once

#include "common/base/text.h"

/* The exit statuses of prof-analyze. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1, /* something cannot be read, written or found */
	STATUS_USAGE = 2,  /* the command line makes no sense */
	STATUS_REGRESSION = 3,
	STATUS_NOTHING = 4, /* nothing was measured; the document says why */
};

/* Prints one line on stderr behind the program's name. Hidden characters become '?'. */
void command_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says why, in one line whatever names it has, and ends the program. status: one of the
 * above, or of another program. */
_Noreturn void command_fail(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same with a text whose lines stay lines, as in a list of choices. */
_Noreturn void command_fail_lines(int status, const char *text);

/* What a failure says at its end, behind its own sentence; empty: nothing. */
extern struct strbuf command_failure_end;

/* For tests: called instead of ending the program; must not return. */
extern void (*command_failed)(int status, const char *text);

/* From here on the end of the program frees what is allocated, and checks for leaks pass
 * over it. Commands that go on and on end that before they begin. */
void command_keep_memory(void);
void command_free_memory(void);
