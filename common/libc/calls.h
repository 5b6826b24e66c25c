/* SPDX-License-Identifier: MIT */
/*
 * The calls of libc that are nodes of the call tree, since they wait or move data
 * (shim/wrap/waits, shim/wrap/io): their numbers in keys of the segment, their names, and
 * what they are called for. Shared by the shim, the collector and the analyzer. Must not
 * include anything; change a number without a new SEGMENT_VERSION.
 */
#pragma once

#include <stdint.h>

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
 * out by scripts/libc_calls.py. Purposes, for rules and reports:
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

/*
 * What threads waited for and moved, a part of the contract between the shim and the
 * ingest library: time without a CPU, locks, files and their like. Must not change
 * without a new SEGMENT_VERSION.
 */

/* Which word tells the hooks of switches, see shim/waits/switches.h. */
enum segment_switch_source {
	SEGMENT_SWITCHES_OFF = 0, /* not wanted */
	SEGMENT_SWITCHES_RSEQ = 1,
	SEGMENT_SWITCHES_PERF = 2,
	SEGMENT_SWITCHES_UNSEEN = 3, /* none serves here */
};

/* Time without a CPU on one call path: found by the hook that came after it, so a path
 * has what lies between two of its hooks. Entry 0: of paths that got no entry. */
struct segment_wait {
	uint64_t ready_ns;	/* wanted a CPU */
	uint64_t blocked_ns;	/* slept; with several threads, and got no CPU after it */
	uint64_t blocked_count; /* switches */
};

enum segment_lock_kind {
	SEGMENT_LOCK_MUTEX = 1,
	SEGMENT_LOCK_RWLOCK = 2,
	SEGMENT_LOCK_SPIN = 3,
	/* of these there is no holder, but who signals */
	SEGMENT_LOCK_CONDITION = 4,
	SEGMENT_LOCK_SEMAPHORE = 5,
	SEGMENT_LOCK_BARRIER = 6, /* who came last */
	SEGMENT_LOCK_ENDING = 7,  /* the ends of all threads: whose it was */
	SEGMENT_LOCK_SIGNAL = 8,  /* the kernel's, of all numbers: who sent it */
	/* of stalls only, which have no lock then */
	SEGMENT_LOCK_SLEEP = 9, /* for a time */
	SEGMENT_LOCK_CALL = 10, /* in a call of libc: for a file, a peer, a child */
};

/* The address of what is one of a kind in its process, and none. */
#define SEGMENT_LOCK_OF_THREADS 8u
#define SEGMENT_LOCK_OF_SIGNALS 16u

/* What a lane has done with one lock: one cache line for what each call of it needs.
 * Entry 0 is never used. */
struct segment_lock {
	uint64_t address;    /* stored last; 0: the entry is not filled in */
	uint64_t lock_count; /* taken without waiting */
	uint32_t taken_node; /* where it was taken last */
	uint32_t first_node; /* the lane's path when it saw it first */
	uint64_t first_ticks;
	uint32_t hash_next;
	uint32_t kind;	     /* enum segment_lock_kind */
	uint32_t block_site; /* of the process: it lies in a block of the heap; 0: none */
	uint32_t times;	     /* its waits, in the lane's lock_times; 0: none */
	uint64_t block_offset;
	uint64_t wait_count; /* had to wait for it */
	uint64_t wait_ticks, longest_wait_ticks;
	/* from the end of a wait to its unlock: of those that had to wait for a mutex */
	uint64_t hold_count, hold_ticks, longest_hold_ticks;
	/* of locks that do not say whose they are: this thread has it so often */
	uint32_t sharer_tid, share_count;
	uint64_t reserved[2];
};

/* Waits for a lock, by who waited where for whom. Entry 0 is never used. */
struct segment_lock_wait {
	uint64_t count, ticks, longest_ticks;
	uint32_t lock; /* in the lane's locks */
	uint32_t node; /* that waited, in the lane */
	/* whose it was when the wait began: the lane, where that was then, and where it
	 * had taken the lock; who signalled last before it was over (or sent a signal
	 * since it began), and where that was;
	 * the thread that was to end, and what it had begun with; 0: not known */
	uint32_t holder_slot, holder_node, taken_node;
	uint32_t hash_next;
};

/* One wait for another thread: when, and for whom; or a call of libc in which the thread
 * slept, for SEGMENT_NAP_NS or longer, or for what another one wrote: the end of it, for
 * so long. All are kept as long as there is room. Then those that touch one of every so
 * many windows of time, see segment_stall_is_kept(): what happened in these windows is
 * still whole, of all threads, and a long wait is never lost. Entry 0 is never used. */
struct segment_stall {
	uint64_t begin_ticks, end_ticks;
	uint32_t kind; /* enum segment_lock_kind; 0: the entry is not filled in */
	uint32_t lock; /* in the lane's locks */
	uint32_t node; /* that waited; of a nap that of the call itself */
	/* as of a segment_lock_wait */
	uint32_t holder_slot, holder_node, taken_node;
};

#define SEGMENT_NAP_NS 1000000u

#define SEGMENT_STALL_WINDOW_SHIFT 21u /* ticks of a window, as a power of two */
#define SEGMENT_STALL_THINNING_MOST 32u

/* Does it touch one of every 2^thinning windows? */
static inline int segment_stall_is_kept(const struct segment_stall *stall,
					uint32_t thinning)
{
	uint64_t mask = (1ull << thinning) - 1;
	uint64_t first = stall->begin_ticks >> SEGMENT_STALL_WINDOW_SHIFT;

	return ((first + mask) & ~mask) <= stall->end_ticks >> SEGMENT_STALL_WINDOW_SHIFT;
}

enum segment_target_kind {
	SEGMENT_TARGET_UNKNOWN = 0,
	SEGMENT_TARGET_FILE = 1,
	SEGMENT_TARGET_DEVICE = 2,
	SEGMENT_TARGET_PIPE = 3,
	SEGMENT_TARGET_SOCKET = 4,
	SEGMENT_TARGET_OTHER = 5, /* eventfd, timerfd and the like */
	SEGMENT_TARGET_PATHS = 6, /* calls that name a path and open nothing */
	SEGMENT_TARGET_KINDS
};

/* What descriptors of a process led to: a file, a peer, a pipe. Entry 0 is not used: what
 * is not known is number 0. From SEGMENT_TARGETS_SINGLE on new ones share an entry with
 * those of the same directory or kind. */
struct segment_target {
	uint32_t kind;
	uint32_t hash;	    /* of the name and the kind */
	uint32_t hash_next; /* the shim's */
	uint32_t pad;
	char name[240]; /* ends with NUL; of a longer one the end, behind "..." */
};

#define SEGMENT_TARGET_LIMIT 4096u
#define SEGMENT_TARGETS_SINGLE 1024u

/* Calls of libc that moved data, or had to do with a file: of one path and target. Those
 * that copy have another one for what they read, with their bytes and no time. A call
 * is small when it moved less than 4 KiB, and something; sequential when it went on where
 * the one before it on the same descriptor had ended. */
struct segment_transfer {
	uint32_t node, target;
	uint32_t hash_next; /* the shim's */
	uint32_t is_source; /* it is what was copied */
	uint64_t call_count, bytes, ticks;
	uint64_t small_count, sequential_count, failed_count;
	uint64_t largest_bytes;
};

#define SEGMENT_TRANSFER_SMALL 4096u

_Static_assert(sizeof(struct segment_wait) == 24, "segment_wait layout");
_Static_assert(sizeof(struct segment_lock) == 128, "segment_lock layout");
_Static_assert(sizeof(struct segment_lock_wait) == 48, "segment_lock_wait layout");
_Static_assert(sizeof(struct segment_stall) == 40, "segment_stall layout");
_Static_assert(sizeof(struct segment_target) == 256, "segment_target layout");
_Static_assert(sizeof(struct segment_transfer) == 72, "segment_transfer layout");
