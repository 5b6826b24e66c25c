/* SPDX-License-Identifier: MIT */
/*
 * The calls of libc that are nodes of the call tree, since they wait or move data
 * (shim/wrap/waits, shim/wrap/io): their numbers in keys of the segment, their names, and
 * what they are called for. Shared by the shim, the collector and the analyzer. Must not
 * include anything; change a number without a new SEGMENT_VERSION.
 */
#pragma once

enum libc_call_kind {
	LIBC_CALL_WAIT,
	LIBC_CALL_IO,
	/* the same, and the kernel counts what it moves as read or written by the process
	 * (rchar and wchar of /proc/PID/io), or as both */
	LIBC_CALL_READ,
	LIBC_CALL_WRITE,
	LIBC_CALL_COPY,
};

/*
 * CALL(name, kind, purpose, operation), in any order. The operation is what the view io
 * calls it: read, write, open, close, sync or other. common/schema.sql has them written
 *out by scripts/libc_calls.py. Purposes, for rules and reports:
 *
 *	sleep	nothing but time
 *	lock	a lock, which has an owner
 *	peer	another thread: semaphores, barriers
 *	condition	the same, with a lock that is given up meanwhile
 *	thread	the end of a thread, or what another one does once
 *	child	the end of a process
 *	event	whoever has work for the program
 *	answer	another host or process that was asked
 *	data	bytes, moved by the kernel with each call
 *	stream	bytes, moved into or out of a buffer of libc
 *	open, close, sync, name (what a path or descriptor says of a file, or is to be)
 */
#include "common/libc/calls.def"

#define LIBC_CALL_NUMBER(name, kind, purpose, operation) LIBC_CALL_##name,
enum libc_call { LIBC_CALL_NONE, LIBC_CALLS(LIBC_CALL_NUMBER) LIBC_CALL_COUNT };
#undef LIBC_CALL_NUMBER
