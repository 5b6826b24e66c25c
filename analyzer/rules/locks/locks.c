/* SPDX-License-Identifier: MIT */
/*
 * Rules L1 to L4: locks that threads wait for, those that are held asleep, those at which
 * threads queue, and threads that take turns. Must not count what whoever held the lock
 * waited for a CPU: that is the machine's.
 */
#include "analyzer/rules/rule.h"

#include "locks_locks.sql.h"

extern const struct rule rule_cpu_low, rule_taking_turns, rule_tail_latency,
	rule_two_modes;

/* What a wait for a lock is the reason of. */
static const struct rule *const explained[] = {&rule_cpu_low, &rule_taking_turns,
					       &rule_tail_latency, &rule_two_modes, NULL};

static const char lock_proof[] =
	"SELECT name, waiter, taken_by, holder, wait_count, wait_ns, max_wait_ns, "
	"waiter_path_id, taken_path_id, holder_path_id FROM lock_waits WHERE run_id = "
	"{run} AND lock_id = {lock_id} ORDER BY wait_ns DESC";

#define RUN_SHARE                                                                        \
	{                                                                                \
		"run_share", 0.05, "ratio",                                              \
			.most = 1,                                                       \
			.meaning = "share of the run that its longest waiter waited, "   \
				   "while whoever held it had a CPU, and as far as the " \
				   "CPUs leave room"                                     \
	}
#define TELL_WAITS                                                                       \
	RULE_LEAST(NULL, NULL, "won", "run_share"),                                      \
		RULE_TELLS("longest waiter, of the run", "percent", "held"),             \
		RULE_LEAST("waits", "count", "waits", "least_waits")

static const struct rule_limit contended_lock_limits[] = {
	{"least_waits", 10, "count", .meaning = "waits for one lock"},
	RUN_SHARE,
	{0},
};

const struct rule rule_contended_lock = {
	.id = "L1",
	.slug = "contended-lock",
	.limits = contended_lock_limits,
	.title = "Threads wait for a lock",
	.summary = "threads wait for a lock for a large part of the run, while another "
		   "one holds it and computes",
	.specific = 1,
	.explains = explained,
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU,
	.sql = locks_locks_sql_locks,
	.values =
		(const struct rule_value[]){
			TELL_WAITS,
			RULE_TELLS("waited", "ns", "wait_ns"),
			RULE_TELLS("threads that waited", "count", "threads"),
			RULE_TELLS("its holder computed", "percent", "computed"),
			RULE_TELLS("held for", "ns", "hold_ns"),
			{0}},
	.advice = {"do less while it is held: compute before, or after, on copies",
		   "split what it guards: a lock for each part, or for each thread with "
		   "sums at the end",
		   "where most only read: a read-write lock, or an atomic pointer to "
		   "data that does not change"},
	.proof = lock_proof,
};

static const struct rule_limit held_asleep_limits[] = {
	{"least_waits", 10, "count", .meaning = "waits for one lock"},
	{"asleep", 0.5, "ratio", .most = 1,
	 .meaning = "part of the waits in which its holder slept or moved data"},
	RUN_SHARE,
	{0},
};

const struct rule rule_held_asleep = {
	.id = "L2",
	.slug = "lock-held-asleep",
	.limits = held_asleep_limits,
	.title = "A lock is held while its holder sleeps or moves data",
	.summary = "threads wait for a lock whose holder is in a call that sleeps, reads "
		   "or writes",
	.specific = 3,
	.explains = explained,
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU,
	.sql = locks_locks_sql_locks,
	.values = (const struct rule_value[]){TELL_WAITS,
					      RULE_LEAST("its holder slept or moved data",
							 "percent", "asleep", "asleep"),
					      RULE_TELLS("waited", "ns", "wait_ns"),
					      RULE_TELLS("threads that waited", "count",
							 "threads"),
					      RULE_TELLS("held for", "ns", "hold_ns"),
					      {0}},
	.advice = {"give the lock up before the call, and take it again for its result",
		   "hand the work to a thread of its own: a queue in front of a file or "
		   "a socket",
		   "where it must be held: a lock for each file or connection instead of "
		   "one for all"},
	.proof = lock_proof,
};

static const struct rule_limit convoy_limits[] = {
	{"least_waits", 50, "count", .meaning = "waits for one lock"},
	{"threads", 3, "count", .meaning = "threads that waited for it"},
	{"hold_ns", 1e5, "ns",
	 .meaning = "what those held it who had waited, mean, at most: short"},
	{"queue", 3, "ratio", .meaning = "what they waited by what they held it, means"},
	RUN_SHARE,
	{0},
};

const struct rule rule_convoy = {
	.id = "L3",
	.slug = "lock-convoy",
	.limits = convoy_limits,
	.title = "Threads queue at a lock that is held briefly",
	.summary = "several threads wait for a lock far longer than it is held each time",
	.specific = 2,
	.explains = explained,
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU,
	.sql = locks_locks_sql_locks,
	.values =
		(const struct rule_value[]){
			TELL_WAITS,
			RULE_LEAST("threads that waited", "count", "threads", "threads"),
			RULE_MOST("held for", "ns", "hold_ns", "hold_ns"),
			RULE_LEAST("waited by held", "ratio", "queue", "queue"),
			{0}},
	.why = "{threads} threads queue at {lock} in {>waiter_path_id}; it is held "
	       "briefly, so that the queue and the next one's wake-up take the time",
	.advice = {"take it less often: do several items for each time it is held",
		   "keep counters and lists for each thread, and add them up",
		   "an atomic operation in place of what it guards"},
	.proof = lock_proof,
};

static const struct rule_limit taking_turns_limits[] = {
	{"thread_share", 0.1, "ratio", .most = 1,
	 .meaning = "part of the process's life that a thread computes, or wishes to, to "
		    "be one of those that work"},
	{"workers", 2, "count", .least = 2, .meaning = "such threads"},
	{"cpus_least", 0.5, "ratio", .meaning = "CPUs that all of them use, on average"},
	{"cpus_most", 1.4, "ratio", .meaning = "the same, at most"},
	{"busiest", 0.8, "ratio", .most = 1,
	 .meaning =
		 "part of the process's life that the busiest one works, at most: else "
		 "it is the others' limit"},
	{"met", 0.6, "ratio", .most = 1,
	 .meaning = "part of what they slept that was for each other: locks, conditions, "
		    "semaphores, barriers"},
	{"run_share", 0.1, "ratio", .most = 1,
	 .meaning = "share of the run that they could win side by side"},
	{0},
};

const struct rule rule_taking_turns = {
	.id = "L4",
	.slug = "taking-turns",
	.limits = taking_turns_limits,
	.title = "Threads that take turns",
	.summary = "several threads compute, but one at a time: together they use about "
		   "one CPU, and sleep for each other meanwhile",
	.specific = 1,
	.explains = (const struct rule *const[]){&rule_cpu_low, NULL},
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_CPU,
	.sql = locks_locks_sql_turns,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("threads that work", "count", "workers", "workers"),
			RULE_MOST("CPUs that all use", "ratio", "cpus_used", "cpus_most"),
			RULE_LEAST(NULL, NULL, "cpus_used", "cpus_least"),
			RULE_MOST("busiest, of its process's life", "percent", "busiest",
				  "busiest"),
			RULE_LEAST("slept for each other, of what they slept", "percent",
				   "met", "met"),
			RULE_LEAST("could be won, of the run", "percent", "won",
				   "run_share"),
			RULE_TELLS("CPUs", "count", "cpus"),
			{0}},
	.advice = {"let a thread go on with the next item while the one before is being "
		   "worked on: a longer queue between them",
		   "give each thread whole items of its own instead of a part of each",
		   "where the order is fixed: one thread does the same without switches"},
	.proof =
		"SELECT tid, name, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads "
		"WHERE run_id = {run} AND process_id = {process_id} ORDER BY cpu_ns DESC",
};
