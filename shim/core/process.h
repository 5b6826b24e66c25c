/* SPDX-License-Identifier: MIT */
/*
 * The state of this process: its slot in the segment file, the lock of the slow paths,
 * reserved growth, counters. Must not call libc; be used by a vfork child for anything
 * but reading.
 *
 * SYNCHRONISATION
 *
 * struct process lives in a page of its own that fork wipes (MADV_WIPEONFORK): in a
 * forked child ready reads 0, whatever call made the child, and so do the lane contexts
 * (lane.h). The first hook that notices calls adopt_process(). `lock` serialises the
 * slow paths (slots, lanes, growth of sites); it is taken with all signals blocked, so
 * a handler cannot wait for the thread it interrupted.
 */
#pragma once

#include <stdint.h>

#include "common/arrays.h"
#include "common/attributes.h"
#include "common/segment.h"
#include "shim/core/syscall.h"

struct lane_context;
struct segment_control;
struct segment_history;

struct process {
	uint32_t ready;	  /* 0 in a forked child until adopt_process() */
	uint32_t lock;	  /* see gate.h, boost_lock */
	uint32_t changer; /* atomic; a lane, see changes_begin() */
	uint32_t slot;
	uint32_t site_next; /* next free site index */
	/* a site's id, in blocks' words, is its index and the bias; ids below the floor
	 * are the parent's */
	uint32_t site_bias, site_floor;
	uint32_t site_refused; /* the table is full: no more sites */
	uint32_t path_count;   /* atomic: nodes of all lanes, for the path limit */
	int32_t pid;
	struct segment_process *segment;
	struct segment_site *sites; /* by id */
	uint32_t unload_count;	    /* objects unloaded so far */
	/* until when growth of the file, and memory of this size, is not asked for again;
	 * ticks; 0: it may be */
	uint64_t commit_refused_until, map_refused_until;
	uint64_t map_refused_size;
	struct lane_context *free_lanes;
	struct lane_context *lanes;	 /* all of them, by next_lane */
	struct segment_history *history; /* snapshots, NULL: not mapped yet */
	void *spare;			 /* a slot given back, or NULL */
	uint32_t spare_slot;
	uint32_t *age_heads; /* see site_past.c */
	uint32_t has_left;   /* its slots have been offered: nothing is recorded */
	uint32_t taken_lane_slot;
	struct segment_lane *taken_lane; /* came with the slot, for the first thread */
	struct lane_context *left_lane;	 /* of the thread that made the offer */
};

/* Plain facts that a forked child inherits. Written by boot before `process` is set. */
struct process_facts {
	const struct segment_run *run;	       /* a copy of our own */
	struct segment_state *state;	       /* shared with the others of the run */
	const struct segment_control *control; /* likewise, for reading; or NULL */
	struct segment_file *file;
	struct segment_process *segment; /* of the process that wrote this last */
	uint32_t slot, tenant;		 /* likewise */
	uint32_t site_end;		 /* likewise: ids of its sites are below */
	uint32_t notes;			 /* of its notes those that its children have */
	uint32_t path_limit;
	uint32_t stack_depth_limit;
	uint32_t owner;				   /* user id, of the files */
	uintptr_t main_stack_low, main_stack_high; /* of the first thread; or 0 */
};

extern hidden struct process_facts process_facts;

/* Likewise; of process_facts.file. */
extern hidden char process_file_path[SEGMENT_PATH_MAX];

/* NULL until boot has finished and for a shim that is off. */
extern hidden struct process *process;

/* Blocks all signals and takes the lock / the reverse. mask: where the thread's own
 * signal mask is kept meanwhile. 0: it could not be had; process_unlock() then does
 * nothing. That happens where signals cannot be blocked (gate.h), when the lock may be
 * held by what a handler interrupted, and where the kernel lets nobody wait. */
__attribute__((warn_unused_result)) int process_lock(uint64_t *mask);

/* The same for what can be done another time, or not at all: nobody is waited for, but
 * for a moment. */
__attribute__((warn_unused_result)) int process_try_lock(uint64_t *mask);
void process_unlock(const uint64_t *mask);

/* Reserves the pages of [offset, offset + size) of the slot mapped at base, so that
 * touching them cannot raise SIGBUS. 0, or -errno (the disk is full, or the gate is
 * closed). A refusal holds for a while, without asking. Any context, several at once. */
int process_commit(void *base, uint32_t slot, uint64_t offset, uint64_t size);

/* Gives entries [0, end) of an array their pages, and some more (common/arrays.h): the
 * slot is mapped at base, and ours. 0, or -errno. One at a time, but for handlers. */
int process_grow(void *base, uint32_t slot, enum array_number number, uint32_t end);

/* False while process_commit() would refuse without asking: spares the
 * caller the lock. */
int process_may_grow(void);

/* Takes a new slot of the file and maps it. kind stays FREE until process_publish().
 * Returns its address and number, or NULL: no slots or no address space left. */
void *process_new_slot(uint32_t *ret_slot);
/* A new slot got no pages: keeps it for the next who asks, since slots are numbered and
 * there are only so many. Nothing has been written to it. Under the process lock. */
void process_keep_slot(void *start, uint32_t slot);

/* Maps a slot that another process has made. NULL: no address space left. */
void *process_map_slot(uint32_t slot);
/* Likewise so many, one behind the other; each is unmapped by itself. */
void *process_map_slots(uint32_t slot, uint32_t count);
void process_publish_slot(uint32_t slot, uint32_t kind, uint32_t process_slot,
			  int32_t pid);

/* Memory of our own: zeroed, private. wiped: reads as zero in a forked child. Counted
 * as tool memory. NULL when there is none. */
void *process_map(uint64_t size, int wiped);
void process_unmap(void *start, uint64_t size);

/* Memory of our own that will be written, page by page: all of them at once, where the
 * kernel can (5.14). A fault for each takes longer. */
void process_populate(void *start, uint64_t size);

void process_count(enum segment_process_counter counter, uint64_t add);
void process_note(uint32_t note);

/* Takes and prepares a process slot (offsets, capacities, first pages, pid, start) and
 * makes `state` use it. first_site: where the site ids begin. 0, or -errno. */
int process_begin(struct process *state, uint32_t first_site);

/* The same with the slot of a process that has ended, whose header has been written anew.
 * bias: see struct process. */
void process_resume(struct process *state, struct segment_process *segment, uint32_t slot,
		    uint32_t bias);

/* Tells the collector to look. Any context. */
void process_ring(void);

/* A page that is read first and written then costs two faults. */
static inline void process_will_write(void *at)
{
	__asm__ volatile("lock orl $0, %0" : "+m"(*(uint32_t *)at) : : "memory", "cc");
}

static inline int process_is_ready(void)
{
	return process && process->ready && !process->has_left;
}

/* Of nanoseconds; the run is known. */
static inline uint64_t process_ticks_of(uint64_t ns)
{
	return (uint64_t)((double)ns * process_facts.run->ticks_per_second / 1e9);
}

/*
 * Slots of the segment file that several processes share, made by whoever needs one
 * first. Runs on: traced threads, any context; slow paths only, under the process lock.
 */

/* Reserves what a new slot begins with and fills it. 0, or -errno: nothing is written. */
typedef int shared_slot_begin(void *start, uint32_t slot);

/* The slot whose number stands in *number, mapped. When there is none (0), one is begun,
 * published as of this kind and entered; another process may be quicker, whose slot it is
 * then. NULL: no room. */
void *shared_slot_map(uint32_t *number, uint32_t kind, shared_slot_begin *begin);

/*
 * What the recorder asks of the parts of the shim that are built on it. Runs on: traced
 * threads, any context; set by the constructor before the recording begins. Until then,
 * and in tests, they do nothing.
 */

struct lane_context;

struct upcalls {
	/* Makes sure that the module of a code address is in the process's module table.
	 * 1: it had been unloaded and its nodes are back. */
	int (*note_module)(uint64_t address);
	/* Has it decided which functions of that module are off. */
	void (*select_module)(uint64_t address);
	/* For a lane that was taken over: nodes of objects that are not mapped here are
	 * marked so. Under the process lock. */
	void (*check_modules)(void);
	/* A call of this node whose frame has triggers was left without its exit. By the
	 * run's clock. */
	void (*leave_call)(struct lane_context *context, uint64_t function, uint32_t node,
			   uint64_t begin_ticks, uint64_t ticks);
	/* TRIGGER_* of what is watched by this name, which a region or a step has. */
	uint32_t (*watch_mark)(const char *name);
	/* A hook has been left while it was at work on this part of the lane, which is
	 * nobody's now: what is half done is finished, or nothing comes of it. */
	void (*put_in_order)(struct lane_context *context, uint32_t part);
	/* The calling thread has got a lane; wants to know of its end. */
	void (*thread_begins)(void);
};

extern hidden struct upcalls upcalls;
