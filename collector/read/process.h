/* SPDX-License-Identifier: MIT */
/*
 * A process of a run: who it is, its modules, threads and sites. Must not trust a count,
 * an offset or a string in the file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/history.h"
#include "collector/read/segment_file.h"
#include "common/base/map.h"
#include "common/libc/records.h"
#include "common/segment.h"
#include "common/segment_names.h"
#include "common/segment_recording.h"

/* Where a process has one of them: as in struct segment_module. */
struct read_module {
	uint64_t start, end, bias;
	uint64_t unload_ticks;
	/* of what it says of the file; borrowed, the path ends with NUL */
	const struct segment_module *file;
};

/* All zero is none. */
struct module_files {
	struct segment_module **all;
	size_t count;
	struct map map;
};

/* A module with its file, which is valid until module_files_done(). *from is made
 * plausible. */
struct read_module module_files_place(struct module_files *files,
				      struct segment_module *from);
void module_files_done(struct module_files *files);

/*
 * What is left of struct segment_process, with counts that are true. A slot that several
 * processes had one after the other (common/segment.h, SLOTS ARE USED AGAIN) makes one of
 * each. The owner is the one that has it now, or had it last: to it belong the lanes, the
 * sites and the counters of all of them.
 */
struct read_process {
	uint32_t file, slot;
	uint32_t tenant; /* which process of the slot, from 0 */
	uint32_t owner;	 /* index of the owner, its own when it is the one */
	int is_former;	 /* what it did is complete, memory is valid */
	int is_borrower; /* not the owner */
	struct read_memory {
		uint64_t alloc_count, alloc_bytes, free_count, free_bytes, live_bytes;
	} memory;
	int32_t pid, parent_pid;
	uint32_t state;
	int32_t exit_code;
	uint32_t forked_from_slot, forked_from_tenant;
	uint32_t notes, switch_source;
	uint64_t start_ticks, end_ticks, start_time;
	uint64_t peak_bytes, live_bytes, peak_generation;
	uint64_t counters[SEGMENT_PROCESS_COUNTERS];
	uint64_t paused_ticks, paused_since_ticks;
	uint64_t fitted_rules;	 /* a set, see common/selection.h */
	struct segment_job *job; /* owned; NULL: of none */
	/* borrowed from the owner, like the modules and the threads */
	char *executable;
	char *command; /* arguments, each ended by NUL */
	uint32_t command_size;
	struct read_module *modules;
	uint32_t module_count;
	struct segment_thread *threads; /* its own ones */
	uint32_t thread_count;
	struct segment_thread *all_threads; /* the owner's: what is to be freed */
	int has_parts;			 /* sites, left and targets are read, see below */
	struct segment_site *sites;	 /* owned; sites[i] has the id first_site + i */
	uint32_t first_site, site_count; /* site_count: number in sites */
	struct segment_left *left;	 /* owned; parallel to sites, may be shorter */
	uint32_t left_count;
	struct segment_mode *modes; /* owned, of the owner alone; [0] is not used */
	uint32_t mode_count;
	struct segment_target *targets; /* likewise; names end with NUL */
	uint32_t target_count;
	struct read_history history;	  /* owned; all zero without snapshots */
	const struct segment_name *names; /* borrowed from the run: of regions */
	uint32_t name_count;
};

/* Reads the process whose slot has this header, as its owner. file: its number in the
 * run; files: where its modules are borrowed from. 0, or -EINVAL: the snapshots are
 * damaged and were left out. */
int read_process(struct read_process *ret, const struct segment_reader *reader,
		 uint32_t file, uint32_t slot, struct segment_process *header,
		 uint32_t site_limit, struct module_files *files);
/* Reads its sites and targets, if it has none, and gives them back: not when it has
 * snapshots, which go by the sites' numbers. */
void read_process_parts(struct read_process *process, const struct segment_reader *reader,
			uint32_t site_limit);
/* Reads its targets again. Returns how many modes it has by now. */
uint32_t read_process_again(struct read_process *process,
			    const struct segment_reader *reader);
void read_process_forget(struct read_process *process);
void read_process_done(struct read_process *process);

/* Appends the former processes of the slot whose owner is the last one of the array (of
 * *count, grown by array_room()), from the slot's header, and gives each its threads.
 * Returns the array, maybe moved. */
struct read_process *read_tenants(struct read_process *processes, size_t *count,
				  const struct segment_reader *reader,
				  const struct segment_process *header);
