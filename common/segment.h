/* SPDX-License-Identifier: MIT */
/*
 * The file format between the shim, which writes it in the traced program, and
 * collector/, which reads it. Must not include anything but <stdint.h> and
 * segment_tree.h, nor change without a new SEGMENT_VERSION. common/schema.sql is the next
 * hop.
 *
 * THE SPOOL
 *
 * A run writes into a directory of its own beside its output file:
 *
 *     run.db-spool/TOKEN/run            struct segment_run; flock()ed by whoever ingests
 *     run.db-spool/TOKEN/state          struct segment_state, one page
 *     run.db-spool/TOKEN/control        struct segment_control; see segment_control.h
 *     run.db-spool/TOKEN/PID-N.segment  struct segment_file, then slots
 *     run.db-spool/TOKEN/samples        the collector's own; see its samples.h
 *     run.db-spool/TOKEN/ended          likewise: segment files that nobody writes any
 *                                       more, packed; see its ended.h
 *
 * TOKEN is 16 hexadecimal digits. Every program image (a process that started or that
 * called exec) creates one segment file. Forked children and threads do not create files:
 * they take free slots of the file their image already has mapped. So a thread or a child
 * needs no path, no descriptor and no permission, and recording continues in a program
 * that has closed all its files, changed its root or dropped its privileges. (A process
 * maps further slots by mremap() of the header's shared mapping with an old size of 0,
 * which maps another part of the same file.)
 *
 * WHO IS BELIEVED
 *
 * Both directories and all files belong to the user who began the run, and nobody else
 * can enter or write them; a reader refuses any others. The first process writes `run`
 * once, with write(), and nobody ever maps it. So a process that later gives up its
 * privileges but keeps its mappings cannot change it. Readers take only from `run` where
 * to store the run, under which name, what to write beside it and how its clock counts.
 * Such processes do map `state` and the segment files: what these say about the program
 * may be wrong, but no reader may let it decide about files, other processes or its own
 * memory.
 *
 * The hooks of a process trust the indices in its slots. So before a process gives up its
 * privileges, it moves into a segment file of its own. It copies its slots to the same
 * numbers there (all other slots of that file are ELSEWHERE), maps them in place of the
 * old ones, marks them ELSEWHERE in the old file, and unmaps that.
 *
 * THE SEGMENT FILE
 *
 * The file is sparse: slot_limit slots of slot_size bytes each. Slot 0 holds struct
 * segment_file with the table of slots. Each other slot holds a process (struct
 * segment_process, its modules, threads and allocation sites), a lane (struct
 * segment_lane: shadow stack, call tree, histograms and steps of one thread at a time; a
 * lane whose thread has ended is handed to the next thread), a process's history of
 * snapshots (common/segment_history.h) or the names of the file's regions
 * (common/segment_names.h). common/segment_recording.h says how a function is recorded,
 * and what is stored for one without frames.
 *
 * Inside a slot, the header holds a descriptor for each array, struct segment_array,
 * which says where the array lies. common/arrays.h is the table of all arrays: where the
 * descriptor is, how large an entry is, how the slot is divided. A count is published
 * with a release store after the entry is complete, so a reader that loads it with
 * acquire sees whole entries. Pages behind an array are reserved (MADV_POPULATE_WRITE)
 * before the count can reach them: a full disk stops the growth and raises no SIGBUS.
 *
 * SLOTS ARE USED AGAIN
 *
 * A shell has a hundred thousand children, one after the other. Once an image has had
 * some, each new child takes over both slots (process and lane) of one that has ended,
 * and goes on in its call tree, histograms and allocation sites. So the children's
 * numbers add up in place, nothing is copied and lost on the way, and a file has no more
 * slots than children that lived at the same time. What belongs to one process alone is
 * kept in the slot's list of former processes, struct segment_tenant, and in its rows of
 * threads.
 *
 * Offering. A process offers its slots only if it was forked, is about to end or to call
 * exec, has one lane and one thread, and has no snapshots, fibers, steps or counters. It
 * stores its end in the header (state, end_ticks), stops recording for good, and pushes
 * the slot onto the stack segment_file.offered. The stack's head has a number that
 * changes with each push and pop, so that an old head is never taken for a new one. In
 * the slot's word of the table, SEGMENT_POOL_LISTED says that the slot is in the stack,
 * SEGMENT_POOL_OFFERED that it may be taken. A process whose exec has failed clears the
 * latter, and whoever pops a slot without it leaves it alone. A process that dies in
 * between wastes one slot.
 *
 * Taking over. The new process (1) completes the former one's record, tenants[n], from
 * the header; (2) stores tenancy = (n + 1) << 1 | 1: from here on the former process is
 * in the list and the header is nobody's; (3) closes the open frames, turns blocks still
 * live into blocks left, and writes the header anew; (4) stores tenancy = (n + 1) << 1.
 * If it dies on the way, the list says whose the slot's numbers are; a reader finds each
 * process once, before and after.
 *
 * The peak. A site stores its share of one process's peak only. So among the processes
 * that have ended, the one with the highest peak does not offer its slot. When one with a
 * higher peak ends, that one offers it instead (segment_file.highest_peak).
 *
 * A READER must not trust anything: the writer may have died at any instruction, or the
 * file may be damaged. It checks the magic, clips every count to the capacity and to the
 * file's size, and every index to its count. Numbers in one record may be from slightly
 * different moments; each is exact.
 *
 * UNITS: ticks are those of the run's clock (segment_run.clock_kind); sizes are bytes;
 * addresses are those of the process. Byte order and word size are the machine's own.
 */
#pragma once

#include <stdint.h>

#include "common/segment_tree.h"

#define SEGMENT_MAGIC_RUN 0x31306e7572667270ull	    /* "prfrun01" */
#define SEGMENT_MAGIC_STATE 0x3130617473667270ull   /* "prfsta01" */
#define SEGMENT_MAGIC_FILE 0x3130676573667270ull    /* "prfseg01" */
#define SEGMENT_MAGIC_PROCESS 0x3130636f72667270ull /* "prfroc01" */
#define SEGMENT_MAGIC_LANE 0x31306e616c667270ull    /* "prflan01" */
#define SEGMENT_VERSION 42u

#define SEGMENT_SPOOL_SUFFIX "-spool"
#define SEGMENT_RUN_NAME "run"
#define SEGMENT_STATE_NAME "state"
#define SEGMENT_FILE_SUFFIX ".segment"
#define SEGMENT_PATH_MAX 4096
#define SEGMENT_RULES_MAX 1024

enum segment_clock {
	SEGMENT_CLOCK_TSC = 1,	     /* x86 time stamp counter */
	SEGMENT_CLOCK_MONOTONIC = 2, /* clock_gettime(CLOCK_MONOTONIC), ticks are ns */
};

/* segment_state.collector_state. The first process stores NONE and STARTING before the
 * collector exists; after that only the collector writes it. */
enum segment_collector_state {
	SEGMENT_COLLECTOR_NONE = 0,	 /* none was started; prof-analyze ingests */
	SEGMENT_COLLECTOR_STARTING = 1,	 /* cloned, not yet heard of */
	SEGMENT_COLLECTOR_RECORDING = 2, /* watches the run */
	SEGMENT_COLLECTOR_FINISHING =
		3,			/* all processes ended or ending: writes run.db */
	SEGMENT_COLLECTOR_FINISHED = 4, /* run.db is complete */
};

/* Why the shim recorded nothing, or less than it could (bits of segment_state.notes
 * and segment_process.notes). Shown by `prof-analyze doctor` and in trust. */
enum segment_note {
	SEGMENT_NOTE_NO_COLLECTOR = 1u << 0,	/* not found, or exec forbidden */
	SEGMENT_NOTE_SUBREAPER = 1u << 1,	/* PID 1 or subreaper: none started */
	SEGMENT_NOTE_NO_SPACE = 1u << 2,	/* growth refused: disk full */
	SEGMENT_NOTE_NO_SHADOW = 1u << 4,	/* no memory for the shadow map */
	SEGMENT_NOTE_SETTING_IGNORED = 1u << 5, /* an environment value was not parsed */
	SEGMENT_NOTE_SLOTS_EXHAUSTED = 1u << 6, /* more threads than slots */
	SEGMENT_NOTE_OWN_ALLOCATOR = 1u << 7,	/* the program defines malloc itself */
	SEGMENT_NOTE_OWN_HOOKS = 1u << 8,	/* the program defines the hooks itself */
	SEGMENT_NOTE_SEALED = 1u << 9,		/* a sandbox forbids our system calls */
	SEGMENT_NOTE_NO_FUNCTION =
		1u << 10, /* a snapshot's or condition's function is not here */
	SEGMENT_NOTE_NO_ADDRESSES = 1u << 11, /* ulimit -v or valgrind leaves none */
	SEGMENT_NOTE_NO_CLOCK = 1u << 12,     /* a thread forbade itself the clock */
	SEGMENT_NOTE_OTHER_NEW = 1u << 14,    /* operator new does not call malloc */
	SEGMENT_NOTE_TIMER_ENDED = 1u << 13,  /* see shim/samples/timer.h */
	SEGMENT_NOTE_GAVE_UP_PRIVILEGES =
		1u << 16,		   /* runs as another user than the files' */
	SEGMENT_NOTE_NOT_APART = 1u << 17, /* and shares its files with others */
};

/* What the collector has prof-analyze write beside run.db when the run is stored. */
enum segment_report {
	SEGMENT_REPORT_NONE = 0,
	SEGMENT_REPORT_TEXT = 1,
	SEGMENT_REPORT_MD = 2,
	SEGMENT_REPORT_JSON = 3,
};

/* A process that a launcher (mpirun, srun) started together with others. */
struct segment_job {
	char name[120];	     /* the same for all of them; empty: none */
	int32_t rank;	     /* from 0 */
	uint32_t rank_count; /* 0: unknown */
};

/*
 * What is settled when the run begins. The first process writes all of it before it does
 * anything else; every process of the run and the collector read it; see WHO IS BELIEVED.
 * New facts of this kind go here; shim/boot/run.c fills them in.
 */
struct segment_run {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* sizeof(struct segment_run) */
	uint64_t token;
	int32_t first_pid;
	uint32_t clock_kind;
	uint64_t start_ticks; /* the same moment on three clocks */
	uint64_t start_monotonic_ns;
	uint64_t start_realtime_ns;
	double ticks_per_second; /* the writer's estimate; the reader measures its own
				    from a second (ticks, monotonic) pair when it runs
				    on the same boot */
	double inner_cost_ticks; /* of a hook pair: the part inside the timed interval */
	double outer_cost_ticks; /* of a hook pair: the part outside, charged to caller */
	/* the same with caches and branch predictors cold; 0: unknown */
	double cold_inner_cost_ticks, cold_outer_cost_ticks;
	double counted_cost_ticks; /* of a counted call */
	double overhead_percent;   /* PROFSHIM_OVERHEAD; 0: no budget */
	uint32_t sample_hz;	   /* PROFSHIM_SAMPLES, see common/segment_samples.h */
	uint32_t samples_only;	   /* PROFSHIM_SAMPLES=only */
	uint32_t is_sandboxed; /* a filter of system calls was there at the beginning */
	uint32_t cpu_count;
	uint32_t follow;	    /* 1: children belong to the run */
	uint32_t path_limit;	    /* PROFSHIM_MAX_PATHS */
	uint32_t stack_depth_limit; /* PROFSHIM_STACK_DEPTH */
	uint32_t snapshot_every_ms; /* PROFSHIM_SNAPSHOT_EVERY, 0: never */
	uint32_t report;	    /* enum segment_report: PROFSHIM_REPORT */
	uint64_t span_floor_ns; /* PROFSHIM_SPANS: the shortest kept; 0: none is kept */
	char boot_id[40];	/* /proc/sys/kernel/random/boot_id */
	char level[16];		/* PROFSHIM_LEVEL in force */
	char shim_version[16];
	char label[128]; /* PROFSHIM_LABEL, may be empty */
	char host[72];
	struct segment_job job;
	char setting_ignored[128];	 /* the first value that could not be parsed */
	char only[SEGMENT_RULES_MAX];	 /* PROFSHIM_ONLY, see common/selection.h */
	char skip[SEGMENT_RULES_MAX];	 /* PROFSHIM_SKIP */
	char library[SEGMENT_RULES_MAX]; /* PROFSHIM_LIBRARY */
	char output[SEGMENT_PATH_MAX];	 /* absolute path of run.db */
	char cwd[SEGMENT_PATH_MAX];
};

/*
 * What changes during the run. Every process of the run and the collector map it. Wrong
 * values here cannot do harm: waits are bounded, and the collector keeps copies of what
 * it writes here and never reads that back.
 *
 * doorbell: a futex word. Anyone who changes something the collector should look at
 * (a process has begun, a process is exiting) adds 1 and wakes; the collector adds 1
 * and wakes when it changes collector_state or release_first.
 */
struct segment_state {
	uint64_t magic;
	uint64_t token;
	uint32_t doorbell;
	uint32_t collector_state; /* enum segment_collector_state */
	int32_t collector_pid;
	uint32_t
		release_first; /* the collector: first process need not wait any longer */
	uint64_t last_ticks;   /* a later pair of clocks, renewed when a process exits */
	uint64_t last_monotonic_ns;
	uint32_t notes;		     /* enum segment_note */
	uint32_t lost_process_count; /* images that could not create a segment file */
};

enum segment_slot_kind {
	SEGMENT_SLOT_FREE = 0,
	SEGMENT_SLOT_PROCESS = 1,
	SEGMENT_SLOT_LANE = 2,
	SEGMENT_SLOT_HISTORY = 3,   /* common/segment_history.h */
	SEGMENT_SLOT_NAMES = 4,	    /* common/segment_names.h */
	SEGMENT_SLOT_ELSEWHERE = 5, /* in another file, see WHO IS BELIEVED */
};

/* kind is stored with release once the slot's own header is complete. */
struct segment_slot {
	uint32_t kind;
	int32_t pid;
	uint32_t process_slot; /* for lanes and histories: their process's slot */
	uint32_t pool;	       /* atomic; for processes, see SLOTS ARE USED AGAIN */
};

/* segment_slot.pool: two bits, and the next slot of the stack. */
#define SEGMENT_POOL_LISTED (1u << 31)
#define SEGMENT_POOL_OFFERED (1u << 30)
#define SEGMENT_POOL_NEXT (SEGMENT_POOL_OFFERED - 1)

#define SEGMENT_SLOT_LIMIT 16384u
#define SEGMENT_SLOT_BYTES_MOST (1ull << 30)

/* A writer's limits; readers accept no more. */
#define SEGMENT_MODULE_LIMIT 2048u
#define SEGMENT_THREAD_LIMIT 65536u
#define SEGMENT_FIBER_LIMIT 65536u    /* of a lane */
#define SEGMENT_PATH_LIMIT (1u << 20) /* of a process, by default */
#define SEGMENT_MODE_LIMIT (1u << 18) /* of a process */
#define SEGMENT_LOCK_LIMIT 8192u      /* of a lane */
#define SEGMENT_LOCK_WAIT_LIMIT 16384u
#define SEGMENT_STALL_LIMIT 8192u
#define SEGMENT_SPAN_FLOOR_LIMIT_NS 86400000000000u /* a day */

struct segment_file {
	uint64_t magic;
	uint32_t version;
	uint32_t slot_limit; /* slots the file has room for, <= SEGMENT_SLOT_LIMIT */
	uint64_t slot_size;  /* multiple of the page size */
	uint64_t token;
	uint32_t slot_count; /* atomic; slots handed out so far, slot 0 included; may
				run past slot_limit when slots are exhausted */
	uint32_t name_slot;  /* atomic; of the regions' names; 0: none yet */
	uint64_t offered;    /* atomic; changes << 32 | topmost slot of the stack */
	/* atomic; highest peak of a process that has ended << 16 | its slot */
	uint64_t highest_peak;
	uint32_t reserved[6];
	struct segment_slot slots[SEGMENT_SLOT_LIMIT];
};

/* A growing array of a slot: entries [first, count) are whole. */
struct segment_array {
	uint64_t offset; /* of entry 0, from the start of the slot */
	uint32_t capacity;
	uint32_t first;	    /* entries before it are not used */
	uint32_t committed; /* entries before it have their pages */
	uint32_t count;	    /* atomic; may run past capacity where many threads append */
};

enum segment_process_state {
	SEGMENT_PROCESS_RUNNING = 1,
	SEGMENT_PROCESS_EXITING = 2,  /* exit_code is valid; few events can still come */
	SEGMENT_PROCESS_REPLACED = 3, /* has called exec; end_ticks is valid */
};

/* Process-wide trust counters, atomic adds. */
enum segment_process_counter {
	SEGMENT_COUNTER_DROPPED_ALLOCATIONS, /* not recorded: no lane, no site, no room */
	SEGMENT_COUNTER_UNKNOWN_FREES,	     /* freed, but never seen allocated */
	SEGMENT_COUNTER_LOST_FREES,	 /* a new block came where one was thought live */
	SEGMENT_COUNTER_INHERITED_FREES, /* allocated before the fork by the parent */
	SEGMENT_COUNTER_LATE_EVENTS,	 /* calls by threads without a lane */
	SEGMENT_COUNTER_EARLY_BYTES,	 /* served before the allocator was known */
	SEGMENT_COUNTER_TOOL_BYTES,	 /* memory mapped by the shim in the process */
	SEGMENT_COUNTER_UNLOADED_MODULES,  /* dlclose seen */
	SEGMENT_COUNTER_INHERITED_FRAMES,  /* open frames a forked child started with */
	SEGMENT_COUNTER_OWN_MAJOR_FAULTS,  /* of the host, caused by reserving pages */
	SEGMENT_COUNTER_UNLISTED_THREADS,  /* past thread_capacity: recorded, no row */
	SEGMENT_COUNTER_REFUSED_SNAPSHOTS, /* no room, or another took too long */
	SEGMENT_COUNTER_PATCHED_SITES,	   /* call sites of hooks that lead elsewhere */
	SEGMENT_COUNTER_EARLY_SITES,	   /* sites that should be written and cannot */
	SEGMENT_COUNTER_MODE_CHANGES,	   /* see common/segment_recording.h */
	SEGMENT_COUNTER_PAUSES,		   /* of the recording; see below */
	SEGMENT_COUNTER_LATE_OBJECTS, /* with hooks, but no answer to its rules when the
					 program began; see segment_control.h */
	SEGMENT_COUNTER_UNTOLD_WAITS, /* for locks that had looked free a moment before */
	/* of processes that read the kernel's counts at their end: how many, and sums */
	SEGMENT_COUNTER_COUNTED_ENDS,
	SEGMENT_COUNTER_READ_BYTES,
	SEGMENT_COUNTER_WRITE_BYTES,
	SEGMENT_COUNTER_UNKNOWN_LEVELS,	  /* new paths whose stack could not be walked, or
					     for whose levels there was no room */
	SEGMENT_COUNTER_UNASKED_SWITCHES, /* we did not find out what they waited for */
	/* CPU time of waited-for children and theirs, by the kernel's count at the end;
	 * includes those too short to be sampled */
	SEGMENT_COUNTER_CHILDREN_CPU_NS,
	SEGMENT_COUNTER_UNASKED_ENDS, /* too short to read them */
	SEGMENT_PROCESS_COUNTERS
};

/*
 * segment_process.snapshot_lock is 0 when free, SEGMENT_LOCK_THREAD while a thread of the
 * process takes a snapshot, or the thread number (in its own PID namespace) of a thread
 * of another process that does. That thread has registered the lock with the kernel
 * (set_robust_list), which sets SEGMENT_LOCK_DIED if it dies holding the lock. Then the
 * next one takes it over.
 */
#define SEGMENT_LOCK_THREAD 0x3fffffffu /* FUTEX_TID_MASK: no thread has this number */
#define SEGMENT_LOCK_DIED 0x40000000u	/* FUTEX_OWNER_DIED */

/*
 * A process. The peak of live memory:
 *
 * below_peak and peak_generation form one 16-byte word that a multi-threaded process
 * changes with one compare-exchange: below_peak = peak_bytes - live bytes now;
 * peak_generation counts how often a new peak has begun. So live bytes are
 * peak_bytes - below_peak, and a site's share of the global peak is
 * site.peak_generation == process.peak_generation ? site.at_peak_bytes : site live.
 *
 * Pauses: the process's recording may be paused repeatedly. paused_ticks is the sum of
 * the pauses that are over. A lane's clocks (struct segment_fiber) include as many of
 * them as its own paused_ticks says; for the rest the stack in use has yet to be
 * suspended.
 */
struct segment_process {
	uint64_t magic;
	int32_t pid;
	int32_t parent_pid;
	uint32_t state; /* enum segment_process_state */
	int32_t exit_code;
	uint32_t forked_from_slot;  /* slot of the parent in this file, 0: not forked */
	uint32_t snapshot_interval; /* atomic; number of snapshots taken so far */
	uint64_t start_ticks;
	uint64_t end_ticks;	/* valid when EXITING */
	uint64_t start_time;	/* field 22 of /proc/PID/stat, 0: unknown */
	uint32_t notes;		/* enum segment_note */
	uint32_t history_slot;	/* of the snapshots, 0: none yet; stored with release */
	uint32_t snapshot_lock; /* held briefly by the taker; see above */
	uint32_t switch_source; /* enum segment_switch_source */
	uint64_t paused_ticks, paused_since_ticks; /* since 0: not paused now */
	uint64_t below_peak __attribute__((aligned(64)));
	uint64_t peak_generation;
	uint64_t peak_bytes; /* atomic */
	uint64_t pad1[5];
	uint64_t counters[SEGMENT_PROCESS_COUNTERS];
	struct segment_array modules; /* struct segment_module */
	struct segment_array threads; /* struct segment_thread */
	struct segment_array sites;   /* struct segment_site */
	struct segment_array tenants; /* struct segment_tenant: former processes */
	struct segment_array left;    /* struct segment_left, parallel to the sites */
	struct segment_array modes;   /* struct segment_mode; [0] is never used */
	struct segment_array targets; /* struct segment_target; [0] is never used */
	struct segment_job job;	      /* of the image; empty in forked children */
	/* see SLOTS ARE USED AGAIN */
	uint32_t tenancy;   /* atomic; tenants << 1, + 1 while the header is nobody's */
	uint32_t lane_slot; /* the lane that is handed on with this slot */
	uint32_t forked_from_tenant; /* which process of forked_from_slot */
	uint32_t first_thread;	     /* threads before it are of former processes */
	uint32_t fitted_rules[2];    /* atomic; bits: rules that fit a function here */
	uint64_t settled_alloc_count, settled_alloc_bytes; /* of former processes */
	char executable[SEGMENT_PATH_MAX];
	uint32_t command_size; /* bytes used in command */
	char command[8188];    /* arguments, each ended by NUL; cut when longer */
};

/* A process that has ended and whose slot another one has taken. */
struct segment_tenant {
	int32_t pid, parent_pid;
	uint32_t state; /* enum segment_process_state */
	int32_t exit_code;
	uint32_t forked_from_slot, forked_from_tenant;
	uint32_t notes;
	uint32_t first_thread; /* its rows end at the next tenant's first */
	uint64_t start_ticks, end_ticks, start_time;
	uint64_t peak_bytes, live_bytes;
	uint64_t alloc_count, alloc_bytes, free_count, free_bytes;
	uint32_t switch_source, pad; /* enum segment_switch_source */
	uint64_t reserved[2];
};

/* Blocks of a site that were live when former processes ended; the site counts them as
 * freed. */
struct segment_left {
	uint64_t count, bytes;
};

/* A mapped object that a recorded address belongs to. [start, end) covers all its
 * segments; address - bias is the address inside the file. device to mtime_ns identify
 * the file at path if it has no build-id; inode 0: not known, or it has one. */
struct segment_module {
	uint64_t start, end, bias;
	uint64_t reserved;
	uint64_t unload_ticks; /* 0: still mapped */
	uint32_t build_id_size;
	uint8_t build_id[36];
	uint64_t device, inode, size_bytes;
	int64_t mtime_ns;
	uint32_t name_hash; /* of the loader's name for it */
	uint32_t pad;
	char path[392]; /* absolute; empty: cut or unknown; "[vdso]" for the vDSO */
};

/* A thread's stay in a lane. end_ticks 0: it is still there. cpu_ns: its CPU time since
 * it began, when last read (0: never); ready_ns: its waits for a CPU (0: not known).
 * begin_*: the kernel's counts when it began. */
struct segment_thread {
	int32_t tid;
	uint32_t lane_slot;
	uint64_t start_ticks, end_ticks;
	char name[16];
	uint64_t cpu_ns, ready_ns;
	uint64_t off_ns; /* without a CPU, as booked in the waits */
	uint64_t begin_cpu_ns, begin_ready_ns;
	uint64_t has_ended_process; /* it called exit() or the like */
};

struct segment_lane {
	uint64_t magic;
	uint32_t process_slot;
	uint32_t thread; /* index of the thread that has the lane now */
	uint32_t in_use; /* 0: the thread has ended, the lane waits for another */
	uint32_t orphan_region_count; /* ends of regions that were not open */
	struct segment_array frames; /* struct segment_frame; count: those of the thread's
					own stack that are open */
	struct segment_array nodes;  /* struct segment_node */
	struct segment_array call_sites; /* struct segment_call_site */
	struct segment_array functions;	 /* struct segment_function */
	struct segment_array fibers;	 /* struct segment_fiber */
	struct segment_array counts;	 /* struct segment_count */
	struct segment_array waits;	 /* struct segment_wait */
	struct segment_array locks;	 /* struct segment_lock */
	struct segment_array lock_times; /* struct segment_function: lengths of waits */
	struct segment_array lock_waits; /* struct segment_lock_wait */
	struct segment_array stalls;	 /* struct segment_stall */
	struct segment_array transfers;	 /* struct segment_transfer; [0] is never used */
	struct segment_array spans;	 /* common/segment_slow.h */
	struct segment_array series;	 /* common/segment_series.h */
	struct segment_array studies;	 /* common/segment_slow.h */
	struct segment_array cases;	 /* likewise */
	struct segment_array samples;	 /* common/segment_samples.h; [0] is never used */
	uint64_t repaired_frame_count;	 /* closed without an exit */
	uint64_t orphan_exit_count;	 /* exits that matched no open frame */
	uint64_t folded_call_count; /* entries past the path limit or without space */
	uint64_t merged_call_count; /* merged recursion, see shim/lane/frames.h */
	uint64_t suspended_ticks, left_ticks; /* see struct segment_fiber */
	uint64_t lost_mark_count;    /* steps and counters without room, or not finite */
	uint64_t closed_frame_count; /* open when former processes ended */
	uint64_t paused_ticks;	     /* see struct segment_process */
	/* Allocations' stacks: partly the same as the last one; walked anew. Of both:
	 * with more frames than the limit; walked only in part. */
	uint64_t reused_stack_count, rebuilt_stack_count;
	uint64_t truncated_stack_count, partial_stack_count;
	/* allocations whose stack was not known at once; those timed, and their ticks */
	uint64_t slow_stack_count, timed_stack_count, timed_stack_ticks;
	uint64_t unlisted_path_count; /* paths without a histogram: no room */
	uint64_t folded_lock_count;   /* calls for locks without an entry: no room */
	uint64_t left_out_ticks;      /* hooks' time that is in no call's time */
	uint64_t lost_wait_ns;	      /* time without a CPU that could not be booked */
	uint64_t lost_transfer_count, lost_transfer_bytes; /* likewise */
	/* of stalls; lost: no room, or in a handler */
	uint32_t stall_thinning, lost_stall_count;
	/* Until when the current thread's time without a CPU is booked in waits: by
	 * CLOCK_MONOTONIC, and by the thread's CPU clock (0: not known). What the first
	 * has gained on the second since belongs to an open wait on the current path.
	 */
	uint64_t booked_wall_ns, booked_cpu_ns;
	int32_t tid; /* of that thread; 0: not known */
	/* Of spans. Joined: merged marks of open calls, whose waits may be too small. */
	uint32_t joined_mark_count;
	uint64_t thinned_span_count, lost_span_count; /* dropped later; never kept */
	uint64_t span_complete_ticks; /* all spans at least this long are there */
	/* Of samples, see common/segment_samples.h. lost: time whose samples were lost.
	 * ring_count: how often a ring was made; refused: how often the kernel refused
	 * one, and its last error. */
	uint64_t sample_count, sampled_ns, kernel_ns, lost_sample_ns;
	uint32_t ring_count, ring_refused_count;
	int32_t ring_error;
	uint32_t sample_period_us;    /* the one it was last asked for */
	uint32_t ring_declined_count; /* how often one would have cost too much */
	uint32_t timer_sample_count;  /* of the samples, how many are by the timer */
};

_Static_assert(sizeof(struct segment_slot) == 16, "segment_slot layout");
_Static_assert(sizeof(struct segment_file) == 80 + 16 * SEGMENT_SLOT_LIMIT,
	       "segment_file layout");
_Static_assert(sizeof(struct segment_array) == 24, "segment_array layout");
_Static_assert(sizeof(struct segment_job) == 128, "segment_job layout");
_Static_assert(sizeof(struct segment_module) == 512, "segment_module layout");
_Static_assert(sizeof(struct segment_tenant) == 128, "segment_tenant layout");
_Static_assert(sizeof(struct segment_thread) == 88, "segment_thread layout");
_Static_assert(sizeof(struct segment_site) == 128, "segment_site layout");
_Static_assert(sizeof(struct segment_node) == 64, "segment_node layout");
_Static_assert(sizeof(struct segment_fiber) == 64, "segment_fiber layout");
_Static_assert(sizeof(struct segment_frame) == 40, "segment_frame layout");
_Static_assert(sizeof(struct segment_function) == 1328, "segment_function layout");
_Static_assert(sizeof(struct segment_lane) % 8 == 0, "segment_lane layout");
_Static_assert(sizeof(struct segment_process) % 64 == 0, "segment_process layout");
