/* SPDX-License-Identifier: MIT */
/*
 * A child without rights that reads files which may be anybody's: libelf, libdw and the
 * demangler believe too much of them. It may open files for reading and write into one
 * socket, and nothing else; the kernel ends it when it takes too much time or memory, and
 * when its parent ends. Whatever it answers is to be checked: it may have been taken
 * over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Of CPU time, for all that one child does. */
#define CONFINED_CPU_NS INT64_C(10000000000)

/* All zero: there is none. */
struct confined {
	pid_t pid;
	FILE *answers;
};

/* Runs in the child, which ends when it returns. What it is asked comes from one file,
 * what it answers goes into the other. */
typedef void confined_work(FILE *questions, FILE *answers, void *context);

/* Forks. context is what the child finds in its copy of the caller's memory. cpu_ns: what
 * it may take at most, at least a second. 0 or -errno. */
int confined_start(struct confined *ret, confined_work *work, void *context,
		   int64_t cpu_ns);

/* Both are for the parent: all of it, or false. Then the child has ended, or was not
 * heard of for a minute. */
bool confined_send(struct confined *child, const void *data, size_t size);
bool confined_receive(struct confined *child, void *ret, size_t size);

/* Ends the child, whatever it does. Returns the CPU time that it took, in nanoseconds. */
int64_t confined_end(struct confined *child);

/* For the child, at the start of a new question: so much CPU time from now on, in whole
 * seconds and as far as what confined_start() gave allows. */
void confined_allow_seconds(unsigned int seconds);

/* One question and an answer of a known size: work fills it in the child. false: it did
 * not come to its end, and *ret is as it was. */
typedef void confined_question(void *ret, const void *context);

bool confined_run(confined_question *work, const void *context, void *ret, size_t size);
