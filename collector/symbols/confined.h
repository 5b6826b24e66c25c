/* SPDX-License-Identifier: MIT */
/*
 * A child without rights that reads files which anybody may have made: libelf, libdw and
 * the demangler trust them too much. It may only open files for reading and write into
 * one socket. The kernel ends it when it uses too much time or memory, and when its
 * parent ends. Check whatever it answers: it may have been taken over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* CPU time for everything that one child does. */
#define CONFINED_CPU_NS INT64_C(10000000000)

/* All zero: no child. */
struct confined {
	pid_t pid;
	FILE *answers;
};

/* Runs in the child, which ends when this returns. */
typedef void confined_work(FILE *questions, FILE *answers, void *context);

/* Forks. The child sees context in its copy of the caller's memory. cpu_ns: its limit of
 * CPU time, at least a second. 0 or -errno. */
int confined_start(struct confined *ret, confined_work *work, void *context,
		   int64_t cpu_ns);

/* For the parent: transfer all of the data, or return false: the child has ended or been
 * silent for a minute. */
bool confined_send(struct confined *child, const void *data, size_t size);
bool confined_receive(struct confined *child, void *ret, size_t size);

/* Ends the child, whatever it is doing. Returns the CPU time that it used, in ns. */
int64_t confined_end(struct confined *child);

/* For the child, at the start of a new question: limits the CPU time from now on, in
 * whole seconds, within what confined_start() gave. */
void confined_allow_seconds(unsigned int seconds);

/* Asks one question with an answer of fixed size, which work fills in the child. false:
 * work did not finish, and *ret is unchanged. */
typedef void confined_question(void *ret, const void *context);

bool confined_run(confined_question *work, const void *context, void *ret, size_t size);
